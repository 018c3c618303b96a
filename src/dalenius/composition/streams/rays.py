"""The likelihood vectors that outputs so far can have, as functions of one step's value: those that matter.

A step sends v to w∘(Bv), w one of the noise's vectors, linearly; ratios of two entries are largest at extreme rays. So
only extreme rays are kept. Logs throughout, the largest entry 0.
"""

from math import inf
from typing import Final, NamedTuple

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray

MOST: Final = 1 << 12
FEW: Final = 64
"""Rays that are kept, about, where there are too many to keep all."""
COMPARED: Final = 1 << 20
FAINT: Final = 1e-9
"""Entries, as shares, below which a hull in the plane is too imprecise."""
SAME: Final = 2.0**-40
"""Rays whose logs are no further apart count as one."""


class Rays(NamedTuple):
    """logs (r, k); complete: whether none that matters has been left out; error: how far logs of ratios may be off."""

    logs: Array
    complete: bool
    error: float


def pruned(rays: Rays) -> Rays:
    """Without those that cannot matter, and where there are still too many, without others too."""
    logs = rays.logs - rays.logs.max(axis=1, keepdims=True)
    _, first = np.unique(np.round(logs / SAME), axis=0, return_index=True)
    error = rays.error + (2 * SAME if len(first) < len(logs) else 0.0)
    logs = logs[np.sort(first)]
    if logs.shape[1] == 2 and len(logs) > 2:
        logs = logs[_best(logs, 1)]
    elif logs.shape[1] == 3 and len(logs) > 3:
        shares = _shares(logs)
        if (faintest := float(shares.min())) > FAINT:
            error += 32 * len(logs) * UNIT / faintest
            logs = logs[_hull(shares[:, :2])]
    if len(logs) > (MOST if rays.complete else FEW):
        return Rays(logs[_best(logs, max(FEW // logs.shape[1] ** 2, 1))], False, error)
    return Rays(logs, rays.complete, error)


def apart(one: Rays, other: Rays) -> float:
    """How far, in logs of ratios, any ray of one is from the cone of the other, from above."""
    if one.complete != other.complete or len(one.logs) * len(other.logs) > COMPARED:
        return inf
    if one.logs.shape[1] == 3:
        first, second = _shares(one.logs), _shares(other.logs)
        if (faintest := float(min(first.min(), second.min()))) > FAINT:
            away = max(_away(first[:, :2], second[:, :2]), _away(second[:, :2], first[:, :2]))
            return 4 * away / faintest if away < faintest / 8 else inf
    steps = np.ptp(other.logs[:, None] - one.logs, axis=2)
    return float(max(steps.min(axis=0).max(), steps.min(axis=1).max()))


def _shares(logs: Array) -> Array:
    return np.asarray(np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)))


def _away(points: Array, corners: Array) -> float:
    """How far the furthest of the points (n, 2) is outside the convex polygon with these corners (c, 2)."""
    middle = corners - corners.mean(axis=0)
    around = corners[np.argsort(np.arctan2(middle[:, 1], middle[:, 0]), kind="stable")]
    edges = np.roll(around, -1, axis=0) - around
    to = points[:, None] - around
    length = (edges**2).sum(axis=1)
    along = np.clip((to * edges).sum(axis=2) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    distance = np.sqrt(((to - along[:, :, None] * edges) ** 2).sum(axis=2)).min(axis=1)
    # Whoever may be outside but for rounding is taken to be: the distance to the boundary is then as good.
    outside = (edges[:, 0] * to[:, :, 1] - edges[:, 1] * to[:, :, 0] <= 8 * UNIT).any(axis=1)
    return float(np.where(outside, distance, 0.0).max()) + 8 * UNIT


def _best(logs: Array, count: int) -> IntArray:
    """The rays with the largest ratios of each two entries."""
    ratios = (logs[:, :, None] - logs[:, None, :]).reshape(len(logs), -1)
    if count == 1:
        return np.unique(ratios.argmax(axis=0))
    return np.unique(np.argsort(-ratios, axis=0, kind="stable")[:count])


def _hull(points: Array) -> IntArray:
    """The corners of the convex hull of points in the plane (n, 2), each popped point within rounding of those left."""
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()
    spots = points.tolist()
    kept: set[int] = set()
    for direction in (order, order[::-1]):
        chain: list[int] = []
        for place in direction:
            while len(chain) > 1 and _turn(spots[chain[-2]], spots[chain[-1]], spots[place]) <= 0:
                chain.pop()
            chain.append(place)
        kept.update(chain)
    return np.array(sorted(kept))


def _turn(first: list[float], second: list[float], third: list[float]) -> float:
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])
