"""A channel given background knowledge of some other records, and its readings: δ at an ε, ε at a δ.

Take four independent bits that are 1 with probability 0.3, counted without noise. To an adversary who knows no bit,
δ(0) is 0.441, δ(0.5) is 0.343, and the least ε at δ = 0.4 is 0.1738 nats. If only a loss is known, the curve of
randomised response of that loss bounds it:

>>> round(LeastDelta(0.5).of_loss(1.0), 6), LeastDelta(1.0).of_loss(1.0)
(0.287649, 0.0)
"""

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import exp, inf
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bisection import bisected, bisected_all, least_epsilon
from dalenius.bounds import Enclosure, largest
from dalenius.channel import Likelihoods
from dalenius.channel.leakage import Largest
from dalenius.channel.quantities import ordered_pairs
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.knowledge.limits import MOST_CURVE_CELLS
from dalenius.laws.integrals.convex_functionals import HockeyStick, Threshold
from dalenius.laws.integrals.privacy_profile import Profile
from dalenius.memory_budget import allowed, enough, or_more

_Curve: TypeAlias = Callable[[float, Threshold | None], Enclosure]
# Nats past which no bound of δ is looked for.
_FAR: Final = 32.0
_NEVER: Final = Enclosure(0.0, 0.0)


def _compared(curve: _Curve, compared: Threshold, epsilon: float) -> Enclosure:
    """Returns the curve at `epsilon`, where it is only compared with a number."""
    return curve(epsilon, compared)


