"""Limits of what is computed from laws of pairs."""

from typing import Final

from dalenius.limits import Limit

MOST_PEOPLE: Final = Limit("pairs.people", 1 << 24, "people", "of a network of which pairs are known: it takes 3 GB")
MOST_LAW_ENTRIES: Final = Limit(
    "pairs.law_entries", 40_000_000, "entries", "laws of one record's score given another's: 320 MB", memory=True
)
MOST_COEFFICIENT_TERMS: Final = Limit(
    "pairs.coefficient_terms", 50_000_000, "terms", "laws of pairs times scores, for dependence coefficients: 400 MB"
)
MOST_SUM_STEPS: Final = Limit(
    "pairs.sum_steps", 200_000, "steps", "of a sum over a neighbourhood: beyond, it is bounded on a grid, as cents are"
)
MOST_GRID_STEPS: Final = Limit(
    "pairs.grid_steps", 1 << 15, "steps", "of that grid: sums are moved to it by at most half of one, which is counted"
)
