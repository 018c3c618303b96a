"""What bounds all that any pipeline leaks of records where their law is a set of laws, or too large to list.

Rows and networks that are too large lie between what bounds them and what a few records around one attain: any pipeline
may look at no others.

Forty days that are as the day before with chance 0.7, and a pipeline of ε = 1: at δ′ = 0 day 16 leaks between 2.0522108
and 2.0522109 nats. At ε′ = 1 the largest δ′ is between 0.253 and 0.478: there the two ends are far from each other.
"""

import abc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, exp, inf, log2
from typing import Final, final

import numpy as np

from dalenius.bisection import bisected, least_epsilon
from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.chain_bound import bound_of_row, deltas_at, pure_nats_of_row
from dalenius.conversion.dependence import Dependence, GroupMember, is_long, is_wide, questions
from dalenius.conversion.group_program import solve
from dalenius.conversion.least_epsilon import FARTHEST, pure_leakage
from dalenius.conversion.network_bound import bound_of_network, pure_nats_of_network
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.separator_views import CliqueViews, nearest_records, question_of_count, states_around
from dalenius.field_types import RecordValue
from dalenius.joints import Joint
from dalenius.joints.factors import Cliques, Path
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import Array, IntArray

_MOST: Final = 64
"""Records that are counted: the nearest."""
_Deltas = Callable[[float, IntArray | None], Array]
"""By e^ε′ and kinds of place, δ′ of every pair of values (c, k, k)."""


