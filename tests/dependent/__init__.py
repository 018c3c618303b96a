"""Learning with a promise."""
