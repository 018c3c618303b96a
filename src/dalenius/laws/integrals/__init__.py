"""Sums over all outputs of a functional of the likelihoods."""
