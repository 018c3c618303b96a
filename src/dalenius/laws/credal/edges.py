"""What is largest on the edges of a credal set: the worst law of one group is on one of them (Result 21.20)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.laws.credal.box import Box
from dalenius.laws.law import Array, IntArray

MOST_VERTICES: Final = 4000
MOST_EDGES: Final = 100_000
OFF: Final = 32 * UNIT
"""Relative: what rounding may have changed in a coefficient."""


@final
@dataclass(frozen=True)
class Given:
    """Pr[y | s] at the ends of edges: seen (.., edges, 2) over chance (edges, 2), both linear along an edge. At an end
    where s is impossible it has the other end's quotient, its limit; where at both, no value (`possible`)."""

    seen: Array
    chance: Array
    possible: NDArray[np.bool_]

    @classmethod
    def of(cls, seen: Array, chance: Array) -> "Given":
        here = chance > 0
        source = np.where(here, [[0, 1]], [[1, 0]])
        rows = np.arange(len(chance))[:, None]
        return cls(seen[..., rows, source], chance[rows, source], np.asarray(here.any(axis=1)))


@final
class Edges:
    """first, second (edges,): the places of their ends among the extreme laws `vertices` (v, m); a point set is one
    edge without length. TooLarge where there are too many."""

    def __init__(self, box: Box) -> None:
        self.vertices: Array = box.vertices()
        laws, (low, high) = box.corners, box.ends
        if len(laws) == 1:
            self.first: IntArray = np.zeros(1, dtype=np.int64)
            self.second = self.first
            return
        if len(laws) > MOST_VERTICES:
            raise TooLarge("the edges of a set of laws", f"{len(laws):,} extreme laws", "state fewer intervals")
        # Along an edge two probabilities change, and all others are at ends of their intervals.
        inside = np.asarray((laws > low) & (laws < high), dtype=bool)
        later = [_beside(laws, place, inside) for place in range(len(laws))]
        self.first = np.repeat(np.arange(len(laws)), [len(each) for each in later])
        self.second = np.concatenate(later)
        if len(self.first) > MOST_EDGES:
            raise TooLarge("the edges of a set of laws", f"{len(self.first):,} edges", "state fewer intervals")

    def __len__(self) -> int:
        return len(self.first)

    def given(self, seen: Array, chance: Array) -> Given:
        """Of seen (.., v) and chance (v,) at the vertices."""
        ends = np.stack([self.first, self.second], axis=1)
        return Given.of(seen[..., ends], chance[ends])

    def law(self, edge: int, share: float) -> Array:
        """That share of the way from the first end to the second (m,)."""
        return np.asarray((1 - share) * self.vertices[self.first[edge]] + share * self.vertices[self.second[edge]])


def _beside(laws: NDArray[Any], place: int, inside: NDArray[np.bool_]) -> IntArray:
    """The later of the extreme laws to which an edge leads from that one."""
    moved = np.asarray(laws[place + 1 :] != laws[place], dtype=bool)
    fixed = (inside[place] | inside[place + 1 :]) & ~moved
    return place + 1 + np.flatnonzero((np.count_nonzero(moved, axis=1) == 2) & ~fixed.any(axis=1))


@final
@dataclass(frozen=True)
class RatioOnEdges:
    """Pr[y | s] / Pr[y | s'] (.., edges): as a function of odds t >= 0 along the edge it is a quotient of two
    quadratics without negative coefficients, more and less (.., edges, 3)."""

    more: Array
    less: Array

    @classmethod
    def of(cls, own: Given, other: Given) -> "RatioOnEdges":
        both = (own.possible & other.possible)[:, None]
        more, less = (_product(one.seen, two.chance) for one, two in ((own, other), (other, own)))
        return cls(np.where(both, more, 0.0), np.where(both, less, 0.0))

    @cached_property
    def best(self) -> tuple[Array, Array]:
        """The largest on each edge (.., edges), rounded, and the share of the way at which it is; 0 where nothing can
        be seen."""
        a, b = self.more, self.less
        constant = a[..., 1] * b[..., 0] - a[..., 0] * b[..., 1]
        linear = 2 * (a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2])
        square = a[..., 2] * b[..., 1] - a[..., 1] * b[..., 2]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            root = np.sqrt(np.maximum(linear**2 - 4 * square * constant, 0.0))
            half = -(linear + np.copysign(root, linear)) / 2
            odds = np.nan_to_num(np.stack([np.zeros_like(root), half / square, constant / half]), nan=0.0, posinf=0.0)
        shares = np.concatenate([_share(np.maximum(odds, 0.0)), np.ones((1, *root.shape))])
        values = np.stack([self.at(share) for share in shares])
        place = np.argmax(values, axis=0)[None]
        return np.take_along_axis(values, place, axis=0)[0], np.take_along_axis(shares, place, axis=0)[0]

    def at(self, share: Array) -> Array:
        """At that share of the way (.., edges)."""
        powers = (1 - share) ** 2, share * (1 - share), share**2
        more, less = (sum(each[..., k] * powers[k] for k in range(3)) for each in (self.more, self.less))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(more > 0, more / less, 0.0)

    def below(self, level: float) -> bool:
        """Whether it certainly exceeds the level nowhere."""
        upper = self.more - level * self.less
        upper += OFF * (self.more + level * self.less)
        first, middle, last = (upper[..., k] for k in range(3))
        crossed = (middle > 0) & (middle * middle > 4 * first * last * (1 - OFF))
        # A common factor t, or none: with an end at which both vanish the other two coefficients decide.
        return bool((first <= 0).all() and (last <= 0).all() and not crossed.any())


def _product(one: Array, other: Array) -> Array:
    """((1-λ)a + λb)((1-λ)c + λd) as coefficients of (1-λ)², λ(1-λ), λ²."""
    low, high = one[..., 0], one[..., 1]
    return np.stack([low * other[:, 0], low * other[:, 1] + high * other[:, 0], high * other[:, 1]], axis=-1)


def _share(odds: Array) -> Array:
    return np.asarray(odds / (1 + odds))


def largest_excess(own: Given, other: Given, factor: float) -> tuple[Array, Array]:
    """Of Pr[y | s] - factor·Pr[y | s'] on each edge (.., edges), and the share of the way at which it is; -inf where a
    secret is impossible."""
    chances = own.chance, other.chance
    slopes = [(each.seen[..., 1] * each.chance[:, 0] - each.seen[..., 0] * each.chance[:, 1]) for each in (own, other)]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        apart = np.sqrt(np.maximum(factor * slopes[1] / slopes[0], 0.0))
        first = apart * chances[0][:, 0] - chances[1][:, 0]
        last = apart * chances[0][:, 1] - chances[1][:, 1]
        inside = np.nan_to_num(first / (first - last), nan=0.0, posinf=0.0, neginf=0.0)
    shares = np.stack([np.zeros_like(inside), np.clip(inside, 0.0, 1.0), np.ones_like(inside)])
    values = np.stack([_at(own, share) - factor * _at(other, share) for share in shares])
    place = np.argmax(values, axis=0)[None]
    best = np.take_along_axis(values, place, axis=0)[0]
    return np.where(own.possible & other.possible, best, -np.inf), np.take_along_axis(shares, place, axis=0)[0]


def _at(given: Given, share: Array) -> Array:
    parts = [(1 - share) * each[..., 0] + share * each[..., 1] for each in (given.seen, given.chance)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(parts[0] / parts[1])
