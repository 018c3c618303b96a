"""Limits of what published theorems are evaluated for."""

from typing import Final

from dalenius.limits import Limit

MOST_QUILT_CELLS: Final = Limit(
    "theorems.quilt_cells",
    50_000_000,
    "cells",
    "Cells of the influences that a search for Markov quilts compares. They take 400 MB.",
)
MOST_NEIGHBOUR_TERMS: Final = Limit(
    "theorems.neighbour_terms",
    10**10,
    "terms",
    "Records of a chain times values to the fourth power. They take some minutes.",
)
MOST_THRESHOLDS: Final = Limit(
    "theorems.thresholds",
    1_000_000,
    "thresholds",
    "The number of thresholds for a sum that is nearly normal. The search ends there.",
)
MOST_CHAIN_RECORDS: Final = Limit(
    "theorems.chain_records",
    20_000,
    "records",
    "Records of a chain whose steps are looked at one by one. They take some seconds.",
)
MOST_COMBINATIONS: Final = Limit(
    "theorems.combinations",
    1 << 14,
    "combinations",
    "Combinations of the values of a group's records, whose influences are compared in pairs.",
)
