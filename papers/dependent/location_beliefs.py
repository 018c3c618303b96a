"""What the adversary of DDP §IV believes: whose patterns are known, the priors of Eq 8 and Eq 9, and what released
centroids say of somebody's cell (Eq 6)."""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.pairs.friend_distance import PAPER, FriendDistance
from papers.dependent.places import KM_PER_MILE, Grid, distance_km
from papers.numbers import Array, IntArray


@final
@dataclass(frozen=True, eq=False)
class City:
    """Everybody's q most visited places, the most visited first (DDP Eq 4).

    places: degrees, (people, q, 2), latitude before longitude, all inside the grid.

    A candidate for somebody's pattern is a cell: all q places at its centre. DDP's grid is one of 400 values, and its
    prior of 8.38 bits fits in log2(400) = 8.64; patterns with a cell for each place would be 400^6. A person's own
    cell, the one to be found, is that of the most visited place.
    """

    places: Array
    grid: Grid

    @property
    def people(self) -> int:
        return len(self.places)

    @property
    def cells(self) -> int:
        return len(self.grid)

    @cached_property
    def points(self) -> Array:
        """The patterns as points of the unit cube (people, 2q): lat1, lon1, lat2, lon2, ..; 1 is a side of the grid."""
        return self._scaled(self.places).reshape(self.people, -1)

    @cached_property
    def candidates(self) -> Array:
        """The cells as such points (cells, 2q)."""
        centre = self._scaled(np.stack(self.grid.centres(), axis=-1))
        return np.tile(centre, (1, self.places.shape[1]))

    @cached_property
    def home(self) -> IntArray:
        """The cell of everybody's most visited place (people,)."""
        return self.grid.cell_of(self.places[:, 0, 0], self.places[:, 0, 1])

    def to_cells(self, people: IntArray) -> Array:
        """Kilometres from the most visited place of each to the centres of the cells (people, cells)."""
        lat, lon = self.grid.centres()
        return distance_km(self.places[people, :1, 0], self.places[people, :1, 1], lat, lon)

    def errors_km(self, people: IntArray) -> Array:
        """Mean distance of each one's places from the centre of every cell (DDP Eq 5), in km (people, cells)."""
        lat, lon = self.grid.centres()
        total = np.zeros((len(people), self.cells))
        for place in np.moveaxis(self.places[people], 1, 0):
            total += distance_km(place[:, :1], place[:, 1:], lat, lon)
        return np.asarray(total / self.places.shape[1])

    def _scaled(self, positions: Array) -> Array:
        low = np.array([self.grid.south, self.grid.west])
        return np.asarray((positions - low) / (np.array([self.grid.north, self.grid.east]) - low))


@final
@dataclass(frozen=True, eq=False)
class Known:
    """Of every person, the first `count` others in one order: known of each is the same number.

    order: all people; first: their places in it (people,).
    """

    count: int
    order: IntArray
    first: IntArray

    @classmethod
    def of(cls, people: int, count: int | None, seed: int) -> "Known":
        """count: None for all others; else so many, at random."""
        order = np.arange(people)
        if count is not None:
            # Keeps the choice of the known apart from other draws of the same seed.
            order = np.random.default_rng([0x6B6E6F776E, seed]).permutation(people)
        first = np.empty(people, dtype=np.int64)
        first[order] = np.arange(people)
        return cls(people - 1 if count is None else count, order, first)

    def of_each(self, person: IntArray, other: IntArray) -> Array:
        """Whether the other is known to whoever is after the person, as 0 or 1."""
        limit = self.count + (self.first[person] < self.count)
        return np.asarray((self.first[other] < limit) & (person != other), dtype=np.float64)

    def totals(self, sum_of: Callable[[IntArray], Array], own: Array, people: IntArray) -> Array:
        """A sum over the known others of each one of `people` (people, ..).

        sum_of: the sum over some people; own: what each one of `people` would add themselves (people, ..).
        """
        nearest = sum_of(self.order[: self.count])
        among = self.first[people] < self.count
        if not among.any():
            return np.broadcast_to(nearest, (len(people), *nearest.shape)).copy()
        # Who is among the first `count` is replaced by the next in the order.
        wider = sum_of(self.order[: self.count + 1])
        return np.where(among.reshape(-1, *(1,) * nearest.ndim), wider - own, nearest)


FRIENDS: Final = 2048
"""Friendships at a time."""


class Weight(abc.ABC):
    """How much a known friend adds to the weight of a cell, beside 1 (DDP leaves the weight of Eq 9 open)."""

    @abc.abstractmethod
    def of(self, kilometres: Array) -> Array:
        """By the distances of friends from the centres of all cells (friends, cells); each at least 0."""


@final
@dataclass(frozen=True)
class Within(Weight):
    """`gain` for cells whose centre is within `radius` km of the friend: the circles of DDP Fig 4 (b)."""

    radius: float = 3.0
    gain: float = 10.0

    def of(self, kilometres: Array) -> Array:
        return np.where(kilometres <= self.radius, self.gain, 0.0)


@final
@dataclass(frozen=True)
class ByLaw(Weight):
    """The friend–distance law over the cells (DDP Eq 26) relative to a uniform one: a friend adds 1 on average."""

    law: FriendDistance = PAPER

    def of(self, kilometres: Array) -> Array:
        miles = np.asarray(kilometres / KM_PER_MILE)
        return np.asarray(kilometres.shape[1] * self.law.law(miles))


