"""Bounds of log-ratios where no law of the answer is computed, or no one law is known: probabilities in intervals."""