@final
@dataclass(frozen=True)
class Whose:
    """About whom an upper end is, where it belongs to no question about one law: the person's number and what they are
    called, the value, and what it is compared with; against None: with what the record may be."""

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
    and under any law of a set where the law is not known; from both sides.

    Upper ends hold for every pipeline of the profile, lower ends are what some pipeline is known to attain, or 0. ε and
    ε′ are in nats, δ and δ′ are probabilities.
    """

    @abc.abstractmethod
    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Dependence | Whose, Enclosure]:
        """δ′ at ε′ = epsilon, and about whom the upper end is."""

    @abc.abstractmethod
    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Dependence | Whose, Enclosure]:
        """The least ε′ at δ′ = delta, or one that is enough."""

    @abc.abstractmethod
    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """δ′ from above."""

    def enough(self, profile: PrivacyProfile, steps: int, delta: float) -> float:
        """An ε′ that is enough for δ′ = delta, above 0: infinite where none is found."""

        def at(epsilon: float) -> Enclosure:
            # The search doubles ε′ until it is enough: beyond FARTHEST e^ε′, and what it multiplies, leave the doubles.
            found = self.above(profile, steps, min(epsilon, FARTHEST))
            return Enclosure(found, found)

        return least_epsilon(at, delta, inf).upper


class BoundedAtZero(Bounded):
    """The same where lower ends are known at δ′ = 0 alone, as of laws that are known by their intervals or pairs.

    At any other δ′ the lower end is 0.
    """

    @abc.abstractmethod
    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        """About whom the upper ends are."""

    @abc.abstractmethod
    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        """The least ε′ at δ′ = 0: infinite where the profile is not pure."""

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose, Enclosure]:
        return self.whose(profile, steps), Enclosure(0.0, self.above(profile, steps, epsilon))

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose, Enclosure]:
        found = Enclosure(0.0, self.enough(profile, steps, delta)) if delta else self.at_zero(profile, steps)
        return self.whose(profile, steps), found


@dataclass(frozen=True, eq=False)
class ManyRecords(Bounded):
    """Records of one law that depend on each other, too many to list, each of which may leak. numbers: the people's, by
    place."""

    joint: Joint
    numbers: range | tuple[int, ...]
    information: bool

    @abc.abstractmethod
    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Worst:
        """The largest δ′ at ε′ = epsilon, from above."""

    @abc.abstractmethod
    def pure_worst(self, nats: float) -> Worst:
        """The largest ε′ at δ′ = 0 where changing a record is worth so many nats, from above."""

    @abc.abstractmethod
    def around(self, place: int) -> tuple[CliqueViews, int]:
        """A tree of cliques that holds all that may be looked at for the record at a place, and its place there."""

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Dependence, Enclosure]:
        """And the question about a stretch around the record of which it is the largest."""
        worst = self._above(profile, steps, epsilon)
        about = self.questions_about(worst)
        # A pure pipeline, at more nats than it leaks: δ′ is 0, and no program need be solved.
        if not worst.value:
            return about[0], Enclosure(0.0, 0.0)
        lower = max(solve(each, profile, epsilon, steps).delta.lower for each in about)
        return about[0], Enclosure(min(lower, worst.value), worst.value)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        return self._above(profile, steps, epsilon).value

    def _above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Worst:
        """Where δ′ at ε′ = epsilon is largest, from above: 0 beyond the ε′ of a pure profile."""
        if profile.pure is not None and (found := self.pure_worst(profile.pure * steps)).value <= epsilon:
            return replace(found, value=0.0)
        found = self.worst(profile, steps, epsilon)
        # All records may change at once: of a pipeline that says next to nothing of all of them that is less.
        together = profile.of_group(len(self.numbers) * steps)
        return found if together is None else replace(found, value=min(found.value, together.delta(epsilon)))

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Dependence, Enclosure]:
        """Between what a few records attain and what the bound allows; and a question about the record of which it is
        the largest."""
        # A pure pipeline at δ′ = 0, as `convert --epsilon` asks first: only ratios count, and nothing is searched for.
        if delta == 0 and profile.pure is not None:
            found = self.pure_worst(profile.pure * steps)
            about = self.questions_about(found)
            lower = max(pure_leakage(each, profile.pure, steps).lower for each in about)
            return about[0], Enclosure(min(lower, found.value), found.value)
        high = self.enough(profile, steps, delta) if delta else inf
        about, low = self.questions_about(self.worst(profile, steps, min(high, FARTHEST))), 0.0 if delta else inf
        # No ε′ is enough at δ′ = 0 of a profile that is not pure, nor of a pipeline that hides next to nothing.
        if high < inf:
            for each in about:
                low = _from_below(each, profile, steps, delta, low, high)
        return about[0], Enclosure(low, high)

    def questions_about(self, worst: Worst) -> list[Dependence]:
        """The same record and values, where no records but the nearest few are looked at, or how many of more of them
        have a value that its own makes likelier."""
        (views, place), number = self.around(worst.place), self.numbers[worst.place]
        universe = [value for stratum in self.joint.strata() for value in stratum.values]
        values: list[RecordValue] = [universe[slot] for slot in views.cliques.slots[place].tolist()]
        about = [
            replace(each, error=each.error + 4 * views.cliques.error)
            for each in questions(self._stretch(views, place, number, values), self.information)
        ]
        secret, against = values[worst.one], None if self.information else values[worst.other]
        # A value so faint that the states listed hold none of it: the first question stands in for it.
        found = next((each for each in about if (each.secret, each.against) == (secret, against)), about[0])
        other = None if found.against is None else values.index(found.against)
        near = nearest_records(views, place, 2**_MOST)[1:_MOST]
        return [found, question_of_count(views, place, values.index(found.secret), other, near, found)]

    def _stretch(self, views: CliqueViews, place: int, number: int, values: Sequence[RecordValue]) -> GroupMember:
        """The record at a place, numbered and with these values, where no more of the others are looked at than have 64
        states together: six bits."""
        # States of the others that are listed, at the most.
        states, chances = states_around(views, place, 64)
        own = views.chances[place]
        possible = [value for value in own.possible.tolist() if chances[:, value].any()]
        rows = [np.flatnonzero(chances[:, value]) for value in possible]
        return GroupMember(
            person=number,
            who=self.joint.subject_of(number).who,
            secrets=tuple(values[value] for value in possible),
            log_prior=own.logs()[possible],
            others=tuple(states[each] for each in rows),
            logs=tuple(np.log(chances[each, value]) for each, value in zip(rows, possible, strict=True)),
            counted=False,
            size=states.shape[1] + 1,
        )


@final
@dataclass(frozen=True, eq=False)
class LongRow(ManyRecords):
    """The records of a row, such as days: messages come from either end (Result 13.5, for records each of which is
    independent of those beyond its neighbours, given these)."""

    path: Path

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Worst:
        bound = _bound_of_row(self.path, profile, steps, _reach(profile, steps, epsilon))
        return worst_delta(bound.deltas, self._least(bound.places), bound.places[:, 0], self.information, epsilon)

    def pure_worst(self, nats: float) -> Worst:
        return worst_pure(pure_nats_of_row(self.path, nats), self._chances, self.information)

    def around(self, place: int) -> tuple[CliqueViews, int]:
        """The row's records next to one, as a tree of cliques of two: so many on either side that 64 are counted."""
        n, k = self.path.chances.shape
        reach = 1 + int(_MOST / log2(k))
        start, end = max(place - reach, 0), min(place + reach + 1, n)
        laws = [
            Masses.of(self.path.chances[i][:, None]).times(Masses.of(self.path.forward[self.path.onward[i]]))
            for i in range(start, end - 1)
        ]
        pairs = tuple((i, i + 1) for i in range(end - start - 1))
        slots = tuple(self.path.slots[start:end])
        tree = Cliques(pairs, tuple(laws), np.arange(len(pairs)) - 1, 2 * self.path.error + UNIT, slots)
        return CliqueViews(tree), place - start

    @property
    def _chances(self) -> Array:
        """From below, 0 where a value is impossible."""
        return self.path.chances * (1 - self.path.error - 1e-12)

    def _least(self, places: IntArray) -> Array:
        """The least chances of values (c, k) where they are possible, over all places of each kind."""
        chances, n = self._chances, len(self.numbers)
        left, right, ends = places[:, 1].max(), places[:, 2].max(), np.arange(n)
        code = np.minimum(ends, left) * (right + 1) + np.minimum(n - 1 - ends, right)
        order = np.searchsorted(known := np.sort(places[:, 1] * (right + 1) + places[:, 2]), code)
        found = np.full((len(places), chances.shape[1]), np.inf)
        np.minimum.at(found, order, np.where(chances > 0, chances, np.inf))
        found = np.where(np.isfinite(found), found, 0.0)
        return np.asarray(found[np.searchsorted(known, places[:, 1] * (right + 1) + places[:, 2])])


