"""Bayesian networks of records, by a junction tree."""
