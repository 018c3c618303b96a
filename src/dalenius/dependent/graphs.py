"""Graphs of people: who is connected to whom, how many friends everybody has, and how far friends live apart.

The affinity graph of profiles: who is like whom (DDP §VII-B), without ever holding a number for every pair.

An edge where |dᵢᵀdⱼ| / (‖dᵢ‖ ‖dⱼ‖) > threshold. DDP prints ‖·‖₁ at all three: around the numerator it is the absolute
value of a number; in the denominator, with norm=1, a person would be like nobody, not even themselves, unless one
attribute makes up nearly all of a profile: of k equal attributes the quotient is 1/k. So it is read as Euclidean, and
the quotient is the cosine.

Of places at 0, 1 and 10 miles with as many people, a friend by the published law lives at the same with .858, at the
second with .128 and at the third with .014.

>>> miles = np.array([[0.0, 1.0, 10.0]])
>>> FriendDistance.PAPER.law(miles).round(3).tolist()
[[0.858, 0.128, 0.014]]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.dependent.arguments import positive
from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array, IntArray

EdgePairs: TypeAlias = NDArray[Any] | Sequence[tuple[int, int]]
"""Two people a row, 0-based; in either direction, any number of times."""


@final
@dataclass(frozen=True, eq=False)
class Edges:
    """Undirected edges between `people` people, each once: first[e] < second[e], 0-based, in ascending order."""

    people: int
    first: IntArray
    second: IntArray

    def __len__(self) -> int:
        return len(self.first)


@final
@dataclass(frozen=True)
class Dropped:
    """Rows of an edge table that are no edges of their own, each counted once, by the first of these that holds.

    unknown: an end that is none of the people; self_loops: both ends the same; duplicates: an edge that was there
    before, in either direction.
    """

    self_loops: int = 0
    duplicates: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        """How many rows of the table are no edges of their own."""
        return self.self_loops + self.duplicates + self.unknown

    def shown(self) -> dict[str, int]:
        """Ready for JSON."""
        return {"unknown": self.unknown, "self_loops": self.self_loops, "duplicates": self.duplicates}


def clean_edges(people: int, pairs: EdgePairs) -> tuple[Edges, Dropped]:
    """The edges among `people` people, numbered from 0, and what was dropped of the pairs.

    InputError where `pairs` are no rows of two whole numbers or there are no people; TooLarge from 3·10^9 people on.
    """
    if people < 1:
        raise InputError("people", people, "at least one")
    # Pairs of so many people have numbers of their own below 2^63.
    if people > 3_000_000_000:
        raise TooLarge("edges", f"{people:,} people", "split the graph into its connected parts")
    rows = _rows(pairs)
    known = ((rows >= 0) & (rows < people)).all(axis=1)
    first, second = rows[known].min(axis=1, initial=people), rows[known].max(axis=1, initial=-1)
    proper = first < second
    # One number a pair, so that a pair stored both ways is found by sorting numbers.
    distinct = np.unique(first[proper] * people + second[proper])
    edges = Edges(people, distinct // people, distinct % people)
    unknown, loops = int(np.count_nonzero(~known)), int(np.count_nonzero(~proper))
    return edges, Dropped(loops, int(np.count_nonzero(proper)) - len(distinct), unknown)


def _rows(pairs: EdgePairs) -> IntArray:
    """(m, 2) whole numbers."""
    given = np.asarray(pairs) if len(pairs) else np.zeros((0, 2), dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 2:
        raise InputError("edges", f"of shape {given.shape}", "two people a row")
    # A column of whole numbers that a CSV with gaps made floats.
    if given.dtype.kind == "f" and np.array_equal(given, np.rint(given)) and np.abs(given).max() < 2.0**53:
        return given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise InputError("edges", f"cells of type {given.dtype}", "people by their numbers, from 0")
    return given.astype(np.int64, copy=False)


def degrees(edges: Edges) -> IntArray:
    """The number of edges at each person (people,)."""
    found = np.bincount(edges.first, minlength=edges.people) + np.bincount(edges.second, minlength=edges.people)
    return found.astype(np.int64, copy=False)


@final
@dataclass(frozen=True)
class FriendDistance:
    """Pr[D_j = d | D_i = d′] = a (‖d - d′‖ + b)^{-c}, distances in miles; a > 0, b > 0, c >= 0.

    On a grid of values a law has to sum to 1 from every d′, and no single `a` makes it: `law` normalises over the grid,
    so that `a` is not used there (errata E22).
    c = 0: the friend's place does not matter.
    """

    PAPER: ClassVar["FriendDistance"]

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        positive("a", self.a)
        positive("b", self.b)
        if not (isfinite(self.c) and self.c >= 0):
            raise InputError("c", self.c, "a finite number of at least 0")

    def density(self, distances: Array) -> Array:
        """a (distance + b)^{-c} as it is written, not normalised; distances in miles."""
        return np.asarray(self.a * np.exp(-self.c * np.log(_checked(distances) + self.b)))

    def log_law(self, distances: Array, weights: Array | None = None) -> Array:
        """Natural logs of `law`; -inf where a value's weight is 0."""
        logs = -self.c * np.log(_checked(distances) + self.b) + _log_weights(weights)
        logs = logs - logs.max(axis=-1, keepdims=True)
        return np.asarray(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)))

    def law(self, distances: Array, weights: Array | None = None) -> Array:
        """Pr[D_j = v | D_i = s] (s, v) over a value grid, each row normalised; distances (s, v) in miles.

        weights (v,): how many people are at each value. With them it is the law of a friend's place where anybody
        is one with probability a (distance + b)^{-c}, as Backstrom et al. measured it; without, as DDP has it, all
        values count the same.
        """
        found = np.exp(self.log_law(distances, weights))
        return np.asarray(found / found.sum(axis=-1, keepdims=True))


