"""A channel given background knowledge of some other records, and its readings: δ at an ε, ε at a δ."""

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, inf
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Likelihoods
from dalenius.channel.crossing import least_epsilon
from dalenius.channel.finite.quantities import ordered_pairs
from dalenius.channel.peak import Largest
from dalenius.errors import TooLarge
from dalenius.laws.integrals.functionals import HockeyStick
from dalenius.laws.integrals.profile import Profile
from dalenius.schema import RecordValue

Curve: TypeAlias = Callable[[float], Enclosure]
NEVER = Enclosure(0.0, 0.0)
MOST_CELLS: Final = 1 << 26


class Profiles(abc.ABC):
    """δ(ε) of every ordered pair of secrets that must not be distinguished."""

    @property
    @abc.abstractmethod
    def curves(self) -> tuple[tuple[int, int, Curve], ...]:
        """The pairs, by the secrets' indices, and their curves."""

    @property
    @abc.abstractmethod
    def exact(self) -> bool:
        """Whether nothing is added to the answer, so that δ(∞) is known."""

    def delta(self, epsilon: float) -> Enclosure:
        found = NEVER
        for _, _, curve in self.curves:
            found = largest(found, curve(epsilon))
        return found

    def epsilon(self, delta: float, beaten: float = 0.0) -> Enclosure:
        """The least ε at which every curve is at most delta. Values up to `beaten` are not evaluated further."""
        found = Enclosure(0.0, 0.0)
        for _, _, curve in self.curves:
            floor = max(beaten, found.lower)
            if floor == inf or curve(floor).upper <= delta:
                found = largest(found, Enclosure(0.0, floor))
            elif self.exact and curve(inf).lower > delta:
                found = Enclosure(inf, inf)
            else:
                found = largest(found, least_epsilon(curve, delta, inf))
        return found

    def worst_pair(self, epsilon: float) -> tuple[int, int]:
        """The first ordered pair of secrets whose δ(ε) may be the largest."""
        found = Largest[tuple[int, int]]()
        for one, other, curve in self.curves:
            found.add(curve(epsilon), (one, other))
        if found.first is None:
            raise ValueError("no two values are to be distinguished")
        return found.first


@final
@dataclass(frozen=True)
class View(Profiles):
    """known: others' known records, by person; said: what else is known, in words; missing: mass the law leaves out."""

    channel: Likelihoods
    known: Mapping[int, RecordValue] = field(default_factory=dict)
    said: str = ""
    missing: float = 0.0

    @cached_property
    def _curves(self) -> tuple[tuple[int, int, Curve], ...]:
        """δ(ε) of every ordered pair of secrets that must not be distinguished. TooLarge for too many on a long law."""
        pairs, points = len(ordered_pairs(self.channel)), self.channel.likelihood.base.size
        if self.channel.noise.adds_nothing and pairs * points > MOST_CELLS:
            size = f"{pairs:,} pairs of values, {points:,} outputs each"
            raise TooLarge("what distinguishes values", size, "name secrets.pairs, or ask for coarser values")
        return tuple((one, other, self._curve(one, other)) for one, other in ordered_pairs(self.channel))

    @property
    def curves(self) -> tuple[tuple[int, int, Curve], ...]:
        return self._curves

    def _curve(self, one: int, other: int) -> Curve:
        if self.channel.noise.adds_nothing:
            return Profile(self.channel.likelihood, one, other, self.missing).at
        return lambda epsilon: self._noised(one, other, epsilon)

    def _noised(self, one: int, other: int, epsilon: float) -> Enclosure:
        if epsilon == inf:
            return Enclosure(0.0, 1.0)
        found = self.channel.integral(HockeyStick(one, other, epsilon))
        lost = self.missing * exp(min(epsilon, 700.0)) if self.missing else 0.0
        return Enclosure(max(0.0, found.lower - lost), min(1.0, found.upper + self.missing))

    @property
    def exact(self) -> bool:
        return self.channel.noise.adds_nothing


class Reading(abc.ABC):
    """A number read from profiles, which post-processing does not increase."""

    @abc.abstractmethod
    def at(self, view: Profiles, beaten: float = 0.0) -> Enclosure:
        """The reading; values up to `beaten` are not evaluated further."""

    @abc.abstractmethod
    def loosened(self, view: View, beyond: float, beaten: float) -> float:
        """An upper bound on the reading of any view whose log-ratios are larger by at most `beyond`."""

    @abc.abstractmethod
    def of_loss(self, loss: float) -> float:
        """The largest reading where no log-ratio is above `loss`."""


@final
@dataclass(frozen=True)
class LeastEpsilon(Reading):
    """The least ε at which δ(ε) <= delta."""

    delta: float

    def at(self, view: Profiles, beaten: float = 0.0) -> Enclosure:
        return view.epsilon(self.delta, beaten)

    def loosened(self, view: View, beyond: float, beaten: float) -> float:
        if view.missing >= self.delta:
            return inf
        return view.epsilon(self.delta, max(beaten - beyond, 0.0)).upper + beyond

    def of_loss(self, loss: float) -> float:
        return loss


@final
@dataclass(frozen=True)
class LeastDelta(Reading):
    """δ(epsilon)."""

    epsilon: float

    def at(self, view: Profiles, beaten: float = 0.0) -> Enclosure:
        return view.delta(self.epsilon)

    def loosened(self, view: View, beyond: float, beaten: float) -> float:
        return view.delta(self.epsilon - beyond).upper

    def of_loss(self, loss: float) -> float:
        """δ of randomised response, which no channel of that loss exceeds (Kairouz et al. 2015; Result 7.9)."""
        if loss <= self.epsilon:
            return 0.0
        if loss > 700:
            return 1.0
        return min(1.0, (exp(loss) - exp(self.epsilon)) / (1 + exp(loss)) * (1 + 1e-12))
