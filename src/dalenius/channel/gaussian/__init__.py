"""The channel of a Gaussian record."""
