"""One record and those it depends on, known by the law of each given it: a neighbourhood without a joint law.

The file also has the coarsest lattice on which all sums of a neighbourhood's scores lie, and their sum when all are at
the same quantile (Theory §15).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.pairs.limits import MOST_SUM_STEPS


@final
@dataclass(frozen=True, eq=False)
class Neighbour:
    """Records that one record depends on, all alike.

    Attributes:
        times: How many there are.
        points: Their scores (v,), in the query's unit, in any order.
        laws: Pr[score = points | X_i = s] (s, v), the s values of the record as in its neighbourhood.
    """

    times: int
    points: Array
    laws: Array


@final
@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """One record and those that it depends on; it is independent of the vector of all other records.

    Attributes:
        own: What the record itself adds at each of its values (s,), in the query's unit.
        prior: The probability of each value (s,); one of probability 0 is no value.
        neighbours: The records that it depends on.
    """

    own: Array
    prior: Array
    neighbours: tuple[Neighbour, ...]


@final
@dataclass(frozen=True)
class SumLattice:
    """The lattice of sums: start + step · (0 .. width), up to `error`, all but the width in the query's unit.

    integral: whether sums are whole numbers of steps; else they are any numbers of them.
    """

    start: float
    step: float
    width: int
    error: float
    integral: bool = True


def sum_lattice(neighbourhood: Neighbourhood) -> SumLattice:
    """Returns the lattice of all sums of a `neighbourhood`'s scores, in the query's unit.

    It is not integral if sums lie on no lattice of at most 200,000 points.
    """
    parts = [(neighbourhood.own, 1), *((each.points, each.times) for each in neighbourhood.neighbours)]
    rises = [(points - points.min(), times) for points, times in parts]
    start = float(sum(times * points.min() for points, times in parts))
    gaps = np.unique(np.concatenate([rise for rise, _ in rises]))
    gaps = gaps[gaps > 0]
    # No record of the neighbourhood moves the answer.
    if not len(gaps):
        return SumLattice(start, 1.0, 0, 0.0)
    step = _common(gaps)
    places = [(np.rint(rise / step), rise, times) for rise, times in rises]
    width = sum(times * float(place.max()) for place, _, times in places)
    error = sum(times * float(np.abs(place * step - rise).max()) for place, rise, times in places)
    # Counts, and whole euros; beyond it are incomes in cents, whose sums are bounded on a grid of `comonotone`.
    if width <= MOST_SUM_STEPS:
        return SumLattice(start, step, round(width), error)
    furthest = sum(times * float(rise.max()) for rise, times in rises)
    return SumLattice(start, furthest, 1, 0.0, integral=False)


def _common(gaps: Array) -> float:
    """Returns the common step of the gaps by Euclid's algorithm, up to a ten-millionth of the first gap."""
    least = float(gaps[0])
    step = least
    for gap in gaps:
        big, small = float(gap), step
        # 0.1 and 0.3 in doubles have no common step: what is left over by less than a ten-millionth is taken for none.
        # The error is counted.
        while small > 1e-7 * least:
            big, small = small, abs(big - round(big / small) * small)
        step = big
    # The multiple that is largest determines it best.
    return float(gaps[-1]) / round(float(gaps[-1]) / step)


_HALF: Final = 0.5


@final
@dataclass(frozen=True, eq=False)
class ScoreSum:
    """A law of a sum, relatively accurate in both tails, as are all sums of masses here.

    Entry i of an array (k + 1,) is about what lies before atom i, or from it on. A probability of 1e-200 in the upper
    tail counts there, as it decides the likelihood of outputs far out.

    Attributes:
        points: The atoms (k,), rising.
        masses: Their masses (k,), above 0.
    """

    points: Array
    masses: Array

    @classmethod
    def of(cls, points: Array, masses: Array) -> "ScoreSum":
        """Returns the law of `points` that do not fall, with their `masses`; equal neighbours become one atom."""
        begins = np.flatnonzero(np.append(True, np.diff(points) > 0))
        return cls(points[begins], np.add.reduceat(masses, begins))

    @cached_property
    def below(self) -> Array:
        """The mass before each atom (k + 1,)."""
        return np.append(0.0, np.cumsum(self.masses))

    @cached_property
    def above(self) -> Array:
        """The mass from each atom on (k + 1,)."""
        return np.append(np.cumsum(self.masses[::-1])[::-1], 0.0)

    @cached_property
    def low(self) -> Array:
        """The mean of what lies before each atom (k + 1,); the first entry is the first point."""
        sums = np.cumsum(self.masses * (self.points - self.points[0]))
        return np.asarray(self.points[0] + np.append(0.0, sums / self.below[1:]))

    @cached_property
    def high(self) -> Array:
        """The mean of what lies from each atom on (k + 1,); the last entry is the last point."""
        sums = np.cumsum((self.masses * (self.points[-1] - self.points))[::-1])[::-1]
        return np.asarray(self.points[-1] - np.append(sums / self.above[:-1], 0.0))

    def mirrored(self) -> "ScoreSum":
        """Returns the law of minus the sum."""
        return ScoreSum(-self.points[::-1], self.masses[::-1])


