"""Beliefs of the adversary of DDP §IV about places: whose are known, two priors (Eq 8 and 9), and the likelihood.

A candidate for a person's pattern is a cell: all its places are at the cell's centre. DDP's grid is one of 400 values,
and its prior of 8.38 bits fits in log2(400) = 8.64; patterns with a cell for each place would be 400^6.
"""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Self, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.pairs.friend_distance import PAPER, FriendDistance
from dalenius.places.great_circles import KM_PER_MILE, distances_km
from dalenius.places.grid import Grid

_NUMBERS: Final = 2**22
"""Numbers of a block of distances: 32 MB."""


@final
@dataclass(frozen=True, eq=False)
class City:
    """Everybody's q most visited places, the most visited first (DDP Eq 4).

    A person's own cell, the one to be found, is that of the most visited place.

    Attributes:
        places: Latitude and longitude in degrees (people, q, 2), all inside the grid.
        grid: The grid of candidates.
    """

    places: Array
    grid: Grid

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self.places)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.grid)

    @cached_property
    def points(self) -> Array:
        """The patterns as points of the unit cube (people, 2q): lat1, lon1, lat2, lon2, ..; 1 is a side of the grid."""
        return self.grid.scaled(self.places).reshape(self.people, -1)

    @cached_property
    def candidates(self) -> Array:
        """The cells' centres in the unit square (cells, 2); a candidate has all its q places there."""
        return self.grid.scaled(self.grid.centres)

    @cached_property
    def home(self) -> IntArray:
        """The cell of everybody's most visited place (people,)."""
        return self.grid.cells_of(self.places[:, 0])

    @cached_property
    def occupied(self) -> IntArray:
        """The cells that are somebody's, in ascending order."""
        return np.unique(self.home)

    def to_cells(self, people: IntArray, cells: IntArray) -> Array:
        """Returns the kilometres from the most visited place of each to the centres of the cells (people, cells)."""
        return distances_km(self.places[people, 0], self.grid.centres[cells])

    def errors_km(self, people: IntArray, cells: IntArray) -> Array:
        """Returns the mean distance of each one's places from the centres of the cells (DDP Eq 5) (people, cells)."""
        centres, q = self.grid.centres[cells], self.places.shape[1]
        apart = distances_km(self.places[people].reshape(-1, 2), centres)
        return np.asarray(apart.reshape(len(people), q, -1).mean(axis=1))


@final
@dataclass(frozen=True, eq=False)
class Known:
    """The others whom the adversary knows: of every person the first `count` others in one order.

    Attributes:
        count: How many they are.
        order: All people.
        first: Their places in that order (people,).
    """

    count: int
    order: IntArray
    first: IntArray

    @classmethod
    def of(cls, people: int, count: int | None, seed: int) -> Self:
        """Draws whom the adversary knows.

        Args:
            people: How many people there are.
            count: How many of the others are known, at random; None for all of them.
            seed: The seed of the draw.
        """
        order = np.arange(people)
        if count is not None:
            # Keeps the choice of the known apart from other draws of the same seed.
            order = np.random.default_rng([0x6B6E6F776E, seed]).permutation(people)
        first = np.empty(people, dtype=np.int64)
        first[order] = np.arange(people)
        return cls(people - 1 if count is None else count, order, first)

    def of_each(self, person: IntArray, other: IntArray) -> Array:
        """Returns 1 where the other is known to the adversary who looks for the person, else 0."""
        limit = self.count + (self.first[person] < self.count)
        return np.asarray((self.first[other] < limit) & (person != other), dtype=np.float64)

    def totals(self, sum_of: Callable[[IntArray], Array], own: Array, people: IntArray) -> Array:
        """Returns a sum over the known others of each one of `people` (people, ..).

        Args:
            sum_of: The sum over some people.
            own: What each one of `people` would add themselves (people, ..).
            people: The people that are looked for.
        """
        nearest = sum_of(self.order[: self.count])
        among = self.first[people] < self.count
        if not among.any():
            return np.broadcast_to(nearest, (len(people), *nearest.shape)).copy()
        # Somebody among the first `count` is replaced by the next in the order.
        wider = sum_of(self.order[: self.count + 1])
        return np.where(among.reshape(-1, *(1,) * nearest.ndim), wider - own, nearest)


class Weight(abc.ABC):
    """How much a known friend adds to the weight of a cell, beside 1 (DDP leaves the weight of Eq 9 open)."""

    @abc.abstractmethod
    def of(self, city: City, friends: IntArray, cells: IntArray) -> Array:
        """Returns what each friend adds to each cell (friends, cells); each at least 0.

        Args:
            city: Everybody's places, and the grid.
            friends: The numbers of the friends (friends,).
            cells: The numbers of the cells (cells,).
        """


@final
@dataclass(frozen=True)
class Within(Weight):
    """`gain` for cells whose centre is within `radius` km of the friend: the circles of DDP Fig 4 (b)."""

    radius: float = 3.0
    gain: float = 10.0

    def of(self, city: City, friends: IntArray, cells: IntArray) -> Array:
        return np.where(city.to_cells(friends, cells) <= self.radius, self.gain, 0.0)


