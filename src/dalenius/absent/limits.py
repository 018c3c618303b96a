"""Limits of adversaries who ask who is not in a table."""

from typing import Final

from dalenius.limits import Limit

MOST_CELLS: Final = Limit(
    "absent.cells",
    1 << 24,
    "cells",
    "Different answers times lattice points. An array of them takes 128 MB.",
    memory=True,
)
MOST_ANSWERS: Final = Limit(
    "absent.answers",
    2000,
    "answers",
    "Different answers, if priors lie within min and max. All their pairs are put in order.",
)
MOST_FRACTIONS: Final = Limit(
    "absent.fractions",
    100_000,
    "answers",
    "Different fractions for which a common lattice is searched. For more of them there is no search.",
)
