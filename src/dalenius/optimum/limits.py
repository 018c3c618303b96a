"""Limits of the optimum and of clamped noise."""

from typing import Final

from dalenius.limits import Limit

MOST_NUMBERS: Final = Limit(
    "optimum.numbers", 28_000_000, "numbers", "laws of every kind of person, or windows of them, side by side: 224 MB"
)
MOST_ANSWERS: Final = Limit(
    "optimum.answers", 20_000, "answers", "each with a row of its own; of more, bins, which are for absolute errors"
)
MOST_KERNEL_CELLS: Final = Limit(
    "optimum.kernel_cells", 4_000_000, "cells", "rows times outputs of a kernel without bins: 32 MB"
)
DENSE: Final = Limit(
    "optimum.dense", 320, "answers", "likely ones, each move between two of which is a variable; of more, bins"
)
MOST_BINNED_POINTS: Final = Limit(
    "optimum.binned_points", 1 << 20, "answers", "likely ones that are put into bins: 8 MB for each array"
)
MOST_PAIRS: Final = Limit(
    "optimum.pairs", 20_000, "pairs", "of neighbouring answers in the program: the solver takes minutes for them"
)
LARGEST_EPSILON: Final = Limit(
    "optimum.largest_epsilon", 300, "nats", "of a promise: doubles hold e^300 times a probability, and not e^600 times"
)
MOST_ENTRIES: Final = Limit(
    "optimum.entries", 6_000_000, "entries", "of the linear program: the solver takes minutes; beyond, fewer answers"
)
MOST_SUMS: Final = Limit(
    "optimum.sums", 40_000, "sums", "that a delta bounds; then no more constraints are added, and the gap is wider"
)
MOST_MOVED_RATIOS: Final = Limit(
    "optimum.moved_ratios", 1 << 27, "ratios", "pairs of answers times bins: seconds; beyond, a bound over any answers"
)
MOST_CLAMPED_POINTS: Final = Limit(
    "optimum.clamped_points", 1 << 24, "points", "of answers and ends together: 128 MB for each array"
)
