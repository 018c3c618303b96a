"""Models that know the laws of pairs of people only."""
