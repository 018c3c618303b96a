"""What Laplace or geometric noise leaks about one person of a network, over all joint laws with the laws of pairs.

What Laplace or geometric noise certainly leaks about a record under some joint law with its pairs.

At outputs far above all answers W(y|s)/W(y|s') is E[e^{S/b}|s]/E[e^{S/b}|s'], S what the record and its neighbours add,
whatever the others add, and far below the same of -1/b. Neighbours may be coupled given each value as one likes: all at
the same quantile makes an expectation largest; in pairs at opposite quantiles, or independent, makes it small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf, log, nextafter
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import Found, Witness
from dalenius.errors import Meaningless
from dalenius.laws.law import Array
from dalenius.noise import Noise
from dalenius.noise.gaussian import gaussian_delta
from dalenius.ratios.bounded_channel import BoundedSubject
from dalenius.ratios.pairs.comonotone import Bound, bound_of, comonotone
from dalenius.ratios.pairs.neighbourhood import Neighbour, Neighbourhood, grid

TERMS: Final = 64


@final
class Limits:
    """Of one record and its neighbours; values are indices of the record's."""

    def __init__(self, neighbourhood: Neighbourhood) -> None:
        self._around = neighbourhood
        self._ascending = [_ascending(each) for each in neighbourhood.neighbours]
        self._values = range(len(neighbourhood.own))
        self._grid = grid(neighbourhood)
        self._comonotone = [comonotone(neighbourhood, self._grid, s) for s in self._values]

    def lower(self, scale: float, pairs: Sequence[tuple[int, int]], prior: bool) -> tuple[float, float, float]:
        """Lower bounds of the largest log(W(y|s)/W(y|s')) of these pairs, of log(W(y|s)/W(y)) and of log(W(y)/W(y|s))
        over any s; 0 for the last two where the prior is not known."""
        found = []
        for rate in (1 / scale, -1 / scale):
            most = np.array([self._together(s, rate) for s in self._values])
            least = np.array([self._log_ratio(s, rate) for s in self._values])
            off = self._rounding(rate)
            ratio = max((most[s] - least[t] for s, t in pairs), default=0.0)
            found.append((ratio - off, *((each - off for each in self._moved(most, least)) if prior else (0.0, 0.0))))
        ratios, raised, lowered = (float(max(0.0, *column)) for column in zip(*found, strict=True))
        return ratios, raised, lowered

    def _together(self, s: int, rate: float) -> float:
        """log E[e^{rate S}|s], all neighbours at the same quantile."""
        law = self._comonotone[s]
        return _log_mean(law.masses, rate * (self._grid.start + self._grid.step * law.points))

    def _log_ratio(self, s: int, rate: float) -> float:
        """The same with neighbours of a kind in pairs at opposite quantiles or independent, whichever is less."""
        total = float(self._around.own[s] * rate)
        for each in self._ascending:
            alone = _log_mean(each.laws[s], each.points * rate)
            opposed = _log_mean(*_opposed(each.laws[s], each.points, rate))
            pairs, odd = divmod(each.times, 2)
            total += pairs * min(opposed, 2 * alone) + odd * alone
        return total

    def _moved(self, most: Array, least: Array) -> tuple[float, float]:
        with np.errstate(divide="ignore"):
            logs = np.log(self._around.prior)
        raised, lowered = [], []
        for s in self._values:
            others = np.array([logs[t] + (most[t] if t == s else least[t]) for t in self._values])
            raised.append(most[s] - np.logaddexp.reduce(others))
            others = np.array([logs[t] + (least[t] if t == s else most[t]) for t in self._values])
            lowered.append(np.logaddexp.reduce(others) - least[s])
        return float(max(raised)), float(max(lowered))

    def _rounding(self, rate: float) -> float:
        near = self._around.neighbours
        reach = np.abs(self._around.own).max() + sum(each.times * np.abs(each.points).max() for each in near)
        terms = TERMS + 4 * sum(len(each.points) for each in near)
        return float(terms * UNIT * (1 + abs(rate) * reach) + 2 * abs(rate) * self._grid.error)


def _ascending(given: Neighbour) -> Neighbour:
    order = np.argsort(given.points, kind="stable")
    return Neighbour(given.times, given.points[order], given.laws[:, order])


def _opposed(law: Array, points: Array, rate: float) -> tuple[Array, Array]:
    """The law of rate times the sum of two such scores at opposite quantiles."""
    up, down = np.cumsum(law)[:-1], np.cumsum(law[::-1])[:-1]
    cuts = np.unique(np.clip(np.concatenate([[0.0, 1.0], up, down]), 0.0, 1.0))
    middles = (cuts[:-1] + cuts[1:]) / 2
    sums = (
        points[np.searchsorted(up, middles, side="right")] + points[::-1][np.searchsorted(down, middles, side="right")]
    )
    return np.diff(cuts), rate * sums


