"""The largest and the least mean of e^{-|y - S|/b} over all laws of S below a given one in convex order (Result 15.2).

Sums and outputs are whole numbers of steps, and `rate` is step/b.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.laws.law import Array
from dalenius.ratios.pairs.sums import Sum


def largest(law: Sum, outputs: Array, rate: float) -> Array:
    """log of the largest mean at each output (m,): the part of the law above a quantile whose mean is y moves to y, or
    that below one where the law's mean is above y."""
    found = np.empty(len(outputs))
    upper = outputs >= law.high[0]
    found[upper] = _from_below(law, outputs[upper], rate)
    found[~upper] = _from_below(law.mirrored(), -outputs[~upper], rate)
    return np.minimum(found, 0.0)


def _from_below(law: Sum, outputs: Array, rate: float) -> Array:
    atoms = len(law.points)
    sums = np.append(-np.inf, np.logaddexp.accumulate(np.log(law.masses) + rate * law.points))
    # The first atom from which on the mean is at least y; the one before it may be cut.
    first = np.searchsorted(law.high[:atoms], outputs)
    cut = np.maximum(first - 1, 0)
    mean = law.high[np.minimum(first, atoms)]
    missing = np.maximum(law.above[first] * (mean - outputs), 0.0)
    room = outputs - law.points[cut]
    part = np.where((first > 0) & (room > 0), np.minimum(missing / np.where(room > 0, room, 1.0), law.masses[cut]), 0.0)
    left = np.where(first > 0, law.masses[cut] - part, 0.0)
    with np.errstate(divide="ignore"):
        moved, rest = np.log(law.above[first] + part), np.log(left) - rate * room
    return np.asarray(np.logaddexp(np.logaddexp(moved, rest), sums[cut] - rate * outputs))


@final
@dataclass(frozen=True, eq=False)
class Cuts:
    """The law cut in two at quantiles (n,): mass and mean of what lies below and above. At the others the means lie
    strictly between lattice points and atoms are not crossed; between (n - 1,): the atom between two of them."""

    below: Array
    above: Array
    low: Array
    high: Array
    between: Array


def cuts(law: Sum) -> Cuts:
    """At every atom's ends, and wherever one of the two means is a whole number."""
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
    order = np.lexsort((inside, atom))
    return Cuts(below[order], above[order], low[order], high[order], law.points[atom[order[:-1]]])


def _mean(mass: Array, mean: Array, more: Array, point: Array) -> Array:
    total = mass + more
    return np.where(total > 0, mean + (point - mean) * (more / np.where(total > 0, total, 1.0)), point)


def _crossings(law: Sum) -> tuple[Array, Array, Array]:
    """Where the mean of what lies below is whole: the atom, how much of it lies below, and that mean."""
    wanted = np.arange(np.floor(law.points[0]) + 1, np.floor(law.low[-1]) + 1)
    atom = np.minimum(np.searchsorted(law.low, wanted) - 1, len(law.points) - 1)
    room = law.points[atom] - wanted
    inside = law.below[atom] * (wanted - law.low[atom]) / np.where(room > 0, room, 1.0)
    fits = room > 0
    return atom[fits], np.minimum(inside, law.masses[atom])[fits], wanted[fits]


def least(found: Cuts, outputs: Array, rate: float) -> Array:
    """log of the least mean at each output (m,): what lies below some quantile moves to its mean, and what lies above
    to its own, each spread over the two whole numbers next to it."""
    with np.errstate(divide="ignore"):
        rising = np.log(found.below) + _line(np.floor(found.low), found.low, rate)
        falling = np.log(found.above) + _line(np.floor(-found.high), -found.high, rate)
    low = np.floor((found.low[1:] + found.low[:-1]) / 2)
    high = np.floor(-(found.high[1:] + found.high[:-1]) / 2)
    turn = np.maximum.accumulate(_line(low, found.between, rate) - _line(high, -found.between, rate))
    best = np.searchsorted(turn, 2 * rate * outputs)
    near = np.clip(best + np.array([[-1], [0], [1]]), 0, len(rising) - 1)
    means = np.logaddexp(rising[near] - rate * outputs, falling[near] + rate * outputs)
    return np.asarray(means.min(axis=0))


def _line(cell: Array, at: Array, rate: float) -> Array:
    """log of the line through e^{rate·x} at cell and cell + 1, at places not below the cell."""
    apart = np.maximum(at - cell, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(rate * cell + np.logaddexp(0.0, np.log(apart) + rate + np.log(-np.expm1(-rate))))