@final
@dataclass(frozen=True, eq=False)
class Prior:
    """Eq 8 where `weight` is None: how many of the known others are in each cell; else Eq 9: that, times the weight
    1 + Σ over the known friends of what each adds.

    friends: (m, 2), each pair once. Everybody counts in the cell of their most visited place. smoothing: added to every
    count; 0 is Eq 8, by which a cell nobody else is in is impossible. Where all counts are 0: uniform.
    """

    friends: IntArray | None = None
    weight: Weight | None = None
    smoothing: float = 0.0

    def counts(self, city: City, known: Known, people: IntArray) -> Array:
        """Of the known others in each cell, for each one of `people` (people, cells); smoothing included."""
        mine = np.zeros((len(people), city.cells))
        mine[np.arange(len(people)), city.home[people]] = 1.0

        def counted(whose: IntArray) -> Array:
            return np.bincount(city.home[whose], minlength=city.cells).astype(np.float64)

        # Whole numbers until here: a cell in which nobody is has none, and not a rounding.
        return known.totals(counted, mine, people) + self.smoothing

    def log_of(self, counts: Array, city: City, known: Known, people: IntArray) -> Array:
        """log of the prior (people, cells), from their `counts`; natural."""
        weighed = counts if self.weight is None else counts * self._weights(city, known, people)
        total = weighed.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(total > 0, weighed / total, 1 / city.cells)
            return np.asarray(np.log(shares))

    def _weights(self, city: City, known: Known, people: IntArray) -> Array:
        assert self.friends is not None
        assert self.weight is not None
        found = np.ones((len(people), city.cells))
        place, friend = friends_of(self.friends, people, city.people)
        there = known.of_each(people[place], friend) > 0
        place, friend = place[there], friend[there]
        for start in range(0, len(friend), FRIENDS):
            some = slice(start, start + FRIENDS)
            whose, which = np.unique(friend[some], return_inverse=True)
            np.add.at(found, place[some], self.weight.of(city.to_cells(whose))[which])
        return found


def friends_of(pairs: IntArray, people: IntArray, everybody: int) -> tuple[IntArray, IntArray]:
    """Rows (place in `people`, friend), in ascending order of both. everybody: how many people there are."""
    where = np.full(everybody, -1)
    where[people] = np.arange(len(people))
    ends, others = np.concatenate([pairs, pairs[:, ::-1]]).T
    mine = np.flatnonzero(where[ends] >= 0)
    order = np.lexsort((others[mine], where[ends[mine]]))
    return where[ends[mine]][order], others[mine][order]


@final
@dataclass(frozen=True, eq=False)
class NoisyCentroids:
    """centroids: as released (k, 2q), in the unit cube's coordinates but for the noise. labels: the cluster of
    everybody (people,), from 0. scale: of the Laplace noise of every coordinate, one number or as many as coordinates,
    in the same unit; infinite where the output says nothing.

    The candidate's centroids μ̂(d̂) are one step of Lloyd's from the clustering at hand: the known others stay in
    their clusters, and d̂ joins the one whose mean of the known others is nearest. A full run might move others too, and
    the adversary does not quite know the labels, which are those with the person's own record. A cluster with no known
    others is taken to be where it was released. What the unknown others do to the centroids is not in the likelihood,
    as in DDP.
    """

    centroids: Array
    labels: IntArray
    scale: Array | float

    def log_likelihood(self, city: City, known: Known, people: IntArray) -> Array:
        """-Σ |μ̃ - μ̂(d̂)| / scale (people, cells), but for a constant of each person."""
        sums, sizes, means = self._of_others(city, known, people)
        scale = np.broadcast_to(np.asarray(self.scale, dtype=np.float64), self.centroids.shape)
        distances = (np.abs(self.centroids - means) / scale).sum(axis=2)
        joined = _nearest(city.candidates, means)
        own = np.arange(len(people))[:, None]
        moved = (sums[own, joined] + city.candidates) / (sizes[own, joined] + 1)[..., None]
        after = (np.abs(self.centroids[joined] - moved) / scale[joined]).sum(axis=2)
        return np.asarray(distances[own, joined] - after)

    def _of_others(self, city: City, known: Known, people: IntArray) -> tuple[Array, Array, Array]:
        """Sums (people, k, 2q), sizes (people, k) and means of the known others' clusters."""
        k, width = self.centroids.shape

        def summed(whose: IntArray) -> Array:
            total = np.zeros((k, width + 1))
            np.add.at(total, self.labels[whose], np.column_stack([city.points[whose], np.ones(len(whose))]))
            return total

        own = np.zeros((len(people), k, width + 1))
        own[np.arange(len(people)), self.labels[people], :width] = city.points[people]
        own[np.arange(len(people)), self.labels[people], width] = 1.0
        found = known.totals(summed, own, people)
        sums, sizes = found[..., :width], found[..., width]
        some = sizes[..., None] > 0
        means = np.where(some, sums / np.maximum(sizes, 1.0)[..., None], self.centroids)
        return np.where(some, sums, 0.0), sizes, means


def _nearest(points: Array, means: Array) -> IntArray:
    """The first of the nearest means (people, k, 2q) of every point (points, 2q): (people, points)."""
    # Not by BLAS, whose rounding depends on the block: equal runs are to be equal bit for bit.
    squares = np.einsum("ukd,ukd->uk", means, means)
    products = np.einsum("cd,ukd->uck", points, means)
    distances = squares[:, None, :] - 2 * products
    # Squared distances that differ by less count as equal: the first cluster is joined.
    return np.asarray(np.argmax(distances <= distances.min(axis=2, keepdims=True) + 1e-12, axis=2))