@final
@dataclass(frozen=True, eq=False)
class Quantiles:
    """Steps of the quantile functions given one secret: jumps (q,) at the quantiles with that mass below and above.

    Take two variables that are 1 with .1 and with .3, both 1 where the quantile is high enough. Their sum is 2 with .1,
    1 with .2, else 0.

    >>> steps = quantiles(np.array([1.0, 1.0]), np.array([0.0, 1.0]), np.array([[0.9, 0.1], [0.7, 0.3]]))
    >>> both = steps.summed(0.0)
    >>> both.points.tolist(), both.masses.round(6).tolist()
    ([0.0, 1.0, 2.0], [0.7, 0.2, 0.1])
    """

    below: Array
    above: Array
    jumps: Array

    @classmethod
    def together(cls, parts: Sequence["Quantiles"]) -> "Quantiles":
        """Returns the steps of all `parts`."""
        none = np.zeros(0)
        below, above = [none, *(each.below for each in parts)], [none, *(each.above for each in parts)]
        jumps = [none, *(each.jumps for each in parts)]
        return cls(np.concatenate(below), np.concatenate(above), np.concatenate(jumps))

    def summed(self, start: float) -> ScoreSum:
        """Returns the law of the sum that begins at `start`."""
        # Steps below the median by the mass below them, the others by the mass above: each to its own digits.
        first = self.below < self.above
        low, high = _sorted(self.below, np.flatnonzero(first)), _sorted(-self.above, np.flatnonzero(~first))
        # From either side of the middle masses are differences of numbers of their own size.
        ends = np.concatenate([[0.0], self.below[low], [_HALF]])
        others = np.concatenate([[_HALF], self.above[high], [0.0]])
        masses = np.concatenate([np.diff(ends), -np.diff(others)])
        rises = np.concatenate([[0.0], self.jumps[low], [0.0], self.jumps[high]])
        points = start + np.cumsum(rises)
        kept = masses > 0
        points, masses = points[kept], masses[kept]
        return ScoreSum.of(points, masses)


def _sorted(keys: Array, places: IntArray) -> IntArray:
    return np.asarray(places[np.argsort(keys[places], kind="stable")])


def quantiles(times: Array, points: Array, laws: Array) -> Quantiles:
    """Returns the quantile steps of variables that are all at the same quantile.

    Args:
        times: How many equal variables there are of each (j,).
        points: Their values (v,) or (j, v), in any order.
        laws: Their laws over the points (j, v).
    """
    points = np.broadcast_to(points, laws.shape)
    order = np.argsort(points, axis=1, kind="stable")
    points, masses = np.take_along_axis(points, order, axis=1), np.take_along_axis(laws, order, axis=1)
    masses = masses / masses.sum(axis=1, keepdims=True)
    below, above = np.cumsum(masses, axis=1)[:, :-1], np.cumsum(masses[:, ::-1], axis=1)[:, ::-1][:, 1:]
    jumps = times[:, None] * np.diff(points, axis=1)
    # A step before all mass, or after it, is one of the sum's ends.
    return Quantiles(below.ravel(), above.ravel(), jumps.ravel())


def by_width(neighbours: Sequence[Neighbour]) -> list[list[Neighbour]]:
    """Groups the `neighbours` with equally many scores."""
    found: dict[int, list[Neighbour]] = {}
    for each in neighbours:
        found.setdefault(len(each.points), []).append(each)
    return list(found.values())
