"""Limits of the optimum and of clamped noise."""

from typing import Final

from dalenius.limits import Limit

MOST_NUMBERS: Final = Limit(
    "optimum.numbers",
    28_000_000,
    "numbers",
    "Numbers of the laws, or their windows, of every kind of person side by side. They take 224 MB.",
)
MOST_ANSWERS: Final = Limit(
    "optimum.answers",
    20_000,
    "answers",
    "Answers with a row each. More answers are put into bins, which serve absolute errors only.",
)
MOST_ABSENCES: Final = Limit(
    "optimum.absences",
    64,
    "answers",
    "Different answers without each person. Each output has two constraints for each of them, over all answers.",
)
MOST_KERNEL_CELLS: Final = Limit(
    "optimum.kernel_cells", 4_000_000, "cells", "Rows times outputs of a kernel without bins. They take 32 MB."
)
DENSE: Final = Limit(
    "optimum.dense",
    320,
    "answers",
    "Likely answers. Each move between two of them is a variable. More answers are put into bins.",
)
MOST_BINNED_POINTS: Final = Limit(
    "optimum.binned_points", 1 << 20, "answers", "Likely answers that are put into bins. Each array takes 8 MB."
)
MOST_PAIRS: Final = Limit(
    "optimum.pairs",
    20_000,
    "pairs",
    "Pairs of neighbouring answers in the linear program. The solver takes minutes for them.",
)
LARGEST_EPSILON: Final = Limit(
    "optimum.largest_epsilon",
    300,
    "nats",
    "The ε of a promise. Doubles hold e^300 times a probability, but not e^600 times.",
)
MOST_ENTRIES: Final = Limit(
    "optimum.entries",
    6_000_000,
    "entries",
    "Entries of the linear program. The solver takes minutes for them. Beyond, fewer answers are used.",
)
MOST_SUMS: Final = Limit(
    "optimum.sums",
    40_000,
    "sums",
    "Sums that a δ bounds. After them no more constraints are added, and the gap is wider.",
)
MOST_MOVED_RATIOS: Final = Limit(
    "optimum.moved_ratios",
    1 << 27,
    "ratios",
    "Pairs of answers times bins. They take seconds. Beyond, a bound over any answers is used.",
)
MOST_CLAMPED_POINTS: Final = Limit(
    "optimum.clamped_points", 1 << 24, "points", "Points of answers and ends together. Each array takes 128 MB."
)
