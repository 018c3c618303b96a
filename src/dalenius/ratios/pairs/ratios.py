"""The largest log-ratio of two secrets' outputs over all laws below theirs in convex order (Results 15.2 and 15.3)."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array
from dalenius.ratios.pairs.extremes import Cuts, cuts, largest, least
from dalenius.ratios.pairs.sums import Sum

CELLS: Final = 512
MOST: Final = 60_000
CLOSE: Final = 1e-9
SAME: Final = 1e-11
"""Nats, and relative: what rounding may decide."""


class Worst(NamedTuple):
    """ratio: an upper bound, rounding counted, in nats; one, other: places of the secrets; output: in steps."""

    ratio: float
    one: int
    other: int
    output: float


class Ratios(abc.ABC):
    """By scale of the noise, given as its inverse in steps: rate = step/b."""

    @abc.abstractmethod
    def worst(self, rate: float) -> Worst:
        """The largest of all pairs of secrets."""


@final
@dataclass(frozen=True, eq=False)
class OnLattice(Ratios):
    """Laws of whole numbers 0 .. width: outputs that decide are among these (Result 3.1).

    parts: of each law its cuts; None where each law is the only one there is.
    """

    laws: Sequence[Sum]
    width: int
    parts: Sequence[Cuts] | None

    @classmethod
    def of(cls, laws: Sequence[Sum], width: int, alone: bool) -> "OnLattice":
        """alone: whether each law is the only one there is."""
        return cls(laws, width, None if alone else [cuts(law) for law in laws])

    def worst(self, rate: float) -> Worst:
        outputs = np.arange(self.width + 1.0)
        if self.parts is None:
            above = below = np.array([mean_falls(law, outputs, rate) for law in self.laws])
        else:
            above = np.array([largest(law, outputs, rate) for law in self.laws])
            below = np.array([least(each, outputs, rate) for each in self.parts])
        found = worst_of(above, -below, outputs)
        atoms = max(len(law.points) for law in self.laws)
        rounding = (16 * atoms + 8 * self.width + 64) * UNIT * (2 + rate * self.width)
        return found._replace(ratio=found.ratio + rounding)


@final
@dataclass(frozen=True, eq=False)
class OnLine(Ratios):
    """Laws of any numbers 0 .. 1: from below by Jensen's inequality, and between outputs by the slope 2/b."""

    laws: Sequence[Sum]

    def worst(self, rate: float) -> Worst:
        outputs = np.linspace(0.0, 1.0, CELLS + 1)
        values, found = self._at(outputs, rate)
        while len(outputs) < MOST:
            rise = (values[1:] + values[:-1]) / 2 + rate * np.diff(outputs)
            high = np.flatnonzero(rise > found.ratio * (1 + CLOSE))
            if not len(high):
                break
            middles = (outputs[high] + outputs[high + 1]) / 2
            more, other = self._at(middles, rate)
            found = max(found, other, key=lambda each: each.ratio)
            outputs, values = np.insert(outputs, high + 1, middles), np.insert(values, high + 1, more)
        rise = (values[1:] + values[:-1]) / 2 + rate * np.diff(outputs)
        atoms = max(len(law.points) for law in self.laws)
        return found._replace(ratio=float(rise.max()) + (32 * atoms + 64) * UNIT * (2 + rate))

    def _at(self, outputs: Array, rate: float) -> tuple[Array, Worst]:
        above = np.array([largest(law, outputs, rate) for law in self.laws])
        below = np.array([rate * _distance(law, outputs) for law in self.laws])
        values = np.full(len(outputs), -np.inf)
        for one, each in enumerate(above):
            values = np.maximum(values, (each + np.delete(below, one, axis=0)).max(axis=0))
        return values, worst_of(above, below, outputs)


def worst_of(above: Array, below: Array, outputs: Array) -> Worst:
    """above, below (secrets, outputs): logs of the largest means, and minus those of the least. Of secrets and outputs
    whose ratios are the same to rounding the first, so that it is the same ones on every processor."""
    ratios = np.array([(each + below).max(axis=1) for each in above])
    np.fill_diagonal(ratios, -np.inf)
    one, other = (int(place) for place in np.unravel_index(first_largest(ratios.ravel()), ratios.shape))
    output = float(outputs[first_largest(above[one] + below[other])])
    return Worst(float(ratios.max()), one, other, output)


def first_largest(values: Array) -> int:
    """The first place of the largest, or of one that is as large to rounding."""
    most = float(values.max())
    return int(np.argmax(values >= most - SAME * (1 + abs(most)))) if np.isfinite(most) else int(np.argmax(values))


def mean_falls(law: Sum, outputs: Array, rate: float) -> Array:
    """log of the mean of e^{-rate·|y - S|} at each output (m,)."""
    logs = np.log(law.masses)
    rising = np.append(-np.inf, np.logaddexp.accumulate(logs + rate * law.points))
    falling = np.append(np.logaddexp.accumulate((logs - rate * law.points)[::-1])[::-1], -np.inf)
    place = np.searchsorted(law.points, outputs)
    return np.asarray(np.logaddexp(rising[place] - rate * outputs, falling[place] + rate * outputs))


def _distance(law: Sum, outputs: Array) -> Array:
    """Mean distance of the sum from each output (m,)."""
    place = np.searchsorted(law.points, outputs)
    below, above = law.below[place], law.above[place]
    return np.asarray(below * (outputs - law.low[place]) + above * (law.high[place] - outputs))
