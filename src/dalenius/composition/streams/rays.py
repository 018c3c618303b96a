"""The likelihood vectors that outputs so far can have, as functions of one step's value: those that matter.

A step sends v to w∘(Bv), w one of the noise's vectors, linearly; ratios of two entries are largest at extreme rays. So
only extreme rays are kept. Logs throughout, the largest entry 0.
"""

from typing import Final, NamedTuple

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray

MOST: Final = 1 << 12
FEW: Final = 12
"""Rays kept of each pair of values where there are too many to keep all."""
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
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        error += 32 * len(logs) * UNIT / float(shares.min())
        logs = logs[_hull(shares[:, :2])]
    if len(logs) > MOST:
        return Rays(logs[_best(logs, FEW)], False, error)
    return Rays(logs, rays.complete, error)


def _best(logs: Array, count: int) -> IntArray:
    """The rays with the largest ratios of each two entries."""
    ratios = (logs[:, :, None] - logs[:, None, :]).reshape(len(logs), -1)
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
