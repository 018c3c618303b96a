"""Methods that look at pairs of records."""
