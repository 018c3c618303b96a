"""The faces of a credal set, cut into simplices: on those of few dimensions the worst law is found (Result 21.25)."""

from collections.abc import Iterator
from itertools import combinations, product
from math import comb

import numpy as np

from dalenius.laws.box import Box
from dalenius.laws.law import Array


def faces_at_most(box: Box, dimension: int) -> int:
    """No more faces of so many dimensions than this."""
    free = int((box.ends[1] > box.ends[0]).sum())
    inner = min(dimension + 1, free)
    return comb(free, inner) << (free - inner)


def simplices(box: Box, dimension: int) -> Iterator[Array]:
    """Laws (r, m), r <= dimension + 1, whose convex hulls together are all faces of so many dimensions, 2 at most."""
    low, high = ([int(each) for each in ends] for ends in box.ends)
    free = [place for place in range(len(box)) if high[place] > low[place]]
    inner = min(dimension + 1, len(free))
    if not inner:
        yield box.lower[None]
        return
    for chosen in combinations(free, inner):
        rest = [each for each in free if each not in chosen]
        for ends in product((False, True), repeat=len(rest)):
            law = list(low)
            for place, end in zip(rest, ends, strict=True):
                law[place] = high[place] if end else low[place]
            for found in _cut(box, law, list(chosen)):
                yield box.laws_of(np.array(found, dtype=box.ends[0].dtype))


def _cut(box: Box, law: list[int], inner: list[int]) -> Iterator[list[list[int]]]:
    """The face on which all but these probabilities are a law's, in whole parts."""
    mass = box.whole - (sum(law) - sum(law[i] for i in inner))
    low, high = ([int(ends[i]) for i in inner] for ends in box.ends)
    if not sum(low) <= mass <= sum(high):
        return
    laws = []
    for vertex in _vertices(low, high, mass):
        each = list(law)
        for place, part in zip(inner, vertex, strict=True):
            each[place] = part
        laws.append(each)
    if len(laws) <= 2:
        yield laws
        return
    for place in range(1, len(laws) - 1):
        yield [laws[0], laws[place], laws[place + 1]]


def _vertices(low: list[int], high: list[int], mass: int) -> list[tuple[int, ...]]:
    """Of {low <= q <= high, sum q = mass} of one to three numbers, in the order around it."""
    n, found = len(low), set[tuple[int, ...]]()
    for place in range(n):
        others = [i for i in range(n) if i != place]
        for ends in product((False, True), repeat=n - 1):
            q = [0] * n
            for i, end in zip(others, ends, strict=True):
                q[i] = high[i] if end else low[i]
            q[place] = mass - sum(q)
            if low[place] <= q[place] <= high[place]:
                found.add(tuple(q))
    return _around(sorted(found))


def _around(points: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Extreme points of a plane convex set, of up to three coordinates with one sum, in order around it."""
    if len(points) < 4:
        return points
    first, last = points[0], points[-1]
    # On one side of the line from the first to the last they rise, on the other they fall.
    turns = {p: (p[0] - first[0]) * (last[1] - first[1]) - (p[1] - first[1]) * (last[0] - first[0]) for p in points}
    return [p for p in points if turns[p] <= 0] + [p for p in points[::-1] if turns[p] > 0]
