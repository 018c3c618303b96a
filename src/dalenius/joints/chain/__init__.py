"""Markov chains of records."""
