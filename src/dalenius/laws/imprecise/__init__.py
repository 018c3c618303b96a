"""Sums along chains and networks whose probabilities are known to lie in boxes (imprecise Markov chains, Theory §21).

A row of probabilities lies in a box of [lower, upper] for each value, and sums to 1; every row of every step may be
any such, whatever the others are.
"""
