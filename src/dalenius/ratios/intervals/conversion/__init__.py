"""What a private pipeline leaks under a set of laws."""
