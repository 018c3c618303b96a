"""Models whose probabilities lie in intervals: what holds under every law within them."""
