"""A coupling under which sums vary little: each record's quantile is turned further than the one before it."""

from math import sqrt
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.coupled.neighbourhood import Neighbour
from dalenius.laws.coupled.sums import Sum, by_width
from dalenius.laws.law import Array

GOLDEN: Final = (sqrt(5) - 1) / 2
"""Multiples of it fill the circle evenly, however many there are."""


def rotated(
    neighbours: tuple[Neighbour, ...], places: tuple[Array, ...], secret: int, own: float, whole: bool
) -> tuple[Sum, float]:
    """The law of the sum given a secret where record r is at the quantile U + r·GOLDEN, modulo 1, and how far it is at
    most from that of the coupling without rounding, in total variation. places: each neighbour's points, in the unit
    of the sum, whole numbers or not."""
    start, turn, off = own, 0, 0.0
    at, jumps = [np.zeros(0)], [np.zeros(0)]
    placed = dict(zip(map(id, neighbours), places, strict=True))
    for alike in by_width(neighbours):
        times = np.array([each.times for each in alike])
        points = np.repeat(np.array([placed[id(each)] for each in alike]), times, axis=0)
        laws = np.repeat(np.array([each.laws[secret] for each in alike]), times, axis=0)
        turns = np.mod((turn + np.arange(len(points))) * GOLDEN, 1.0)
        first, where, rises = _turned(points, laws / laws.sum(axis=1, keepdims=True), turns)
        start, turn = start + float(first.sum()), turn + len(points)
        off += where.size * (points.shape[1] + 8) * 4 * UNIT
        at.append(where.ravel())
        jumps.append(rises.ravel())
    cuts, rises = np.concatenate(at), np.concatenate(jumps)
    order = np.argsort(cuts, kind="stable")
    sums = start + np.append(0.0, np.cumsum(rises[order]))
    masses = np.diff(np.concatenate([[0.0], cuts[order], [1.0]]))
    points, place = np.unique(np.rint(sums) if whole else sums, return_inverse=True)
    held = np.bincount(place.ravel(), masses)
    return Sum(points[held > 0], np.asarray(held[held > 0])), off


def _turned(points: Array, laws: Array, turns: Array) -> tuple[Array, Array, Array]:
    """Of records (r, v) their scores at quantile 0 + turn (r,), and where the score changes, and by how much (r, v)."""
    order = np.argsort(points, axis=1, kind="stable")
    points, laws = np.take_along_axis(points, order, axis=1), np.take_along_axis(laws, order, axis=1)
    below = np.cumsum(laws, axis=1)[:, :-1]
    first = points[np.arange(len(points)), (below <= turns[:, None]).sum(axis=1)]
    # From the last score to the first one, where the turned quantile passes 1.
    where = np.concatenate([below, np.ones((len(points), 1))], axis=1) - turns[:, None]
    rises = np.concatenate([np.diff(points, axis=1), points[:, :1] - points[:, -1:]], axis=1)
    return first, np.minimum(np.where(where > 0, where, where + 1), 1.0), rises
