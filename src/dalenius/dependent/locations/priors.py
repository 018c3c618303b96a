"""What the adversary believes of somebody's cell before the release: Eq 8 and Eq 9 of DDP."""

import abc
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal, final

import numpy as np

from dalenius.dependent.graphs import PAPER, Edges, FriendDistance
from dalenius.dependent.graphs.places import KM_PER_MILE
from dalenius.dependent.locations.city import City
from dalenius.dependent.locations.known import Known
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray

FRIENDS: Final = 2048
"""Friendships at a time."""
Counted = Literal["home", "places"]


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

    def __post_init__(self) -> None:
        _check_positive("radius", self.radius)
        _check_positive("gain", self.gain)

    def of(self, kilometres: Array) -> Array:
        return np.where(kilometres <= self.radius, self.gain, 0.0)


@final
@dataclass(frozen=True)
class ByLaw(Weight):
    """`strength` times the friend–distance law over the cells (DDP Eq 26) relative to a uniform one: a friend adds
    `strength` on average."""

    law: FriendDistance = PAPER
    strength: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("strength", self.strength)

    def of(self, kilometres: Array) -> Array:
        miles = np.asarray(kilometres / KM_PER_MILE)
        return np.asarray(self.strength * kilometres.shape[1] * self.law.law(miles))


def _check_positive(key: str, value: float) -> None:
    if not (isfinite(value) and value > 0):
        raise InputError(key, value, "a finite number above 0")


@final
@dataclass(frozen=True, eq=False)
class Prior:
    """Eq 8 where `weight` is None: how many of the known others are in each cell; else Eq 9: that, times the weight
    1 + Σ over the known friends of what each adds.

    counted: by the cell of each other's most visited place, or by those of all their places, 1/q each. smoothing: added
    to every count; 0 is Eq 8, by which a cell nobody else is in is impossible. Where all counts are 0: uniform.
    """

    edges: Edges | None = None
    weight: Weight | None = None
    counted: Counted = "home"
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        if (self.edges is None) != (self.weight is None):
            raise InputError("edges", "missing" if self.edges is None else "given", "friends with a weight, or neither")
        if self.counted not in ("home", "places"):
            raise InputError("counted", self.counted, "home or places")
        if not (isfinite(self.smoothing) and self.smoothing >= 0):
            raise InputError("smoothing", self.smoothing, "a finite number of at least 0")

    def counts(self, city: City, known: Known, people: IntArray) -> Array:
        """Of the known others in each cell, for each one of `people` (people, cells); smoothing included."""
        cells = self._cells(city)
        mine = np.zeros((len(people), city.cells))
        np.add.at(mine, (np.arange(len(people))[:, None], cells[people]), 1.0)

        def counted(whose: IntArray) -> Array:
            return np.bincount(cells[whose].ravel(), minlength=city.cells).astype(np.float64)

        # Whole numbers until here: a cell in which nobody is has none, and not a rounding.
        return np.asarray(known.totals(counted, mine, people) / cells.shape[1] + self.smoothing)

    def log_of(self, counts: Array, city: City, known: Known, people: IntArray) -> Array:
        """log of the prior (people, cells), from their `counts`; natural."""
        weighed = counts if self.weight is None else counts * self._weights(city, known, people)
        total = weighed.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(total > 0, weighed / total, 1 / city.cells)
            return np.asarray(np.log(shares))

    def _cells(self, city: City) -> IntArray:
        if self.counted == "home":
            return city.home[:, None]
        flat = city.places.reshape(-1, 2)
        return city.grid.cell_of(flat[:, 0], flat[:, 1]).reshape(city.people, -1)

    def _weights(self, city: City, known: Known, people: IntArray) -> Array:
        assert self.edges is not None
        assert self.weight is not None
        found = np.ones((len(people), city.cells))
        place, friend = friends_of(self.edges, people)
        there = known.of_each(people[place], friend) > 0
        place, friend = place[there], friend[there]
        for start in range(0, len(friend), FRIENDS):
            some = slice(start, start + FRIENDS)
            whose, which = np.unique(friend[some], return_inverse=True)
            np.add.at(found, place[some], self.weight.of(city.to_cells(whose))[which])
        return found


def friends_of(edges: Edges, people: IntArray) -> tuple[IntArray, IntArray]:
    """Rows (place in `people`, friend), in ascending order of both."""
    where = np.full(edges.people, -1)
    where[people] = np.arange(len(people))
    ends = np.concatenate([edges.first, edges.second])
    others = np.concatenate([edges.second, edges.first])
    mine = np.flatnonzero(where[ends] >= 0)
    order = np.lexsort((others[mine], where[ends[mine]]))
    return where[ends[mine]][order], others[mine][order]
