"""The most that Laplace or geometric noise leaks about a record if only pair laws are known (Theory §15).

Given the secret, the sum of a record and its neighbours lies below the comonotone sum in convex order, whatever their
joint law. Over all laws below a given one the largest and the least mean of e^{-|y - S|/b} are known (Result 15.2), and
so is the largest log-ratio of two secrets' outputs (Result 15.3). Sums and outputs are whole numbers of steps, and
`rate` is step/b.

Take a person and two friends, each like the person with .9 (well) or .8 (ill), and a count with Laplace noise of scale
1. If both friends always turn out at the same quantile, they are ill together with .1 given a well person, with .8
given an ill one. No other joint law of the three with those pairs leaks more:

>>> from dalenius.pairs.neighbourhood_score_sums import Neighbour
>>> friends = Neighbour(2, np.array([0.0, 1.0]), np.array([[0.9, 0.1], [0.2, 0.8]]))
>>> three = Neighbourhood(np.array([0.0, 1.0]), np.array([0.5, 0.5]), (friends,))
>>> f"{comonotone_bound(three, 1.0).upper:.6f} {comonotone_bound(three, 2.0).upper:.6f}"
'2.514736 1.242848'
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.pairs.limits import MOST_GRID_STEPS
from dalenius.pairs.neighbourhood_score_sums import (
    Neighbourhood,
    Quantiles,
    ScoreSum,
    SumLattice,
    by_width,
    quantiles,
    sum_lattice,
)


def largest_log_mean(law: ScoreSum, outputs: Array, rate: float) -> Array:
    """Returns log of the largest mean of e^{-rate·|y - S|} at each output y (m,), over all laws below `law`.

    The part of the law above a quantile whose mean is y moves to y; where the law's mean is above y, the part below
    one.

    Args:
        law: The largest law of the sum in convex order, in steps.
        outputs: The outputs (m,), in steps.
        rate: A step over the noise scale.
    """
    found = np.empty(len(outputs))
    # On the right of the law's mean mass moves up to the output; on the left the same happens in a mirror.
    upper = outputs >= law.high[0]
    found[upper] = _from_below(law, outputs[upper], rate)
    found[~upper] = _from_below(law.mirrored(), -outputs[~upper], rate)
    return np.minimum(found, 0.0)


def _from_below(law: ScoreSum, outputs: Array, rate: float) -> Array:
    """Returns the log for outputs at or above the law's mean: the mass from the quantile whose mean is y moves to y."""
    atoms = len(law.points)
    sums = np.append(-np.inf, np.logaddexp.accumulate(np.log(law.masses) + rate * law.points))
    # The first atom from which on the mean is at least y; the one before it may be cut.
    first = np.searchsorted(law.high[:atoms], outputs)
    cut = np.maximum(first - 1, 0)
    mean = law.high[np.minimum(first, atoms)]
    missing = np.maximum(law.above[first] * (mean - outputs), 0.0)
    # How much of one atom joins what moves, so that the mean is y: none where the atom lies at y already.
    room = outputs - law.points[cut]
    part = np.where((first > 0) & (room > 0), np.minimum(missing / np.where(room > 0, room, 1.0), law.masses[cut]), 0.0)
    left = np.where(first > 0, law.masses[cut] - part, 0.0)
    with np.errstate(divide="ignore"):
        moved, rest = np.log(law.above[first] + part), np.log(left) - rate * room
    return np.asarray(np.logaddexp(np.logaddexp(moved, rest), sums[cut] - rate * outputs))


@final
@dataclass(frozen=True, eq=False)
class _Cuts:
    """A law cut in two at quantiles (n,): the mass and mean of what lies below each and above it.

    Elsewhere the means lie strictly between lattice points and atoms are not crossed. between (n - 1,): the atom
    between two quantiles.
    """

    below: Array
    above: Array
    low: Array
    high: Array
    between: Array