@final
@dataclass(frozen=True, eq=False)
class WideNetwork(ManyRecords):
    """The records of a network: messages come from every separator (Result 13.7, for records in a tree of cliques)."""

    views: CliqueViews

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float) -> Worst:
        """Over all records: each is its own kind of place."""
        epsilons, bound = _bound_of_network(self.views, profile, steps, _reach(profile, steps, epsilon))

        def deltas(fold: float, kinds: IntArray | None) -> Array:
            return deltas_at(bound if kinds is None else bound[kinds], fold, epsilons)

        return worst_delta(deltas, self.chances, np.arange(len(self.numbers)), self.information, epsilon)

    def pure_worst(self, nats: float) -> Worst:
        return worst_pure(_pure_nats(self.views, nats), self.chances, self.information)

    def around(self, place: int) -> tuple[CliqueViews, int]:
        return self.views, place

    @cached_property
    def chances(self) -> Array:
        """From below (n, k), 0 where a value is impossible."""
        found = np.zeros((len(self.numbers), max(map(len, self.views.cliques.slots))))
        for own, law in zip(found, self.views.chances, strict=True):
            least = np.where(law.solid, np.maximum(law.doubles(), 5e-324), 0.0)
            own[: len(least)] = np.where(law.solid, np.maximum(least * (1 - self.views.cliques.error), 5e-324), 0.0)
        return found


def worst_delta(deltas: _Deltas, chances: Array, places: IntArray, information: bool, epsilon: float) -> Worst:
    """chances (c, k): of values, from below, 0 where impossible; places (c,): one of each kind."""
    kind, one, other, value = _largest(_leaks(deltas, chances, information, epsilon), chances)
    return Worst(int(places[kind]), one, other, value)


def _leaks(deltas: _Deltas, chances: Array, information: bool, epsilon: float) -> Array:
    """By kind of place and value, what is the largest over other values (c, k, k); information (c, k, 1)."""
    k, possible = chances.shape[1], chances > 0
    # Inferential: what bounds two values, at ε′ itself. Information: the most that does a value, at a larger ε′.
    if not information:
        both = possible[:, :, None] & possible[:, None, :] & ~np.eye(k, dtype=bool)
        return np.asarray(np.where(both, deltas(exp(epsilon), None), 0.0))
    found = np.zeros((*chances.shape, 1))
    for value in range(k):
        for share in np.unique(chances[possible[:, value], value]).tolist():
            spare = 1 - exp(epsilon) * share
            own = np.flatnonzero(chances[:, value] == share)
            # A value so likely that its chance cannot grow e^ε′-fold, such as "healthy" of a rare illness.
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


def _reach(profile: PrivacyProfile, steps: int, epsilon: float) -> float:
    """Up to which ε′ a grid is for this one and others near it: a bound is made once for all that have the same."""
    return min(max(2.0 ** (1 + ceil(log2(max(epsilon, 1.0)))), _faint(profile, steps)), FARTHEST)


@lru_cache(maxsize=64)
def _faint(profile: PrivacyProfile, steps: int) -> float:
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


def long_records(joint: Joint, information: bool) -> Iterator[ManyRecords]:
    """The rows and networks of a law whose states are too many to list, and in which somebody has a secret."""
    for factor in joint.factors():
        # Days of a chain, of which one at least is uncertain: where all are certain nobody has a secret.
        if is_long(factor) and factor.path is not None:
            if ((factor.path.chances > 0).sum(axis=1) > 1).any():
                first = factor.people[0]
                yield LongRow(joint, range(first, first + len(factor.path.chances)), information, factor.path)
        # A network: records that depend on several others each, in cliques that overlap.
        elif is_wide(factor) and factor.cliques is not None:
            found = WideNetwork(joint, tuple(factor.people[: factor.size]), information, CliqueViews(factor.cliques))
            if ((found.chances > 0).sum(axis=1) > 1).any():
                yield found


# A search for ε′ wants the same bound dozens of times: `_reach` gives all of them one grid.
_bound_of_row = lru_cache(maxsize=64)(bound_of_row)
_bound_of_network = lru_cache(maxsize=16)(bound_of_network)
_pure_nats = lru_cache(maxsize=64)(pure_nats_of_network)
