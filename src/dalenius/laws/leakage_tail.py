"""The law of an output's loss: its tail, quantiles and mean, as enclosures.

They hold also where part of the outputs' probability is left out. Running sums of probabilities are kept as logs, to
full relative accuracy however small they are.
"""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, inf, log, nextafter
from sys import float_info
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import log_sum

_SECTIONS: Final = 17
_AT_ONCE: Final = 1 << 16
# So that memory is bounded, _AT_ONCE parts are cut together; and _SECTIONS levels are tried at once.
_SHARP: Final = 1e-12
"""Width, relative to 1 + the value, at which a quantile is narrow enough."""
WIDENED = 1e-13
"""Nats by which the part left out may move the likelihoods of an output that is not counted as unknown."""


def running_log_sums(logs: Array) -> Array:
    """Returns the logs of the sums of the first one, two, .. of e^logs, to a relative `_sum_error` of their number.

    Where the largest so far has grown by e^500 a new stretch begins, with a scale of its own: an underflow there is
    no e^-700 of the sum.

    Three outputs of probability e^-800 each, which as a double is 0:

    >>> running_log_sums(np.full(3, -800.0)).round(4).tolist()
    [-800.0, -799.3069, -798.9014]
    """
    if not len(logs):
        return logs
    highest = np.maximum.accumulate(logs)
    first = int(np.argmax(highest > -np.inf))
    if highest[-1] == -np.inf:
        return np.asarray(highest)
    stretch = np.floor((highest[first:] - highest[first]) / 500.0)
    starts = first + np.concatenate([[0], np.flatnonzero(np.diff(stretch)) + 1])
    found, before = np.full(len(logs), -np.inf), -np.inf
    for start, stop in zip(starts, [*starts[1:], len(logs)], strict=True):
        level = highest[start]
        sums = np.cumsum(np.exp(logs[start:stop] - level)) + np.exp(before - level)
        found[start:stop] = level + np.log(sums)
        before = found[stop - 1]
    return found


def _sum_error(count: int, deepest: float) -> float:
    """Returns how far, in nats, the log of a running sum of so many terms may be off."""
    return (2 * count + 16 + 4 * min(abs(deepest), 1e12)) * UNIT


class Tail(abc.ABC):
    """The tail Pr[ℓ(Y) > ε] of a pointwise loss ℓ, Y distributed as the mixture over the prior.

    Probabilities are in logs: they may be far below the least double, and -inf is impossible.
    """

    @property
    @abc.abstractmethod
    def most(self) -> float:
        """An upper bound of the loss at all outputs, in nats."""

    @abc.abstractmethod
    def log_above(self, levels: Array) -> tuple[Array, Array]:
        """Returns lower and upper bounds of log Pr[ℓ > level], in the order of `levels` (nats)."""

    @abc.abstractmethod
    def mean(self) -> Enclosure:
        """Encloses E[ℓ(Y)]."""

    def log_chance(self, level: float) -> Enclosure:
        """Encloses log Pr[ℓ > level] for a `level` in nats."""
        lower, upper = self.log_above(np.array([level]))
        return Enclosure(float(lower[0]), float(upper[0]))

    def chance(self, level: float) -> Enclosure:
        """Encloses Pr[ℓ > level] for a `level` in nats."""
        return probability(self.log_chance(level))

    def log_at_least(self, level: float) -> Enclosure:
        """Encloses log Pr[ℓ >= level] for a `level` in nats; at infinity, the log-probability of an infinite loss."""
        # Because no loss is negative.
        if level <= 0:
            return Enclosure(0.0, 0.0)
        lower, upper = self.log_above(np.array([min(level, float_info.max), nextafter(level, 0.0)]))
        return Enclosure(float(lower[0]), float(upper[1]))

    def curve(self, levels: Sequence[float]) -> list[Enclosure]:
        """Encloses Pr[ℓ > level] at each of `levels`, in nats."""
        lower, upper = self.log_above(np.array(levels, dtype=np.float64))
        return [probability(Enclosure(float(low), float(high))) for low, high in zip(lower, upper, strict=True)]

    def quantile(self, delta: float) -> Enclosure:
        """Encloses the least ε with Pr[ℓ > ε] <= delta, for 0 < delta < 1."""
        bound = float(np.log(delta))
        low, high = 0.0, self.most
        # The case of somebody whom the query leaves out: nothing leaks, but for roundings.
        if high <= _SHARP:
            return Enclosure(0.0, high)
        if self.log_chance(0.0).upper <= bound:
            return Enclosure(0.0, 0.0)
        # Because Gaussian noise, or none, has no largest loss: one with a small enough tail is sought.
        if high == inf:
            high = 1.0
            while self.log_chance(high).upper > bound:
                high *= 2
                if high > 1e300:
                    high = inf
                    break
            # The case of an infinite loss with a probability above delta, as without noise: only the lower bound is a
            # number.
            if high == inf:
                return Enclosure(self._first_below(0.0, 1e300, bound)[0], inf)
        return Enclosure(*self._first_below(low, high, bound))

    def _first_below(self, low: float, high: float, bound: float) -> tuple[float, float]:
        """Returns the levels at which the lower and the upper bound fall to at most `bound`, rounded outwards."""
        sides = [(low, high), (low, high)]
        for _ in range(12):
            levels = np.concatenate([np.linspace(*side, _SECTIONS) for side in dict.fromkeys(sides)])
            bounds = self.log_above(levels)
            parts = [slice(0, _SECTIONS), slice(len(levels) - _SECTIONS, len(levels))]
            sides = [_section(levels[parts[i]], bounds[i][parts[i]] > bound) for i in (0, 1)]
            if all(end - start <= _SHARP * (1 + end) / 4 for start, end in sides):
                break
        return sides[0][0], sides[1][1]


