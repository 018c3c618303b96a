"""Limits of adversaries who ask who is not in a table."""

from typing import Final

from dalenius.limits import Limit

MOST_CELLS: Final = Limit(
    "absent.cells", 1 << 24, "cells", "different answers times lattice points: 128 MB", memory=True
)
MOST_ANSWERS: Final = Limit(
    "absent.answers",
    2000,
    "answers",
    "different ones where priors lie within min and max: all pairs are ordered",
)
MOST_FRACTIONS: Final = Limit(
    "absent.fractions", 100_000, "answers", "different fractions whose lattice is found; of more, none is known"
)
