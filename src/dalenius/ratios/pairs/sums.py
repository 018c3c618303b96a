"""The sum of a record's and its neighbours' scores when all are at the same quantile (Theory §15)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.ratios.pairs.neighbourhood import Neighbour

HALF: Final = 0.5


@final
@dataclass(frozen=True, eq=False)
class Sum:
    """points (k,), rising, and masses (k,), above 0: relatively accurate in both tails, as are all sums of them here.

    Entry i of an array (k + 1,) is of what lies before atom i, or from it on.
    """

    points: Array
    masses: Array

    @cached_property
    def below(self) -> Array:
        """Mass before each atom (k + 1,)."""
        return np.append(0.0, np.cumsum(self.masses))

    @cached_property
    def above(self) -> Array:
        """Mass from each atom on (k + 1,)."""
        return np.append(np.cumsum(self.masses[::-1])[::-1], 0.0)

    @cached_property
    def low(self) -> Array:
        """Mean of what lies before each atom (k + 1,), first entry the first point."""
        sums = np.cumsum(self.masses * (self.points - self.points[0]))
        return np.asarray(self.points[0] + np.append(0.0, sums / self.below[1:]))

    @cached_property
    def high(self) -> Array:
        """Mean of what lies from each atom on (k + 1,), last entry the last point."""
        sums = np.cumsum((self.masses * (self.points[-1] - self.points))[::-1])[::-1]
        return np.asarray(self.points[-1] - np.append(sums / self.above[:-1], 0.0))

    def mirrored(self) -> "Sum":
        """The law of minus the sum."""
        return Sum(-self.points[::-1], self.masses[::-1])


@final
@dataclass(frozen=True, eq=False)
class Quantiles:
    """Steps of the quantile functions given one secret: jumps (q,) at the quantiles with that mass below and above."""

    below: Array
    above: Array
    jumps: Array

    @classmethod
    def together(cls, parts: Sequence["Quantiles"]) -> "Quantiles":
        """The steps of all."""
        none = np.zeros(0)
        below, above = [none, *(each.below for each in parts)], [none, *(each.above for each in parts)]
        jumps = [none, *(each.jumps for each in parts)]
        return cls(np.concatenate(below), np.concatenate(above), np.concatenate(jumps))

    def summed(self, start: float) -> Sum:
        """The sum that begins at `start`."""
        first = self.below < self.above
        low, high = _sorted(self.below, np.flatnonzero(first)), _sorted(-self.above, np.flatnonzero(~first))
        # From either side of the middle masses are differences of numbers of their own size.
        ends = np.concatenate([[0.0], self.below[low], [HALF]])
        others = np.concatenate([[HALF], self.above[high], [0.0]])
        masses = np.concatenate([np.diff(ends), -np.diff(others)])
        rises = np.concatenate([[0.0], self.jumps[low], [0.0], self.jumps[high]])
        points = start + np.cumsum(rises)
        kept = masses > 0
        points, masses = points[kept], masses[kept]
        begins = np.flatnonzero(np.append(True, np.diff(points) > 0))
        return Sum(points[begins], np.add.reduceat(masses, begins))


def _sorted(keys: Array, places: IntArray) -> IntArray:
    return np.asarray(places[np.argsort(keys[places], kind="stable")])


def quantiles(times: Array, points: Array, laws: Array) -> Quantiles:
    """Of variables with laws (j, v) over points (v,) or (j, v), in any order, so many equal ones of each (j,)."""
    points = np.broadcast_to(points, laws.shape)
    order = np.argsort(points, axis=1, kind="stable")
    points, masses = np.take_along_axis(points, order, axis=1), np.take_along_axis(laws, order, axis=1)
    masses = masses / masses.sum(axis=1, keepdims=True)
    below, above = np.cumsum(masses, axis=1)[:, :-1], np.cumsum(masses[:, ::-1], axis=1)[:, ::-1][:, 1:]
    jumps = times[:, None] * np.diff(points, axis=1)
    # A step before all mass, or after it, is one of the sum's ends.
    return Quantiles(below.ravel(), above.ravel(), jumps.ravel())


def by_width(neighbours: Sequence[Neighbour]) -> list[list[Neighbour]]:
    """Those with equally many scores together."""
    found: dict[int, list[Neighbour]] = {}
    for each in neighbours:
        found.setdefault(len(each.points), []).append(each)
    return list(found.values())