def _section(levels: Array, over: NDArray[np.bool_]) -> tuple[float, float]:
    """Returns the section from the last level at which a bound is above to the next: monotone but for rounding."""
    last = int(np.flatnonzero(over)[-1]) if over.any() else 0
    return float(levels[last]), float(levels[min(last + 1, len(levels) - 1)])


def probability(logs: Enclosure) -> Enclosure:
    """Encloses the probability whose log is within `logs`, rounded outwards; positive above even below every double."""
    lower, upper = min(logs.lower, 0.0), min(logs.upper, 0.0)
    grown = nextafter(exp(upper) * (1 + 4 * UNIT), inf) if upper > -inf else 0.0
    return Enclosure(exp(lower) * (1 - 4 * UNIT), min(grown, 1.0))


class Parts(abc.ABC):
    """All outputs in parts, with bounds of the loss over each, in nats, and of its log-probability.

    low, high (parts,): bounds of the loss over a part; least, most (parts,): bounds of log Pr[Y in the part].
    """

    low: Array
    high: Array
    least: Array
    most: Array

    divisible: ClassVar[bool] = False
    """Whether `cut` knows more than that all of a part, or nothing of it, may be above a level."""

    def cut(self, which: IntArray, levels: Array) -> tuple[Array, Array]:
        """Bounds the log-probability of the outputs with a loss above the level in each of some parts.

        `which` (cuts,) has the parts, and `levels` (cuts,) the level of each, in nats.
        """
        return np.full(len(which), -inf), self.most[which]

    def integrated(self) -> Enclosure | None:
        """Encloses E[ℓ(Y)] by integrals over the parts; None where there are none, by default."""
        return None

    @final
    def mean(self) -> Enclosure:
        """Encloses E[ℓ(Y)], from the bounds of each part and by integrals."""
        bounds, found = self._by_bounds(), self.integrated()
        if found is None:
            return bounds
        return Enclosure(max(found.lower, bounds.lower), min(found.upper, bounds.upper))

    def _by_bounds(self) -> Enclosure:
        """Encloses the mean as probability times loss, part by part.

        A part of probability 0 adds nothing, even if its loss is infinite.
        """
        low = np.where(self.low > 0, np.exp(self.least), 0.0)
        low = np.where(low > 0, low, 0.0) * np.where(low > 0, self.low, 0.0)
        high = np.where(self.most > -inf, np.maximum(np.exp(self.most), 1e-300) * self.high, 0.0)
        rounding = (len(low) + 16) * UNIT
        return Enclosure(float(np.sum(low)) * (1 - rounding), float(np.sum(high)) * (1 + rounding))


