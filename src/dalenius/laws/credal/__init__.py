"""Sets of laws given by an interval for every probability."""
