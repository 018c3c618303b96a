"""Rows of bounded length, of which no row has a say in another's."""

from math import hypot
from typing import Final

import numpy as np

from dalenius.laws.law import Array

ROOM: Final = 2.0**-30
"""By this share long rows are shortened more than asked: far above what a length is rounded by."""


def clipped(rows: Array, norm: float) -> Array:
    """Each row as it is where its length is at most `norm`, else shortened to it."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    units = rows / np.where(largest > 0, largest, 1.0)[:, None]
    lengths = np.maximum(np.sqrt((units**2).sum(axis=1)), 1.0)
    most = norm * (1 - ROOM)
    # Never by one factor for the whole row, which may be a number with few bits.
    return np.asarray(np.where((largest > most / lengths)[:, None], units * (most / lengths)[:, None], rows))


def unit_rows(rows: Array, norm: float, constant: float) -> tuple[Array, float]:
    """Clipped rows with a column of that constant (none where it is 0), divided by the longest that such a row can be,
    which is given too."""
    longest = hypot(norm, constant) * (1 + ROOM)
    found = clipped(rows, norm)
    if constant:
        found = np.hstack([found, np.full((len(rows), 1), constant)])
    return found / longest, longest
