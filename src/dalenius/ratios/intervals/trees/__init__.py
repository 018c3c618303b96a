"""Chains and networks whose rows of probabilities lie in boxes."""
