"""Answers on a lattice under Gaussian noise."""
