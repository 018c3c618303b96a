"""Limits of what published theorems are evaluated for."""

from typing import Final

from dalenius.limits import Limit

MOST_QUILT_CELLS: Final = Limit(
    "theorems.quilt_cells", 50_000_000, "cells", "of the influences that a search for Markov quilts compares: 400 MB"
)
MOST_NEIGHBOUR_TERMS: Final = Limit(
    "theorems.neighbour_terms", 10**10, "terms", "records of a chain times values to the fourth: some minutes"
)
MOST_THRESHOLDS: Final = Limit(
    "theorems.thresholds", 1_000_000, "thresholds", "of a sum that is nearly normal, of which a number is looked for"
)
