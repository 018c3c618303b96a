"""Intervals of the first record's law, where a chain is stationary and its transitions lie in intervals."""

from typing import Final

import numpy as np

from dalenius.fitting.regions import Row
from dalenius.laws.law import Array

ROUNDS: Final = 200
_OUT: Final = 1e-12


def stationary_row(rows: tuple[Row, ...]) -> Row:
    """Holds every π = πP with P in these intervals.

    If π lies in a box, its mean of column j of P is at least the least mean, over laws in the box, of that column's
    lower ends, and likewise above: smaller boxes, round by round, each of which holds π.
    """
    ends = np.array(rows)
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    for _ in range(ROUNDS):
        least = [_least(low, high, column) for column in ends[:, :, 0].T]
        most = [-_least(low, high, -column) for column in ends[:, :, 1].T]
        low = np.maximum(low, np.array(least) - _OUT).clip(0, 1)
        high = np.minimum(high, np.array(most) + _OUT).clip(0, 1)
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _least(low: Array, high: Array, weights: Array) -> float:
    """The least mean of the weights under a law in the box: what is free goes to the smallest."""
    order = np.argsort(weights, kind="stable")
    room = (high - low)[order]
    free = 1 - low.sum()
    given = low[order] + np.clip(free - (np.cumsum(room) - room), 0, room)
    return float(given @ weights[order])