@final
@dataclass(frozen=True)
class KnowingView:
    """A channel to somebody who knows some records, from which δ at an ε and ε at a δ are read.

    Attributes:
        channel: The channel of one secret.
        known: Others' known records, by person.
        said: What else is known, in words.
    """

    channel: Likelihoods
    known: Mapping[int, RecordValue] = field(default_factory=dict)
    said: str = ""

    @cached_property
    def curves(self) -> tuple[tuple[int, int, _Curve], ...]:
        """The δ(ε) of every ordered pair of secrets that must not be distinguished, by their indices.

        TooLarge for too many pairs on a long law.
        """
        pairs, points = len(ordered_pairs(self.channel)), self.channel.likelihood.base.size
        # A sum of incomes of a thousand values: each pair has a curve of its own over all outputs.
        if self.channel.mechanism.shape.adds_nothing and pairs * points > allowed(MOST_CURVE_CELLS):
            size = f"{pairs:,} pairs of values, {points:,} outputs each"
            instead = "name secrets.pairs, or ask for coarser values"
            instead = or_more(instead, enough(pairs * points, MOST_CURVE_CELLS))
            raise TooLarge("what distinguishes values", size, instead, MOST_CURVE_CELLS)
        return tuple((one, other, self._curve(one, other)) for one, other in ordered_pairs(self.channel))

    def delta(self, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        """Returns the largest δ(ε) of the curves.

        Args:
            epsilon: ε, in nats.
            least: A δ up to which the result need not be close (see `Threshold`).
            bound: A δ that the result is only compared with; None where it is asked for itself.
        """
        found = _NEVER
        for _, _, curve in self.curves:
            found = largest(found, curve(epsilon, Threshold(max(least, found.lower), bound)))
            if bound is not None and found.lower > bound:
                break
        return found

    def epsilon(self, delta: float, beaten: float = 0.0) -> Enclosure:
        """Returns the least ε, in nats, at which every curve is at most `delta`.

        Values up to `beaten` are not evaluated further.
        """
        found, compared = _NEVER, Threshold(bound=delta)
        for _, _, curve in self.curves:
            floor = max(beaten, found.lower)
            # This pair is no worse than what was found: most pairs of many values are not.
            if floor == inf or curve(floor, compared).upper <= delta:
                found = largest(found, Enclosure(0.0, floor))
            # Without noise an output that only one value can have tells it, whatever ε is: its probability is δ(∞).
            elif self.channel.mechanism.shape.adds_nothing and curve(inf, None).lower > delta:
                found = Enclosure(inf, inf)
            else:
                found = largest(found, least_epsilon(partial(_compared, curve, compared), delta, inf))
        return found

    def worst_pair(self, epsilon: float) -> tuple[int, int]:
        """Returns the first ordered pair of secrets whose δ at `epsilon` (nats) may be the largest."""
        found = Largest[tuple[int, int]]()
        for one, other, curve in self.curves:
            found.add(curve(epsilon, None), (one, other))
        # One value only, or no pair of values in secrets.pairs.
        if found.first is None:
            raise ValueError("no two values are to be distinguished")
        return found.first

    def _curve(self, one: int, other: int) -> _Curve:
        """Returns δ of one secret against the other: for every ε at once without noise, one by one through noise."""
        if self.channel.mechanism.shape.adds_nothing:
            profile = Profile(self.channel.likelihood, one, other)
            return lambda epsilon, compared: profile.at(epsilon)

        def through_noise(epsilon: float, compared: Threshold | None) -> Enclosure:
            # Asked where no finite ε has the δ: what noise leaves of it at infinity is not computed, and left open.
            if epsilon == inf:
                return Enclosure(0.0, 1.0)
            found = self.channel.integral(HockeyStick(one, other, epsilon, compared))
            return Enclosure(max(0.0, found.lower), min(1.0, found.upper))

        return through_noise


class CurveReading(abc.ABC):
    """A number read from a view's curves, which post-processing does not increase.

    Noiseless privacy has two: the least ε at its δ, and the δ at an ε.
    """

    @abc.abstractmethod
    def at(self, view: KnowingView, beaten: float = 0.0) -> Enclosure:
        """Returns the reading of `view`; values up to `beaten` are not refined."""

    @abc.abstractmethod
    def of_loss(self, loss: float) -> float:
        """Returns the largest reading where no log-ratio is above `loss`, in nats."""

    @abc.abstractmethod
    def of_profile(self, profile: Callable[[float], float]) -> float:
        """Returns the largest reading where δ(ε) is nowhere above `profile`."""

    @abc.abstractmethod
    def of_each(self, deltas: Callable[[Array], Array], views: int) -> Array:
        """Reads many views at once, from above (views,).

        Args:
            deltas: Bounds of δ of all views (views,), as a function of an ε for each (views,), in nats.
            views: The number of views.
        """

    @abc.abstractmethod
    def threshold(self, found: float) -> tuple[float, float]:
        """Returns an ε and a δ: the readings above `found` are those of the views that have more than δ at ε."""

    @abc.abstractmethod
    def of_bound(self, profile: Callable[[float, float | None], float]) -> float:
        """Returns the largest reading to half a percent, where each look at the profile takes long.

        Args:
            profile: Bounds δ at an ε in nats; the second argument is a δ that the result is only compared with, or None
                for the bound itself.
        """


@final
@dataclass(frozen=True)
class LeastEpsilon(CurveReading):
    """The reading of the least ε at which δ(ε) <= delta."""

    delta: float

    def at(self, view: KnowingView, beaten: float = 0.0) -> Enclosure:
        return view.epsilon(self.delta, beaten)

    def of_loss(self, loss: float) -> float:
        return loss

    def of_profile(self, profile: Callable[[float], float]) -> float:
        return least_epsilon(lambda epsilon: Enclosure(0.0, profile(epsilon)), self.delta, inf).upper

    def of_each(self, deltas: Callable[[Array], Array], views: int) -> Array:
        never = deltas(np.full(views, _FAR)) > self.delta
        least = deltas(np.zeros(views)) <= self.delta
        inside, outside = np.zeros(views), np.full(views, _FAR)
        found = bisected_all(lambda epsilons: deltas(epsilons) > self.delta, inside, outside, 24)[1]
        return np.where(never, inf, np.where(least, 0.0, found))

    def threshold(self, found: float) -> tuple[float, float]:
        return found, self.delta

    def of_bound(self, profile: Callable[[float, float | None], float]) -> float:
        def kept(epsilon: float) -> bool:
            return profile(epsilon, self.delta) <= self.delta

        if kept(0.0):
            return 0.0
        low, high = 0.0, 0.25
        while not kept(high):
            if high >= _FAR:
                return inf
            low, high = high, 2 * high
        return bisected(kept, high, low, relative=0.005, absolute=1e-4)[0]


@final
@dataclass(frozen=True)
class LeastDelta(CurveReading):
    """The reading of δ at `epsilon`.

    Attributes:
        epsilon: ε, in nats.
        bound: A δ that the result is only compared with, so that it may be known less closely; None for δ itself.
    """

    epsilon: float
    bound: float | None = None

    def at(self, view: KnowingView, beaten: float = 0.0) -> Enclosure:
        return view.delta(self.epsilon, beaten, self.bound)

    def of_loss(self, loss: float) -> float:
        """Returns δ of randomised response, which no channel of that loss exceeds (Kairouz et al. 2015; Result 7.9)."""
        # Nothing exceeds the loss, so that no event exceeds e^ε times another.
        if loss <= self.epsilon:
            return 0.0
        # Past it e^loss is no double: without noise the loss is infinite.
        if loss > 700:
            return 1.0
        return min(1.0, (exp(loss) - exp(self.epsilon)) / (1 + exp(loss)) * (1 + 1e-12))

    def of_profile(self, profile: Callable[[float], float]) -> float:
        return profile(self.epsilon)

    def of_each(self, deltas: Callable[[Array], Array], views: int) -> Array:
        return deltas(np.full(views, self.epsilon))

    def threshold(self, found: float) -> tuple[float, float]:
        return self.epsilon, found

    def of_bound(self, profile: Callable[[float, float | None], float]) -> float:
        return profile(self.epsilon, self.bound)


@final
@dataclass(frozen=True)
class WorstView:
    """The worst over all background knowledge, between `lower` and `upper`.

    Attributes:
        lower: What some view attains.
        upper: What none exceeds.
        view: The first, in the order of search, that may attain the lower end; None where no record touches the answer.
        exact: Whether all was gone through.
    """

    lower: float
    upper: float
    view: KnowingView | None
    exact: bool = True


def worst_of_views(found: Largest[KnowingView]) -> WorstView:
    """Returns the worst of the views that were `found`, as if there were no others."""
    return WorstView(found.lower, found.upper, found.first)