def _cuts(law: ScoreSum) -> _Cuts:
    """Cuts the law at every atom's ends, and wherever one of the two means is a whole number."""
    atoms = len(law.points)
    ends = np.arange(atoms + 1)
    rising = _crossings(law)
    falling = _crossings(law.mirrored())
    mirrored = atoms - 1 - falling[0]
    atom = np.concatenate([np.minimum(ends, atoms - 1), rising[0], mirrored])
    inside = np.concatenate([np.where(ends < atoms, 0.0, law.masses[-1]), rising[1], law.masses[mirrored] - falling[1]])
    rest = np.concatenate(
        [np.where(ends < atoms, law.masses[atom[: atoms + 1]], 0.0), law.masses[rising[0]] - rising[1], falling[1]]
    )
    below, above = law.below[atom] + inside, law.above[atom + 1] + rest
    low = _mean(law.below[atom], law.low[atom], inside, law.points[atom])
    high = _mean(law.above[atom + 1], law.high[atom + 1], rest, law.points[atom])
    low[atoms + 1 : atoms + 1 + len(rising[0])] = rising[2]
    high[atoms + 1 + len(rising[0]) :] = -falling[2]
    # Atom by atom, and within one by how much of it lies below the cut.
    order = np.lexsort((inside, atom))
    return _Cuts(below[order], above[order], low[order], high[order], law.points[atom[order[:-1]]])


def _mean(mass: Array, mean: Array, more: Array, point: Array) -> Array:
    total = mass + more
    return np.where(total > 0, mean + (point - mean) * (more / np.where(total > 0, total, 1.0)), point)


def _crossings(law: ScoreSum) -> tuple[Array, Array, Array]:
    """Finds where the mean of what lies below is whole: the atom, how much of it lies below, and that mean."""
    wanted = np.arange(np.floor(law.points[0]) + 1, np.floor(law.low[-1]) + 1)
    atom = np.minimum(np.searchsorted(law.low, wanted) - 1, len(law.points) - 1)
    room = law.points[atom] - wanted
    inside = law.below[atom] * (wanted - law.low[atom]) / np.where(room > 0, room, 1.0)
    fits = room > 0
    return atom[fits], np.minimum(inside, law.masses[atom])[fits], wanted[fits]


def _least(found: _Cuts, outputs: Array, rate: float) -> Array:
    """Returns log of the least mean at each output (m,).

    What lies below some quantile moves to its mean, and what lies above to its own, each spread over the two whole
    numbers next to it.
    """
    with np.errstate(divide="ignore"):
        rising = np.log(found.below) + _line(np.floor(found.low), found.low, rate)
        falling = np.log(found.above) + _line(np.floor(-found.high), -found.high, rate)
    low = np.floor((found.low[1:] + found.low[:-1]) / 2)
    high = np.floor(-(found.high[1:] + found.high[:-1]) / 2)
    # As the output rises the best cut rises: from which output on each is better than the one before must not fall,
    # as roundings might have it.
    turn = np.maximum.accumulate(_line(low, found.between, rate) - _line(high, -found.between, rate))
    best = np.searchsorted(turn, 2 * rate * outputs)
    # The neighbours too: roundings may have moved the turn by a cut.
    near = np.clip(best + np.array([[-1], [0], [1]]), 0, len(rising) - 1)
    means = np.logaddexp(rising[near] - rate * outputs, falling[near] + rate * outputs)
    return np.asarray(means.min(axis=0))