@final
@dataclass(frozen=True)
class ByLaw(Weight):
    """The friend-distance law over the cells (DDP Eq 26) relative to a uniform one: a friend adds 1 on average."""

    law: FriendDistance = PAPER

    def of(self, city: City, friends: IntArray, cells: IntArray) -> Array:
        logs = -self.law.c * np.log(city.to_cells(friends, cells) / KM_PER_MILE + self.law.b)
        return np.asarray(np.exp(logs - _log_means(city, self.law)[friends][:, None]))


@lru_cache(maxsize=2)
def _log_means(city: City, law: FriendDistance) -> Array:
    """Returns the log of the mean of (distance + b)^-c over all cells, from everybody's place (people,)."""
    every, block = np.arange(city.cells), max(1, _NUMBERS // city.cells)
    found = []
    for start in range(0, city.people, block):
        people = np.arange(start, min(start + block, city.people))
        logs = -law.c * np.log(city.to_cells(people, every) / KM_PER_MILE + law.b)
        top = logs.max(axis=1, keepdims=True)  # powers of small distances overflow
        found.append(top[:, 0] + np.log(np.exp(logs - top).mean(axis=1)))
    return np.concatenate(found)


@final
@dataclass(frozen=True, eq=False)
class Prior:
    """The prior by where known others are (DDP Eq 8), and by where known friends are too (Eq 9).

    Where `weight` is None: how many of the known others are in each cell. Else: that, times the weight 1 + Σ over the
    known friends of what each adds. Everybody counts in the cell of their most visited place. Where all counts are 0
    the prior is uniform.

    Attributes:
        friends: The friendships (m, 2), each pair once.
        weight: What a friend adds.
        smoothing: Added to every count; 0 is Eq 8, by which a cell where nobody else is known is impossible.
    """

    friends: IntArray | None = None
    weight: Weight | None = None
    smoothing: float = 0.0

    def support(self, city: City, known: Known) -> IntArray:
        """Returns the cells that may have a probability above 0, in ascending order.

        Args:
            city: Everybody's places, and the grid.
            known: The others whom the adversary knows.
        """
        return city.occupied if known.count and not self.smoothing else np.arange(city.cells)

    def counts(self, city: City, known: Known, people: IntArray, cells: IntArray) -> Array:
        """Returns how many known others are in each of the cells (people, cells), smoothing included.

        Args:
            city: Everybody's places, and the grid.
            known: The others whom the adversary knows.
            people: The numbers of the people who are looked for (people,).
            cells: The numbers of the cells (cells,).
        """
        mine = np.asarray(city.home[people][:, None] == cells, dtype=np.float64)

        def counted(whose: IntArray) -> Array:
            return np.bincount(city.home[whose], minlength=city.cells)[cells].astype(np.float64)

        # Whole numbers until here: a cell in which nobody is has none, and not a rounding.
        return known.totals(counted, mine, people) + self.smoothing

    def log_of(self, counts: Array, city: City, known: Known, people: IntArray, cells: IntArray) -> Array:
        """Returns the natural log of the prior (people, cells).

        Args:
            counts: How many known others are in each cell (people, cells).
            city: Everybody's places, and the grid.
            known: The others whom the adversary knows.
            people: The numbers of the people who are looked for (people,).
            cells: The numbers of the cells (cells,).
        """
        weighed = counts if self.weight is None else counts * self._weights(city, known, people, cells)
        total = weighed.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(total > 0, weighed / total, 1 / city.cells)
            return np.asarray(np.log(shares))

    def _weights(self, city: City, known: Known, people: IntArray, cells: IntArray) -> Array:
        assert self.friends is not None
        assert self.weight is not None
        found = np.ones((len(people), len(cells)))
        place, friend = friends_of(self.friends, people, city.people)
        there = known.of_each(people[place], friend) > 0
        place, friend = place[there], friend[there]
        block = max(1, _NUMBERS // len(cells))
        for start in range(0, len(friend), block):
            some = slice(start, start + block)
            whose, which = np.unique(friend[some], return_inverse=True)
            np.add.at(found, place[some], self.weight.of(city, whose, cells)[which])
        return found


def friends_of(pairs: IntArray, people: IntArray, everybody: int) -> tuple[IntArray, IntArray]:
    """Returns the friendships of `people` as rows (place in `people`, friend), in ascending order of both.

    Args:
        pairs: All friendships (m, 2), each once.
        people: The people whose friends are wanted.
        everybody: How many people there are.
    """
    where = np.full(everybody, -1)
    where[people] = np.arange(len(people))
    ends, others = np.concatenate([pairs, pairs[:, ::-1]]).T
    mine = np.flatnonzero(where[ends] >= 0)
    order = np.lexsort((others[mine], where[ends[mine]]))
    return where[ends[mine]][order], others[mine][order]
