"""Limits of what is computed from laws of pairs."""

from typing import Final

from dalenius.limits import Limit

MOST_PEOPLE: Final = Limit("pairs.people", 1 << 24, "people", "People of a network with known pairs. They take 3 GB.")
MOST_LAW_ENTRIES: Final = Limit(
    "pairs.law_entries",
    40_000_000,
    "entries",
    "Entries of the laws of one record's score given another's. They take 320 MB.",
    memory=True,
)
MOST_COEFFICIENT_TERMS: Final = Limit(
    "pairs.coefficient_terms",
    50_000_000,
    "terms",
    "Laws of pairs times scores, for dependence coefficients. They take 400 MB.",
)
MOST_SUM_STEPS: Final = Limit(
    "pairs.sum_steps",
    200_000,
    "steps",
    "Steps of a sum over a neighbourhood. A longer sum, such as one in cents, is bounded on a grid.",
)
MOST_GRID_STEPS: Final = Limit(
    "pairs.grid_steps",
    1 << 15,
    "steps",
    "Steps of that grid. Each sum is moved by at most half a step, and this is counted.",
)
