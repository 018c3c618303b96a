"""The faces of a credal set, cut into simplices: on those of few dimensions the worst law is found (Result 21.25)."""

from collections.abc import Iterator
from itertools import combinations, product
from math import comb
from typing import Final

import numpy as np

from dalenius.laws.credal.box import Box
from dalenius.laws.law import Array

SLACK: Final = 4e-15
SAME: Final = 1e-14


def faces_at_most(box: Box, dimension: int) -> int:
    """No more faces of so many dimensions than this."""
    free = int((box.upper > box.lower).sum())
    inner = min(dimension + 1, free)
    return comb(free, inner) << (free - inner)


def simplices(box: Box, dimension: int) -> Iterator[Array]:
    """Laws (r, m), r <= dimension + 1, whose convex hulls together are all faces of so many dimensions, 2 at most."""
    free = np.flatnonzero(box.upper > box.lower)
    inner = min(dimension + 1, len(free))
    if not inner:
        yield box.lower[None]
        return
    for chosen in combinations(free.tolist(), inner):
        rest = [each for each in free.tolist() if each not in chosen]
        for ends in product((False, True), repeat=len(rest)):
            law = box.lower.copy()
            law[rest] = np.where(ends, box.upper[rest], box.lower[rest])
            yield from _cut(box, law, list(chosen))


def _cut(box: Box, law: Array, inner: list[int]) -> Iterator[Array]:
    """The face on which all but these probabilities are a law's."""
    mass = 1 - (law.sum() - law[inner].sum())
    low, high = box.lower[inner], box.upper[inner]
    if low.sum() > mass + SLACK or high.sum() < mass - SLACK:
        return
    found = _vertices(low, high, mass)
    laws = np.broadcast_to(law, (len(found), len(law))).copy()
    laws[:, inner] = found
    if len(laws) <= 2:
        yield laws
        return
    for place in range(1, len(laws) - 1):
        yield laws[[0, place, place + 1]]


def _vertices(low: Array, high: Array, mass: float) -> Array:
    """Of {low <= q <= high, sum q = mass} of one to three numbers, in the order around it."""
    n = len(low)
    found = []
    for place in range(n):
        others = [i for i in range(n) if i != place]
        for ends in product((False, True), repeat=n - 1):
            q = np.empty(n)
            q[others] = np.where(ends, high[others], low[others])
            q[place] = mass - q[others].sum()
            if low[place] - SLACK <= q[place] <= high[place] + SLACK:
                q[place] = min(max(q[place], low[place]), high[place])
                found.append(q)
    middle = np.mean(found, axis=0)
    axes = np.eye(2, n) if n < 3 else np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    turned = [float(np.arctan2(*(axes[::-1] @ (each - middle)))) for each in found]
    ordered = [found[i] for i in np.argsort(turned, kind="stable")]
    kept = [
        each for each, last in zip(ordered, [ordered[-1], *ordered], strict=False) if np.abs(each - last).max() > SAME
    ]
    return np.array(kept or ordered[:1])