def _line(cell: Array, at: Array, rate: float) -> Array:
    """Returns log of the line through e^{rate·x} at cell and cell + 1, at places not below the cell."""
    distance = np.maximum(at - cell, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(rate * cell + np.logaddexp(0.0, np.log(distance) + rate + np.log(-np.expm1(-rate))))


class _Worst(NamedTuple):
    """The largest log-ratio up to roundings, in nats, with the places of its two secrets and its output, in steps."""

    ratio: float
    one: int
    other: int
    output: float


def _worst_of(above: Array, below: Array, outputs: Array) -> _Worst:
    """Returns the largest ratio of any two secrets and any output.

    The first is taken of those that are the same to rounding, so that it is the same on every processor.

    Args:
        above: The logs of the largest means (secrets, outputs).
        below: Minus the logs of the least means (secrets, outputs).
        outputs: The outputs, in steps.
    """
    ratios = np.array([(each + below).max(axis=1) for each in above])
    # A secret against itself is no pair.
    np.fill_diagonal(ratios, -np.inf)
    one, other = (int(place) for place in np.unravel_index(first_largest(ratios.ravel()), ratios.shape))
    output = float(outputs[first_largest(above[one] + below[other])])
    return _Worst(float(ratios.max()), one, other, output)


def first_largest(values: Array) -> int:
    """Returns the first place of the largest of the `values`, or of one that is as large to rounding."""
    most = float(values.max())
    # Nats, and relative: what rounding may decide.
    return int(np.argmax(values >= most - 1e-11 * (1 + abs(most)))) if np.isfinite(most) else int(np.argmax(values))


def _mean_falls(law: ScoreSum, outputs: Array, rate: float) -> Array:
    """Returns log of the mean of e^{-rate·|y - S|} at each output (m,)."""
    logs = np.log(law.masses)
    rising = np.append(-np.inf, np.logaddexp.accumulate(logs + rate * law.points))
    falling = np.append(np.logaddexp.accumulate((logs - rate * law.points)[::-1])[::-1], -np.inf)
    place = np.searchsorted(law.points, outputs)
    return np.asarray(np.logaddexp(rising[place] - rate * outputs, falling[place] + rate * outputs))


@final
@dataclass(frozen=True)
class Coupled:
    """The comonotone bound at one scale.

    Attributes:
        lower: What some joint law with those pair laws leaks, in nats; 0 where none is known.
        upper: What none leaks more than, in nats, about two of the record's values.
        secret: The place of one value.
        against: The place of the other.
        output: The output that attains it, in the query's unit.
        far: Whether the output is an end, which stands for ±∞ too, where all that others add cancels.
    """

    lower: float
    upper: float
    secret: int
    against: int
    output: float
    far: bool


def comonotone_bound(neighbourhood: Neighbourhood, scale: float) -> Coupled:
    """Returns the bound on what a record leaks in a noisy sum; it falls as the scale grows.

    Args:
        neighbourhood: The record, and those that it depends on.
        scale: The noise scale, in the query's unit.
    """
    found = comonotone_bound_of(neighbourhood)
    if found is None:
        secret = int(neighbourhood.prior.argmax())
        return Coupled(0.0, 0.0, secret, secret, float(neighbourhood.own[secret]), True)
    return found.at(scale)


@final
class ComonotoneBound:
    """The bound at any scale: what does not depend on the scale is computed once.

    A sum below a law in convex order has a law below the rounded one within half a step of it.

    Args:
        on: The grid of sums.
        secrets: The places of the record's values, at least two.
        laws: The sum's law given each, in steps of the grid, all scores at the same quantile; sums that are no whole
            numbers of steps are rounded.
        only_law: Whether no other law has the same pairs.
        attained: Whether some joint law leaks as much.
    """

    def __init__(
        self, on: SumLattice, secrets: Sequence[int], laws: Sequence[ScoreSum], only_law: bool, attained: bool = False
    ) -> None:
        # Incomes in cents, in millions: more points than a grid may have. The range is cut finely, and half a step on
        # either side is counted.
        if not on.integral:
            on = replace(
                on,
                step=on.step / MOST_GRID_STEPS,
                width=MOST_GRID_STEPS,
                error=on.error + on.step / MOST_GRID_STEPS / 2,
            )
            laws = [ScoreSum.of(np.rint(law.points * MOST_GRID_STEPS), law.masses) for law in laws]
        self._grid, self._secrets, self._laws = on, tuple(secrets), laws
        # With one neighbour the pair's law is the joint law: the means are what they are, and nothing is cut.
        self._parts = None if only_law else [_cuts(law) for law in laws]
        self._attained = attained
        self._atoms = max(len(law.points) for law in laws)

    @property
    def reach(self) -> float:
        """The widest distance of two sums, in the query's unit."""
        return self._grid.step * self._grid.width

    def at(self, scale: float) -> Coupled:
        """Returns the bound at noise of that scale, in the query's unit; both ends are in nats."""
        worst = self._worst(self._grid.step / scale)
        rounding = self._rounding(scale)
        upper = max(worst.ratio, 0.0) + rounding
        moved_at_once = (self.reach + 2 * self._grid.error) / scale * (1 + 8 * UNIT)
        # 1e-12: relative, by which a probability of a pair law may be off. Where all scores together move 600 nats and
        # more, masses below the range of doubles may count: then all moved at once is the bound.
        return Coupled(
            max(worst.ratio - rounding, 0.0) if self._attained else 0.0,
            min(upper + 1e-12 * (2 + moved_at_once), moved_at_once) if moved_at_once < 600.0 else moved_at_once,
            self._secrets[worst.one],
            self._secrets[worst.other],
            self._grid.start + self._grid.step * worst.output,
            worst.output in (0, self._grid.width),
        )

    def _worst(self, rate: float) -> _Worst:
        """Returns the largest ratio of all pairs of secrets; rate: step/b.

        Outputs that decide are whole numbers of steps (Result 3.1).
        """
        outputs = np.arange(self._grid.width + 1.0)
        # The law is known: the two means are one number.
        if self._parts is None:
            above = below = np.array([_mean_falls(law, outputs, rate) for law in self._laws])
        else:
            above = np.array([largest_log_mean(law, outputs, rate) for law in self._laws])
            below = np.array([_least(each, outputs, rate) for each in self._parts])
        return _worst_of(above, -below, outputs)

    def _rounding(self, scale: float) -> float:
        terms = 64 + 64 * self._atoms + 16 * self._grid.width
        return terms * UNIT * (2 + self.reach / scale) + 2 * self._grid.error / scale


def comonotone_bound_of(neighbourhood: Neighbourhood) -> ComonotoneBound | None:
    """Returns the bound of `neighbourhood` at any scale; None for a record with one value."""
    secrets = [int(place) for place in np.flatnonzero(neighbourhood.prior > 0)]
    # A person whose record is certain, as of a register's test entry.
    if len(secrets) < 2:
        return None
    on = sum_lattice(neighbourhood)
    laws = [comonotone(neighbourhood, on, secret) for secret in secrets]
    only_law = sum(each.times for each in neighbourhood.neighbours) <= 1
    # For two scores a step apart some joint law with these pairs leaks as much (Result 15.3).
    attained = on.integral and (only_law or _even(neighbourhood, on))
    return ComonotoneBound(on, secrets, laws, only_law, attained)


def _even(neighbourhood: Neighbourhood, on: SumLattice) -> bool:
    """Says whether each neighbour has one score, or two one step distance apart: it is attained (Result 15.3)."""
    return all(round(float(np.ptp(each.points)) / on.step) <= 1 for each in neighbourhood.neighbours)


def comonotone(neighbourhood: Neighbourhood, on: SumLattice, secret: int) -> ScoreSum:
    """Returns the sum's law given a secret, in steps from the grid's start, with all scores at the same quantile.

    Args:
        neighbourhood: The record, and those that it depends on.
        on: The grid of sums.
        secret: The place of the record's value.
    """
    parts = []
    for alike in by_width(neighbourhood.neighbours):
        times = np.array([float(each.times) for each in alike])
        points = np.array([_placed(each.points, on) for each in alike])
        parts.append(quantiles(times, points, np.array([each.laws[secret] for each in alike])))
    return Quantiles.together(parts).summed(float(_placed(neighbourhood.own, on)[secret]))


def _placed(points: Array, on: SumLattice) -> Array:
    """Returns the points in steps above the lowest."""
    steps = (points - points.min()) / on.step
    return np.rint(steps) if on.integral else np.asarray(steps)
