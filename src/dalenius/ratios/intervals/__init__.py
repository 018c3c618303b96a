"""Models given by intervals of probabilities: sets of laws."""