FriendDistance.PAPER = FriendDistance(a=0.0019, b=0.196, c=1.05)

PAPER: Final = FriendDistance.PAPER
"""The constants that DDP §VII-A takes from Backstrom, Sun and Marlow 2010."""


def _checked(distances: Array) -> Array:
    """Distances as doubles. InputError for one below 0, and for NaN."""
    given = np.asarray(distances, dtype=np.float64)
    if not np.all(given >= 0):  # NaN is not
        raise InputError("distances", float(given[~(given >= 0)][0]), "miles of at least 0")
    return given


def _log_weights(weights: Array | None) -> Array:
    """Natural logs of the weights, -inf of 0. InputError for negative or infinite ones, and where all are 0."""
    if weights is None:  # DDP: all values of a grid count the same
        return np.zeros(())
    given = np.asarray(weights, dtype=np.float64)
    if not (np.all(np.isfinite(given)) and np.all(given >= 0) and np.any(given > 0)):
        raise InputError("weights", given.tolist(), "finite numbers of at least 0, not all 0")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(given))


_BLOCK: Final = 2048
"""People a side of a block: 32 MiB of quotients."""
_MOST_EDGES: Final = 50_000_000


@final
@dataclass(frozen=True, eq=False)
class Affinity:
    """The graph of profiles (people, k): nothing is computed before it is asked for, and then block by block.

    without_profile: people whose row has a NaN or is 0 everywhere; they are like nobody. A quotient within rounding of
    the threshold is not above it.
    """

    profiles: Array
    threshold: float
    norm: Literal[1, 2]
    has_profile: NDArray[np.bool_]

    @property
    def people(self) -> int:
        return len(self.profiles)

    @property
    def without_profile(self) -> int:
        return int(np.count_nonzero(~self.has_profile))

    def blocks(self, size: int = _BLOCK) -> Iterator[tuple[IntArray, IntArray]]:
        """The edges, first < second, a block of size² pairs at a time; each once, in no order."""
        whose = np.flatnonzero(self.has_profile)
        given = self.profiles[whose]
        # A quotient is that of its rows times any powers of 2, and squares neither overflow nor vanish.
        rows = np.ldexp(given, -np.frexp(np.abs(given).max(axis=1, initial=1e-300))[1][:, None])
        unit = rows / np.linalg.norm(rows, ord=self.norm, axis=1, keepdims=True)
        # Whole numbers may meet a threshold exactly: (4, 3) and (1, 0) have .8, which is not above it.
        least = self.threshold + (rows.shape[1] + 8) * 2.0**-50
        for top in range(0, len(unit), size):
            for left in range(top, len(unit), size):
                like = np.abs(unit[top : top + size] @ unit[left : left + size].T) > least
                first, second = np.nonzero(np.triu(like, 1) if left == top else like)
                yield whose[first + top], whose[second + left]

    def degrees(self, size: int = _BLOCK) -> IntArray:
        """How many people everybody is like (people,)."""
        found = np.zeros(self.people, dtype=np.int64)
        for ends in self.blocks(size):
            for end in ends:
                found += np.bincount(end, minlength=self.people)
        return found

    def edges(self, most: int = _MOST_EDGES) -> Edges:
        """All edges at once. TooLarge where there are more than `most`: then `degrees` or `blocks` will do."""
        found, total = [np.zeros(0, dtype=np.int64)], 0
        for first, second in self.blocks():
            total += len(first)
            if total > most:  # a city of people who are all alike
                raise TooLarge("an affinity graph", f"more than {most:,} edges", "use its degrees, or its blocks")
            found.append(first * self.people + second)
        pairs = np.sort(np.concatenate(found))
        return Edges(self.people, pairs // self.people, pairs % self.people)


def affinity(profiles: ArrayLike, threshold: float = 0.8, norm: Literal[1, 2] = 2) -> Affinity:
    """The graph of people whose profiles (people, k) have a quotient above the threshold.

    InputError unless profiles are rows of numbers, none infinite, the threshold from 0 to 1 and the norm 1 or 2.
    """
    given = np.asarray(profiles, dtype=np.float64)
    if given.ndim != 2 or not given.size:
        raise InputError("profiles", f"of shape {given.shape}", "a row of attributes for each person")
    infinite = np.flatnonzero(np.isinf(given).any(axis=1))
    # A gap is NaN, and its person is like nobody; infinity is a slip in the making of the table.
    if len(infinite):
        raise InputError(
            f"profiles row {infinite[0] + 1}", "infinite", "finite numbers, or NaN for people without profile"
        )
    if not (isfinite(threshold) and 0 <= threshold < 1):
        raise InputError("threshold", threshold, "a number of at least 0 and below 1")
    if norm not in (1, 2):
        raise InputError("norm", norm, "1 or 2")
    has_profile = ~np.isnan(given).any(axis=1) & (given != 0).any(axis=1)
    return Affinity(given, threshold, norm, has_profile)
