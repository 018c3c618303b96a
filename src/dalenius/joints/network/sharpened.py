"""Bounds of the records that seem to leak most, made sharp one after another until the worst is (Result 20.37)."""

import heapq
from collections.abc import Callable
from typing import Final

import numpy as np

from dalenius.laws.law import Array, IntArray

MOST: Final = 1 << 13
"""Clusters that are looked at, around all records together."""


def sharpen(
    most: Array,
    prior: Array,
    places: IntArray,
    sizes: tuple[int, ...],
    sharper: Callable[[int, int], Array | None],
) -> None:
    """Lowers the bounds of those of the places that bound what is leaked of all: by ratios, by beliefs that rise, and
    by those that fall. most (n, k, k): changed in place; prior (n, k): logs; sharper: better bounds of a place (k, k)
    from so many clusters, one of the sizes, or None where more change nothing."""
    steps = dict.fromkeys(places.tolist(), 0)
    left = MOST
    for key in (_ratio, _raised, _lowered):
        # Rounded, so that which of two is first is the same on every processor.
        values = np.round(key(most[places], prior[places]), 9).tolist()
        waiting = [(-value, place) for value, place in zip(values, places.tolist(), strict=True)]
        heapq.heapify(waiting)
        while waiting and left > 0:
            _, place = heapq.heappop(waiting)
            if steps[place] == len(sizes):
                break
            size = sizes[steps[place]]
            steps[place], left = steps[place] + 1, left - size
            found = sharper(place, size)
            if found is None:
                steps[place] = len(sizes)
            else:
                most[place] = np.minimum(most[place], found)
            value = float(key(most[[place]], prior[[place]])[0])
            heapq.heappush(waiting, (-round(value, 9), place))


def _ratio(most: Array, prior: Array) -> Array:
    """The largest log W(y|s)/W(y|s') that the bounds allow, of each record."""
    return np.asarray(most.max(axis=(1, 2)))


def _raised(most: Array, prior: Array) -> Array:
    """The largest log W(y|s)/W(y)."""
    possible = prior > -np.inf
    rest = np.where(possible[:, None, :], prior[:, None, :] - most, -np.inf)
    return np.asarray(np.max(-np.logaddexp.reduce(rest, axis=2), axis=1, where=possible, initial=0.0))


def _lowered(most: Array, prior: Array) -> Array:
    """The largest log W(y)/W(y|s)."""
    possible = prior > -np.inf
    rest = np.where(possible[:, None, :], prior[:, None, :] + most.swapaxes(1, 2), -np.inf)
    return np.asarray(np.max(np.logaddexp.reduce(rest, axis=2), axis=1, where=possible, initial=0.0))
