"""Sums over all outputs of a functional of the likelihoods, each as an enclosure."""
