"""Groups with more states than are listed, and sets of laws: what bounds all that any pipeline leaks of records."""

import abc
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, inf
from typing import Final, final

import numpy as np

from dalenius.bisection import bisected
from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.group_program import solve
from dalenius.conversion.least_epsilon import pure_leakage
from dalenius.conversion.profile import PrivacyProfile
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

FARTHEST: Final = 650.0
_CLOSE: Final = 1e-6
_CLOSER: Final = 1e-9
_NOTHING: Final = 1e-9
"""Nats that no search here tells from 0."""
_Deltas = Callable[[float, IntArray | None], Array]
"""By e^ε′ and kinds of place, δ′ of every pair of values (c, k, k)."""


@final
@dataclass(frozen=True)
class Whose:
    """About whom, and which values."""

    person: int
    who: str
    secret: RecordValue
    against: RecordValue | None


@final
@dataclass(frozen=True)
class Worst:
    """A place, its value, what that is compared with, and what leaks."""

    place: int
    one: int
    other: int
    value: float


class Bounded(abc.ABC):
    """Records of which the most leaks that any pipeline of a profile leaks, where changing a record is so many steps,
    and under any law of a set where the law is not known; from both sides."""

    @abc.abstractmethod
    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Dependence | Whose, Enclosure]:
        """δ′ at ε′ = epsilon, and about whom the upper end is."""

    @abc.abstractmethod
    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Dependence | Whose, Enclosure]:
        """The least ε′ at δ′ = delta, or one that is enough."""

    @abc.abstractmethod
    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        """Whether no more can leak, for certain."""

    @abc.abstractmethod
    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """δ′ from above."""

    def attained(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Dependence | None:
        """A question about one law, which attains the lower end of `delta`; None, by default, where none is known."""
        return None


class BoundedAtZero(Bounded):
    """The same where lower ends are known at δ′ = 0 alone."""

    @abc.abstractmethod
    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        """About whom the upper ends are."""

    @abc.abstractmethod
    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        """The least ε′ at δ′ = 0: infinite where the profile is not pure."""

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose, Enclosure]:
        return self.whose(profile, steps), Enclosure(0.0, self.above(profile, steps, epsilon))

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose, Enclosure]:
        whose = self.whose(profile, steps)
        if delta == 0:
            return whose, self.at_zero(profile, steps)
        high = 1.0
        while self.above(profile, steps, high) > delta:
            high *= 2
            if high > FARTHEST:
                return whose, Enclosure(0.0, inf)
        found, _ = bisected(
            lambda nats: self.above(profile, steps, nats) <= delta, high, 0.0, relative=_CLOSER, absolute=_CLOSER
        )
        return whose, Enclosure(0.0, found)

    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        return self.above(profile, steps, epsilon) <= delta


class BoundedRecords(Bounded):
    """Records of one law that depend on each other: too many to list."""

    information: bool

    @property
    @abc.abstractmethod
    def people(self) -> int:
        """How many records depend on each other at most."""

    @abc.abstractmethod
    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        """The largest δ′ at ε′ = epsilon, from above, on a grid that has all up to `reach`."""

    @abc.abstractmethod
    def pure_worst(self, nats: float) -> Worst:
        """The largest ε′ at δ′ = 0 where changing a record is worth so many nats, from above."""

    @abc.abstractmethod
    def questions_about(self, worst: Worst) -> list[Dependence]:
        """Questions about the same record and values, of which each leaks no more than is looked for."""

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Dependence, Enclosure]:
        """And the question about a stretch around the record of which it is the largest."""
        worst = self._above(profile, steps, epsilon)
        about = self.questions_about(worst)
        if not worst.value:
            return about[0], Enclosure(0.0, 0.0)
        lower = max(solve(each, profile, epsilon, steps).delta.lower for each in about)
        return about[0], Enclosure(min(lower, worst.value), worst.value)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        return self._above(profile, steps, epsilon).value

    def _above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Worst:
        if profile.pure is not None and (found := self.pure_worst(profile.pure * steps)).value <= epsilon:
            return replace(found, value=0.0)
        return self.worst(profile, steps, epsilon, epsilon)

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Dependence, Enclosure]:
        if delta == 0 and profile.pure is not None:
            found = self.pure_worst(profile.pure * steps)
            about = self.questions_about(found)
            lower = max(pure_leakage(each, profile.pure, steps).lower for each in about)
            return about[0], Enclosure(min(lower, found.value), found.value)
        if delta and (most := self._of_all(profile, steps, delta)) <= _NOTHING:
            return self.questions_about(self.pure_worst(0.0))[0], Enclosure(0.0, most)
        first = self.worst(profile, steps, 0.0, 0.0)
        if delta == 0:
            return self.questions_about(first)[0], Enclosure(inf, inf)
        reach = 1.0
        while self.worst(profile, steps, reach, reach).value > delta:
            reach *= 2
            if 2 * reach > FARTHEST:
                return self.questions_about(first)[0], Enclosure(0.0, inf)
        high, _ = bisected(
            lambda nats: self.worst(profile, steps, nats, reach).value <= delta,
            reach,
            0.0,
            relative=_CLOSE,
            absolute=_CLOSE * 1e-3,
        )
        found = self.worst(profile, steps, high, reach)
        about, low = self.questions_about(found), 0.0
        for each in about:
            low = _from_below(each, profile, steps, delta, low, high)
        return about[0], Enclosure(low, high)

    def _of_all(self, profile: PrivacyProfile, steps: int, delta: float) -> float:
        """An ε′ that is enough whatever depends on whatever: all records may change at once. It is 0, next to nothing
        or infinite."""
        whole = profile.of_group(self.people * steps)
        enough = [] if whole is None else [each for each in (0.0, _NOTHING) if whole.delta(each) <= delta]
        return min(enough, default=inf)

    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        """Whether no record leaks more, for certain."""
        if delta and self._of_all(profile, steps, delta) <= epsilon:
            return True
        if profile.pure is not None and self.pure_worst(profile.pure * steps).value <= epsilon:
            return True
        return delta > 0 and self.worst(profile, steps, epsilon, epsilon).value <= delta