@final
class PartsTail(Tail):
    """Parts sorted by their loss once, so that each level only reads the parts it cuts."""

    def __init__(self, parts: Parts) -> None:
        """Sorts the parts by the least loss they may have, the largest first, and adds up their probabilities."""
        self.parts = parts
        self._order = np.argsort(-parts.low, kind="stable")
        self._falling = -parts.low[self._order]
        deepest = max(float(np.max(np.abs(x[np.isfinite(x)]), initial=0.0)) for x in (parts.least, parts.most))
        doubt = _sum_error(len(self._order), deepest)
        self._least = np.concatenate([[-inf], running_log_sums(parts.least[self._order]) - doubt])
        self._most = np.concatenate([[-inf], running_log_sums(parts.most[self._order]) + doubt])
        # Because most parts are narrow, those that a level cuts are next to it in the order. The few others are kept
        # apart.
        width = np.where(parts.low < inf, parts.high - np.minimum(parts.low, 1e308), 0.0)
        place = max(len(width) - 1000, 0)
        self._narrow = float(np.partition(width, place)[place])
        self._wide = np.flatnonzero(width > self._narrow)
        # The case of parts that are points: a level is above or below, and a second running sum has what may be above.
        if not parts.divisible:
            highest = np.argsort(-parts.high, kind="stable")
            self._high = -parts.high[highest]
            self._may_be = np.concatenate([[-inf], running_log_sums(parts.most[highest]) + doubt])

    @property
    def most(self) -> float:
        return float(np.max(self.parts.high, where=self.parts.most > -inf, initial=0.0))

    def log_above(self, levels: Array) -> tuple[Array, Array]:
        """Bounds the tail at `levels`: whole parts from the running sums, the parts that a level cuts one by one."""
        uncut = np.searchsorted(self._falling, -levels, side="left")
        if not self.parts.divisible:
            upper = self._may_be[np.searchsorted(self._high, -levels, side="left")]
            return np.minimum(self._least[uncut], 0.0), np.minimum(upper, 0.0)
        until = np.searchsorted(self._falling, -(levels - self._narrow) + _SHARP, side="right")
        pieces = [self._cut_by(float(level), *ends) for level, *ends in zip(levels, uncut, until, strict=True)]
        counts = np.array([len(each) for each in pieces])
        least, most = self._cut(np.concatenate(pieces), np.repeat(levels, counts))
        lower, upper = self._least[uncut], self._most[uncut]
        for place, (first, last) in enumerate(pairwise([0, *np.cumsum(counts)])):
            if last > first:
                doubt = _sum_error(last - first, 0.0)
                lower[place] = np.logaddexp(lower[place], log_sum(least[first:last]) - doubt)
                upper[place] = np.logaddexp(upper[place], log_sum(most[first:last]) + doubt)
        return np.minimum(lower, 0.0), np.minimum(upper, 0.0)

    def _cut_by(self, level: float, uncut: int, until: int) -> IntArray:
        """Returns the parts with outputs on both sides of the level."""
        near = self._order[uncut:until]
        near = near[self.parts.high[near] > level]
        wide = self._wide[(self.parts.low[self._wide] <= level) & (self.parts.high[self._wide] > level)]
        return np.union1d(near, wide)

    def _cut(self, which: IntArray, levels: Array) -> tuple[Array, Array]:
        """Cuts parts as `Parts.cut` does, a bounded number at a time: a curve of many levels cuts millions."""
        found = [
            self.parts.cut(which[some : some + _AT_ONCE], levels[some : some + _AT_ONCE])
            for some in range(0, max(len(which), 1), _AT_ONCE)
        ]
        return np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found])

    def mean(self) -> Enclosure:
        found = self.parts.mean()
        return Enclosure(min(found.lower, self.most), min(found.upper, self.most))


@final
class TailWithin(Tail):
    """A tail that is sorted only when a level below `most` is asked for; no loss is above `most`.

    Among 3·10^8 people no output in the window leaks nearly as much as some output far out does, and nothing is
    sorted.
    """

    def __init__(self, made: Callable[[], Tail], most: float) -> None:
        self._made, self._most = made, most

    @cached_property
    def _tail(self) -> Tail:
        return self._made()

    @property
    def most(self) -> float:
        return self._most

    def log_above(self, levels: Array) -> tuple[Array, Array]:
        if (levels >= self._most).all():
            return np.full(len(levels), -inf), np.full(len(levels), -inf)
        return self._tail.log_above(levels)

    def mean(self) -> Enclosure:
        return self._tail.mean()


@final
class Unknown(Tail):
    """A tail about which nothing is known."""

    def __init__(self, most: float) -> None:
        self._most = most

    @property
    def most(self) -> float:
        return self._most

    def log_above(self, levels: Array) -> tuple[Array, Array]:
        return np.full(len(levels), -inf), np.zeros(len(levels))

    def mean(self) -> Enclosure:
        return Enclosure(0.0, self.most)


@final
@dataclass(frozen=True)
class PartialTail(Tail):
    """The tail of all outputs, from that of the outputs that are left in.

    Args:
        inner: The tail of the outputs left in. Where an output is not unknown, its loss is known as well as in the
            law of all.
        unknown: A bound of the probability of unknown outputs, of those left in and of all.
        ceiling: No loss is above it, in nats.
    """

    inner: Tail
    unknown: float
    ceiling: float

    @property
    def most(self) -> float:
        return self.ceiling if self.unknown > 0 else self.inner.most

    def log_above(self, levels: Array) -> tuple[Array, Array]:
        """Bounds the tail at `levels`: unknown outputs may be above a level or below; none is above the ceiling."""
        lower, upper = self.inner.log_above(levels)
        # The case of a window that loses nothing: the answer's whole range is in it.
        if self.unknown == 0:
            return lower, upper
        unknown = log(self.unknown)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.where(lower > unknown, lower + np.log(-np.expm1(np.minimum(unknown - lower, 0.0))), -inf)
        more = np.minimum(np.logaddexp(upper, unknown) + 8 * UNIT * (1 + abs(unknown)), 0.0)
        return left - 8 * UNIT * (1 + np.where(left > -inf, np.abs(left), 0.0)), np.where(
            levels >= self.ceiling, -inf, more
        )

    def mean(self) -> Enclosure:
        found = self.inner.mean()
        moved = 2 * self.unknown * self.ceiling if self.unknown > 0 else 0.0
        return Enclosure(max(found.lower - moved, 0.0), found.upper + moved)
