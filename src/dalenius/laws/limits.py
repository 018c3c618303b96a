"""Limits of laws of sums, of integrals over outputs and of boxes of probabilities."""

from typing import Final

from dalenius.limits import Limit

LARGEST_INDEX: Final = Limit(
    "laws.largest_index",
    1 << 52,
    "steps",
    "The largest index of the lattice. A double holds the difference of two such indices.",
)
MOST_LISTED: Final = Limit(
    "laws.listed",
    1 << 22,
    "sums",
    "Sums that are listed, which takes 32 MB. Beyond, every lattice point in range counts as possible.",
)
MOST_FOLDED: Final = Limit(
    "laws.folded",
    1 << 13,
    "sums",
    "Sums in the window of a rule, if all sums are too many to list. They take a second. Beyond, a bound is reported.",
)
MOST_COMPARED_VALUES: Final = Limit(
    "laws.compared_values",
    64,
    "values",
    "Values of a record that are compared in pairs over several answers. Beyond, a bound is reported.",
)
MOST_OPEN_INTERVALS: Final = Limit(
    "laws.open_intervals",
    20,
    "intervals",
    "Intervals of a box whose vertices are listed. A box with more has too many vertices.",
)
MOST_VERTICES: Final = Limit(
    "laws.vertices", 2_000_000, "vertices", "Vertices of a box of probabilities. Listing them takes a minute."
)
MOST_BOX_VALUES: Final = Limit(
    "laws.box_values",
    3_000_000,
    "likelihoods",
    "Likelihoods at the corners of boxes of several real outputs. After them, open boxes keep their bounds.",
)
MOST_RULE_VALUES: Final = Limit(
    "laws.rule_values",
    20_000_000,
    "likelihoods",
    "Likelihoods at the nodes of a quadrature over such boxes. Beyond, convexity gives the bounds.",
)
MOST_BESIDE_POINTS: Final = Limit(
    "laws.beside_points",
    20_000,
    "points",
    "Whole outputs beside real ones that are computed one by one. Beyond, convexity gives the bounds.",
)
MOST_GAUSSIAN_TERMS: Final = Limit(
    "laws.gaussian_terms",
    400_000_000,
    "terms",
    "Terms of the outputs of an answer under Gaussian noise. They take some ten seconds.",
)
MOST_ENVELOPE_CELLS: Final = Limit(
    "laws.envelope_cells",
    30_000,
    "cells",
    "Cells in which the likeliest secret is found, under Gaussian noise. Then open cells keep their bounds.",
)
MOST_TAIL_CELLS: Final = Limit(
    "laws.tail_cells",
    100_000,
    "cells",
    "Cells of the tail of a loss under Gaussian noise. After them, open cells keep their bounds.",
)
MOST_GUESS_TERMS: Final = Limit(
    "laws.guess_terms", 50_000_000, "terms", "Pairs of guesses times answers. Beyond, no guess is ruled out beforehand."
)
