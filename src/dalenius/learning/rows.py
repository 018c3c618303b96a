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
    unit = np.where(largest > 0, largest, 1.0)
    lengths = np.sqrt(((rows / unit[:, None]) ** 2).sum(axis=1))  # in units of the row's largest number
    factors = np.minimum(1.0, norm * (1 - ROOM) / unit / np.maximum(lengths, 1.0))
    return np.asarray(rows * factors[:, None])


def unit_rows(rows: Array, norm: float, constant: float) -> tuple[Array, float]:
    """Clipped rows with a column of that constant (none where it is 0), divided by the longest that such a row can be,
    which is given too."""
    longest = hypot(norm, constant) * (1 + ROOM)
    found = clipped(rows, norm)
    if constant:
        found = np.hstack([found, np.full((len(rows), 1), constant)])
    return found / longest, longest
