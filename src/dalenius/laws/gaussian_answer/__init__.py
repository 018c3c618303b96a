"""Gaussian answers under Laplace noise."""