def worst_delta(deltas: _Deltas, chances: Array, places: IntArray, information: bool, epsilon: float) -> Worst:
    """chances (c, k): of values, from below, 0 where impossible; places (c,): one of each kind."""
    kind, one, other, value = _largest(_leaks(deltas, chances, information, epsilon), chances)
    return Worst(int(places[kind]), one, other, value)


def _leaks(deltas: _Deltas, chances: Array, information: bool, epsilon: float) -> Array:
    """By kind of place and value, what is the largest over other values (c, k, k); information (c, k, 1)."""
    k, possible = chances.shape[1], chances > 0
    if not information:
        both = possible[:, :, None] & possible[:, None, :] & ~np.eye(k, dtype=bool)
        return np.asarray(np.where(both, deltas(exp(epsilon), None), 0.0))
    found = np.zeros((*chances.shape, 1))
    for value in range(k):
        for share in np.unique(chances[possible[:, value], value]).tolist():
            spare = 1 - exp(epsilon) * share
            own = np.flatnonzero(chances[:, value] == share)
            if spare <= 32 * UNIT * exp(epsilon):
                # No δ′ is above it, and it may be a rounding off 0.
                found[own, value, 0] = max(spare + 32 * UNIT * exp(epsilon), 0.0)
                continue
            inner = deltas(exp(epsilon) * (1 - share) / spare * (1 - 8 * UNIT), own)[:, value]
            inner[~possible[own]] = 0.0
            inner[:, value] = 0.0
            found[own, value, 0] = np.maximum(spare + 8 * UNIT, 0.0) * inner.max(axis=1) * (1 + 8 * UNIT)
    return found


def worst_pure(found: Array, chances: Array, information: bool) -> Worst:
    """found (n, k, k): nats between the values of each record; chances (n, k): as for `worst_delta`."""
    possible = chances > 0
    both = possible[:, :, None] & possible[:, None, :] & ~np.eye(found.shape[1], dtype=bool)
    found = np.where(both, found, 0.0)
    if information:
        share = np.where(possible, chances, 1.0)
        # The log of 1/(share + (1 − share)e^{−g}).
        found = -np.log1p((1 - share) * np.expm1(-found.max(axis=2)))[:, :, None] * (1 + 8 * UNIT)
    # Of places that rounding cannot tell apart the first is named.
    # Relatively, what leaks of two records that count as the same.
    kind, one, other, _ = _largest(np.where(found >= found.max() * (1 - 1e-9), found.max(), found), chances)
    return Worst(kind, one, other, float(found.max()))


def _largest(found: Array, chances: Array) -> tuple[int, int, int, float]:
    """Where it is, and how large: of records that are certain nothing can be asked, though nothing leaks anywhere."""
    certain = (chances > 0).sum(axis=1) < 2
    place = int(np.argmax(np.where(certain[:, None, None], -1.0, found)))
    kind, one, other = (int(each) for each in np.unravel_index(place, found.shape))
    return kind, one, other, float(found[kind, one, other])


@lru_cache(maxsize=64)
def faint(profile: PrivacyProfile, steps: int) -> float:
    """An ε at which δ is next to nothing, or at which no more is asked."""
    epsilons = np.geomspace(1e-3, 40.0, 400)
    # The δ of a profile at the least ε that a grid reaches.
    small = np.flatnonzero(profile.delta_at(epsilons) <= 1e-7)
    return 3 * steps * float(epsilons[small[0]] if len(small) else epsilons[-1])


def _from_below(about: Dependence, profile: PrivacyProfile, steps: int, delta: float, low: float, high: float) -> float:
    """An ε′ at which the question leaks more than delta, near the largest, or `low`."""

    def leaks_more(nats: float) -> bool:
        return solve(about, profile, nats, steps, target=delta).delta.lower > delta

    return low if low and not leaks_more(low) else bisected(leaks_more, low, high, absolute=(high - low) / 2**12)[0]
