"""Limits of what is said of adversaries who know others' records."""

from typing import Final

from dalenius.limits import Limit

MOST_OUTCOMES: Final = Limit(
    "knowledge.outcomes",
    1 << 17,
    "assignments",
    "Assignments of all records, such as 17 people with yes or no, or 5 people with ten values each.",
)
MOST_TERMS: Final = Limit(
    "knowledge.terms",
    1 << 23,
    "terms",
    "Sets of known records times answers. 12 people with yes or no have 2.7e6.",
    memory=True,
)
MOST_ANSWERS: Final = Limit(
    "knowledge.answers",
    1 << 22,
    "points",
    "Points of the box of the answers given the known sets. Each array takes 32 MB.",
    memory=True,
)
MOST_CELLS: Final = Limit(
    "knowledge.cells",
    1 << 24,
    "cells",
    "Sets of known records times points of the answers' box. An array takes 128 MB.",
    memory=True,
)
MOST_CODES: Final = Limit(
    "knowledge.codes",
    1 << 62,
    "pairs",
    "Pairs of a known set and an answer. One number of 64 bits stands for each pair.",
)
MOST_CURVE_CELLS: Final = Limit(
    "knowledge.curve_cells",
    1 << 26,
    "cells",
    "Pairs of values times outputs, without noise. They take 512 MB.",
    memory=True,
)
MOST_KNOWN_POINTS: Final = Limit(
    "knowledge.known_points",
    1 << 24,
    "points",
    "Points of the box of all answers, known answers included. An array takes 128 MB.",
    memory=True,
)
MOST_PATTERNS: Final = Limit(
    "knowledge.patterns",
    7000,
    "patterns",
    "Patterns of known records in one group. 8 people with yes or no have 6,561.",
)
MOST_GIVEN_VALUES: Final = Limit(
    "knowledge.given_values",
    1 << 10,
    "combinations",
    "Combinations of values of the given records. 10 people with yes or no have as many.",
)
MOST_GIVEN_PAIRS: Final = Limit(
    "knowledge.given_pairs", 1 << 16, "pairs", "Combinations of given values times people whose record is the secret."
)
MOST_OTHERS: Final = Limit(
    "knowledge.others",
    1 << 12,
    "assignments",
    "Assignments of the other records, if all of them are known. 12 people with yes or no have as many.",
)
MOST_RANGE_RECORDS: Final = Limit(
    "knowledge.range_records",
    2000,
    "records",
    "Records of a chain. For a longer chain the bound is the loss of its group.",
)
MOST_QUICK_OUTCOMES: Final = Limit(
    "knowledge.quick_outcomes",
    1 << 8,
    "assignments",
    "Assignments for a quick result. For more, `relations` has bounds of Bayesian privacy.",
)
MOST_CHAIN_CELLS: Final = Limit(
    "knowledge.chain_cells",
    1 << 22,
    "cells",
    "Sums on both sides of a record of a chain. Sums beyond them are bounded.",
)
