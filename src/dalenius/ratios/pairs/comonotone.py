"""The most that Laplace or geometric noise leaks about a record of which only pair laws are known (Theory §15)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array
from dalenius.ratios.pairs.lattice import Grid, grid
from dalenius.ratios.pairs.neighbourhood import Neighbourhood
from dalenius.ratios.pairs.ratios import OnLattice, OnLine, Ratios, Worst
from dalenius.ratios.pairs.sums import Quantiles, Sum, by_width, quantiles

DOUBT: Final = 1e-12
"""Relative, of a probability of a pair law."""
DEEPEST: Final = 600.0
"""Nats that all scores move together from which on masses below the range of doubles may count."""


@final
@dataclass(frozen=True)
class Coupled:
    """upper: in nats, no joint law of the record and its neighbours with those pair laws leaks more about two of its
    values, and lower: one leaks as much, 0 where none is known; secret, against: the places of the two; output: where,
    in the query's unit, the ends standing for ±∞ too."""

    lower: float
    upper: float
    secret: int
    against: int
    output: float


def comonotone_bound(neighbourhood: Neighbourhood, scale: float) -> Coupled:
    """For noise of that scale, in the query's unit, on the sum; falls as the scale grows."""
    found = bound_of(neighbourhood)
    if found is None:
        secret = int(neighbourhood.prior.argmax())
        return Coupled(0.0, 0.0, secret, secret, float(neighbourhood.own[secret]))
    return found.at(scale)


@final
class Bound:
    """The bound at any scale: what does not depend on it is computed once.

    secrets: places of the values, at least two; laws: of the sum given each, in steps of the grid, all scores at the
    same quantile; alone: whether no other law has the same pairs. leading: the same of the record and one neighbour
    only, and by how many steps all others move the sum (Result 15.6). attained: whether some joint law leaks as much.
    """

    def __init__(
        self,
        on: Grid,
        secrets: Sequence[int],
        laws: Sequence[Sum],
        alone: bool,
        leading: tuple[Sequence[Sum], int] | None = None,
        attained: bool = False,
    ) -> None:
        self._grid, self._secrets = on, tuple(secrets)
        self._ratios: Ratios = OnLattice.of(laws, on.width, alone) if on.whole else OnLine(laws)
        self._attained = attained
        self._atoms = max(len(law.points) for law in laws)
        self._rest = 0 if leading is None else leading[1]
        self._leading = None if leading is None else OnLattice.of(leading[0], on.width - leading[1], alone=True)

    @property
    def reach(self) -> float:
        """How far sums may be apart, in the query's unit."""
        return self._grid.step * self._grid.width

    def at(self, scale: float) -> Coupled:
        """At noise of that scale."""
        worst = self._worst(self._grid.step / scale)
        upper = max(worst.ratio, 0.0) + 2 * self._grid.error / scale
        whole = (self.reach + 2 * self._grid.error) / scale * (1 + 8 * UNIT)
        return Coupled(
            max(upper - 2 * self._rounding(scale), 0.0) if self._attained else 0.0,
            min(upper + DOUBT * (2 + whole), whole) if whole < DEEPEST else whole,
            self._secrets[worst.one],
            self._secrets[worst.other],
            self._grid.start + self._grid.step * worst.output,
        )

    def _rounding(self, scale: float) -> float:
        terms = 64 + 64 * self._atoms + 16 * self._grid.width
        return terms * UNIT * (2 + self.reach / scale) + 2 * self._grid.error / scale

    def _worst(self, rate: float) -> Worst:
        found = self._ratios.worst(rate)
        if self._leading is None:
            return found
        other = self._leading.worst(rate)
        ratio = other.ratio + self._rest * rate * (1 + 8 * UNIT)
        return found if found.ratio <= ratio else other._replace(ratio=ratio, output=other.output + self._rest / 2)


def bound_of(neighbourhood: Neighbourhood) -> Bound | None:
    """None of a record with one value."""
    secrets = [int(place) for place in np.flatnonzero(neighbourhood.prior > 0)]
    if len(secrets) < 2:
        return None
    on = grid(neighbourhood)
    laws = [comonotone(neighbourhood, on, secret) for secret in secrets]
    alone = sum(each.times for each in neighbourhood.neighbours) <= 1
    attained = on.whole and (alone or _even(neighbourhood, on))
    return Bound(on, secrets, laws, alone, None if alone else _leading(neighbourhood, on, secrets), attained)


def _even(neighbourhood: Neighbourhood, on: Grid) -> bool:
    """Whether each neighbour has one score, or two that are one step apart: the bound is attained (Result 15.3)."""
    return all(round(float(np.ptp(each.points)) / on.step) <= 1 for each in neighbourhood.neighbours)


def _leading(neighbourhood: Neighbourhood, on: Grid, secrets: Sequence[int]) -> tuple[list[Sum], int] | None:
    """With the neighbour that moves the sum by more than all others together, where there is one."""
    moves = [each.times * float(placed(each.points, on).max()) for each in neighbourhood.neighbours]
    first = int(np.argmax(moves)) if moves else 0
    if not on.whole or not moves or 2 * moves[first] <= sum(moves) or neighbourhood.neighbours[first].times > 1:
        return None
    two = replace(neighbourhood, neighbours=(neighbourhood.neighbours[first],))
    return [comonotone(two, on, secret) for secret in secrets], round(sum(moves) - moves[first])


def comonotone(neighbourhood: Neighbourhood, on: Grid, secret: int) -> Sum:
    """The sum's law given a secret, in steps from the grid's start, all scores at the same quantile."""
    parts = []
    for alike in by_width(neighbourhood.neighbours):
        times = np.array([float(each.times) for each in alike])
        points = np.array([placed(each.points, on) for each in alike])
        parts.append(quantiles(times, points, np.array([each.laws[secret] for each in alike])))
    return Quantiles.together(parts).summed(float(placed(neighbourhood.own, on)[secret]))


def placed(points: Array, on: Grid) -> Array:
    """Steps above the lowest."""
    steps = (points - points.min()) / on.step
    return np.rint(steps) if on.whole else np.asarray(steps)
