"""Limits of laws of sums, of integrals over outputs and of boxes of probabilities."""

from typing import Final

from dalenius.limits import Limit

LARGEST_INDEX: Final = Limit(
    "laws.largest_index", 1 << 52, "steps", "of the lattice: a double holds the difference of two such indices"
)
MOST_LISTED: Final = Limit(
    "laws.listed", 1 << 22, "sums", "that are listed: 32 MB; of more, any lattice point in range counts as possible"
)
MOST_COMPARED_VALUES: Final = Limit(
    "laws.compared_values", 64, "values", "of a record, compared pair by pair over several answers; of more, a bound"
)
MOST_OPEN_INTERVALS: Final = Limit(
    "laws.open_intervals", 20, "intervals", "of a box whose vertices are listed; more have too many of them"
)
MOST_VERTICES: Final = Limit("laws.vertices", 2_000_000, "vertices", "of a box of probabilities: a minute to list them")
MOST_BOX_VALUES: Final = Limit(
    "laws.box_values",
    3_000_000,
    "likelihoods",
    "at corners of boxes of several real outputs; then what is open stays",
)
MOST_RULE_VALUES: Final = Limit(
    "laws.rule_values", 20_000_000, "likelihoods", "at a quadrature's nodes over such boxes; beyond, convexity's bounds"
)
MOST_BESIDE_POINTS: Final = Limit(
    "laws.beside_points", 20_000, "points", "of whole outputs beside real ones, one by one; beyond, convexity's bounds"
)
MOST_GAUSSIAN_TERMS: Final = Limit(
    "laws.gaussian_terms", 400_000_000, "terms", "of an answer's outputs under Gaussian noise: some ten seconds"
)
MOST_ENVELOPE_CELLS: Final = Limit(
    "laws.envelope_cells", 30_000, "cells", "of the likeliest secret under Gaussian noise; then what is open stays"
)
MOST_TAIL_CELLS: Final = Limit(
    "laws.tail_cells", 100_000, "cells", "of the tail of a loss under Gaussian noise; then what is open stays"
)
MOST_GUESS_TERMS: Final = Limit(
    "laws.guess_terms", 50_000_000, "terms", "pairs of guesses times answers; beyond, no guess is ruled out beforehand"
)
