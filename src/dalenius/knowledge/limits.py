"""Limits of what is said of adversaries who know others' records."""

from typing import Final

from dalenius.limits import Limit

MOST_OUTCOMES: Final = Limit(
    "knowledge.outcomes", 1 << 17, "assignments", "of all records: 17 people of yes or no, 5 of ten values each"
)
MOST_TERMS: Final = Limit(
    "knowledge.terms", 1 << 23, "terms", "known sets times answers: 12 people of yes or no have 2.7e6", memory=True
)
MOST_ANSWERS: Final = Limit(
    "knowledge.answers", 1 << 22, "points", "box of the answers given known sets: 32 MB for each array", memory=True
)
MOST_CELLS: Final = Limit(
    "knowledge.cells", 1 << 24, "cells", "known sets times points of the answers' box: 128 MB", memory=True
)
MOST_CODES: Final = Limit(
    "knowledge.codes", 1 << 62, "pairs", "a known set and an answer together are one number of 64 bits"
)
MOST_CURVE_CELLS: Final = Limit(
    "knowledge.curve_cells", 1 << 26, "cells", "pairs of values times outputs, without noise: 512 MB", memory=True
)
MOST_KNOWN_POINTS: Final = Limit(
    "knowledge.known_points", 1 << 24, "points", "box of all answers, the known ones too: 128 MB", memory=True
)
MOST_PATTERNS: Final = Limit(
    "knowledge.patterns", 7000, "patterns", "of what is known of one group: 8 people of yes or no have 6,561"
)
MOST_GIVEN_VALUES: Final = Limit(
    "knowledge.given_values", 1 << 10, "combinations", "of values of given records: 10 people of yes or no"
)
MOST_GIVEN_PAIRS: Final = Limit(
    "knowledge.given_pairs", 1 << 16, "pairs", "combinations of given values times people about whom is asked"
)
MOST_OTHERS: Final = Limit(
    "knowledge.others", 1 << 12, "assignments", "of records for what everybody else's says: 12 people of yes or no"
)
MOST_RANGE_RECORDS: Final = Limit(
    "knowledge.range_records",
    2000,
    "records",
    "of a chain: of a longer one the bound is its group's loss",
)
MOST_QUICK_OUTCOMES: Final = Limit(
    "knowledge.quick_outcomes", 1 << 8, "assignments", "in passing: of more, relations have bounds of Bayesian privacy"
)
MOST_CHAIN_CELLS: Final = Limit(
    "knowledge.chain_cells", 1 << 22, "cells", "sums on both sides of a record of a chain: what lies beyond is bounded"
)