def _log_mean(chances: Array, logs: Array) -> float:
    with np.errstate(divide="ignore"):
        return float(np.logaddexp.reduce(np.log(chances) + logs))


NARROW: Final = 1e-9
OFF: Final = 16 * UNIT


@final
@dataclass(frozen=True)
class Leaked:
    """lower, upper: between which the largest log-ratio of likelihoods of two values lies; witness: of which.

    raised: a lower bound of the largest log(W(y|s)/W(y)); lowered: of log(W(y)/W(y|s)). least: the least prior
    probability of a value, 0 where no prior is known.
    """

    lower: float
    upper: float
    witness: Witness | None
    raised: float
    lowered: float
    least: float

    def ratio(self) -> Found:
        """The largest log-ratio."""
        return Found(Enclosure(self.lower, self.upper), self.witness)

    def movement(self) -> tuple[Found, Found]:
        """How far chances rise, and fall: W(y) >= W(y|s)(π + (1 - π)e^-upper), and at most the same with e^upper."""
        if self.upper == inf:
            up = -log(self.least) if self.least else inf
            return self._found(self.raised, up), self._found(self.lowered, inf)
        share, rest = self.least, 1 - self.least
        up = -log(share + rest * exp(-self.upper)) if share else self.upper
        down = self.upper + log(rest + share * exp(-self.upper)) if share else self.upper
        return self._found(self.raised, up), self._found(self.lowered, down)

    def _found(self, lower: float, upper: float) -> Found:
        most = min(max(upper, 0.0) * (1 + OFF) + OFF * (1 + self.upper if self.upper < inf else 1), self.upper)
        return Found(Enclosure(min(lower, most), most), self.witness)


@final
@dataclass(frozen=True, eq=False)
class Person(BoundedSubject):
    """One person of a class, its neighbourhood, and what else may depend on it.

    neighbourhood: over the record's possible values; known_prior: whether its prior is known. moved: how far the record
    and all that may depend on it can move the answer; further: that of records of which nothing is known. alone:
    whether nobody else's record moves the answer.
    """

    neighbourhood: Neighbourhood
    known_prior: bool
    moved: Fraction
    further: Fraction
    alone: bool

    def group_loss(self, noise: Noise) -> float:
        """The bound of all that may depend on the record, moved at once (Theory §5, group)."""
        return noise.group_loss(self.moved, 1) if self.moved else 0.0

    def moved_delta(self, noise: Noise, epsilon: float) -> float:
        """The δ at ε of moving all that may depend on the record at once; 1 where that is not known of the noise."""
        if not self.moved or len(self.values) < 2:
            return 0.0
        if noise.gaussian_deviation:
            return min(gaussian_delta(float(self.moved), noise.gaussian_deviation, epsilon) * (1 + NARROW), 1.0)
        if not noise.exponential or noise.needs_lattice:
            return 1.0
        past = epsilon - noise.group_loss(self.moved, 1)
        return -expm1(past / 2) * (1 + OFF) if past < 0 else 0.0

    def leaked(self, noise: Noise) -> Leaked:
        """Meaningless for a noise other than Laplace's, geometric, or none."""
        whole = self.group_loss(noise)
        if not whole or len(self.values) < 2:
            return Leaked(0.0, 0.0, None, 0.0, 0.0, 1.0)
        least = float(self.neighbourhood.prior.min()) * (1 - OFF) if self.known_prior else 0.0
        if noise.adds_nothing:
            return Leaked(0.0, inf, self.witness(), 0.0, 0.0, least)
        if not noise.exponential:
            raise Meaningless("noise.kind", noise.kind, "laplace, geometric or none beside model pairwise")
        scale = noise.known_scale()
        assert self._bound is not None
        found = self._bound.at(scale)
        far = nextafter(float(self.further / Fraction(scale)), inf) if self.further else 0.0
        upper = min(whole, (found.upper + far) * (1 + OFF))
        lower, raised, lowered = self._limits.lower(scale, self.pairs, self.known_prior)
        if self.alone and self.secret_pairs is None:
            lower = max(lower, found.lower)
        witness = self.witness(self.values[found.secret], self.values[found.against])
        return Leaked(min(lower, upper), upper, witness, min(raised, upper), min(lowered, upper), least)

    @cached_property
    def _bound(self) -> Bound | None:
        return bound_of(self.neighbourhood)

    @cached_property
    def _limits(self) -> Limits:
        return Limits(self.neighbourhood)
