"""Bounds on all that any pipeline leaks of records whose law is a set of laws, or too large to list.

Rows and networks that are too large are bounded from above. The lower end is only what the record's own change may
leak, whatever depends on it.

Take forty days that are as the day before with chance 0.7, and a pipeline of ε = 1. At δ′ = 0 day 16 leaks 2.0522109
nats at most, and 1 by itself. At ε′ = 1 no δ′ is above 0.478.
"""

import abc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, exp, inf, log, log2
from typing import ClassVar, Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bisection import least_epsilon
from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.chain_bound import bound_of_row, deltas_at, pure_nats_of_row
from dalenius.conversion.clique_laws_given_separator import CliqueViews
from dalenius.conversion.conditional_law_of_others import is_long, is_wide
from dalenius.conversion.leaked_epsilon import FARTHEST
from dalenius.conversion.network_bound import bound_of_network, pure_nats_of_network
from dalenius.conversion.one_record import OneRecord
from dalenius.conversion.profile import PrivacyProfile
from dalenius.fields import RecordValue
from dalenius.joints import Joint
from dalenius.joints.clique_laws import Path

_Deltas = Callable[[float, IntArray | None], Array]
"""A function from e^ε′ and kinds of place to δ′ of every pair of values (c, k, k)."""


@final
@dataclass(frozen=True)
class Whose:
    """The person whom an upper end is about, where it belongs to no question about one law.

    Attributes:
        person: The person's number, from 1.
        who: The words for the person.
        secret: The value.
        against: The value that it is compared with; None for what the record may be.
    """

    person: int
    who: str
    secret: RecordValue
    against: RecordValue | None


@final
@dataclass(frozen=True)
class Worst:
    """The worst place, its value, the value that it is compared with, and what leaks, in nats."""

    place: int
    one: int
    other: int
    value: float


KNOWN_LAW: Final = "Result 13.2"
EVERY_LAW_WITHIN: Final = "Results 13.2 and 21.25, for every law within the intervals"


class Bounded(abc.ABC):
    """Records about which the most that any pipeline of a profile leaks is bounded from above.

    Changing a record is so many steps between neighbours. Where the law is not known, the bound is for any law of a
    set. Upper ends hold for every pipeline of the profile. At δ′ = 0 the lower end is what some pure pipeline is known
    to attain, at any other δ′ it is 0. ε and ε′ are in nats, δ and δ′ are probabilities. In all methods, `profile` is
    the pipeline's privacy profile, and `steps` how many neighbours further a record with another value is.
    """

    @property
    @abc.abstractmethod
    def why(self) -> str:
        """The result by which no more can leak, or why the number is no promise."""

    @property
    @abc.abstractmethod
    def together(self) -> int:
        """The most records that depend on each other."""

    @abc.abstractmethod
    def found(self, nats: float) -> tuple[Whose, Enclosure]:
        """Returns the largest ε′ at δ′ = 0 if changing a record is worth `nats`, and whom the upper end is about."""

    def worst(self, nats: float) -> tuple[Whose, Enclosure]:
        """Returns `found` at these `nats`, which is kept: a search for ε′ asks it dozens of times."""
        return _worst(self, nats)

    @abc.abstractmethod
    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """Returns δ′ at ε′ = epsilon, from above; profile and steps as in the class."""

    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        """Returns the record that any pure pipeline may leak most about; profile and steps as in the class."""
        # Because without a pure ε any will do to choose whom to name: 1 nat.
        return self.worst((profile.pure or 1.0) * steps)[0]

    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        """Returns the least ε′ at δ′ = 0, unbounded for a profile that is not pure; profile, steps as in the class."""
        if profile.pure is None:
            return Enclosure(0.0, inf)
        found = self.worst(profile.pure * steps)[1]
        # Because a pipeline that loses less at larger distances need not attain what its ε between neighbours allows.
        return found if profile.chained else Enclosure(0.0, found.upper)

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose, Enclosure]:
        """Returns δ′ at ε′ = epsilon, and whom to name (see `whose`); profile and steps as in the class."""
        return self.whose(profile, steps), Enclosure(0.0, self.above(profile, steps, epsilon))

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose, Enclosure]:
        """Returns the least ε′ at δ′ = delta, or one that is enough; profile and steps as in the class."""
        most = self.at_zero(profile, steps)
        if not delta:
            return self.whose(profile, steps), most
        # Because no more is known at a very small δ′, or a large ε′, than that all dependent records change at once.
        at_once = OneRecord(profile, self.together * steps, 0.0).epsilon(delta).upper
        upper = min(self.enough(profile, steps, delta), most.upper, at_once)
        return self.whose(profile, steps), Enclosure(0.0, upper)

    def resolves(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        """Says whether its own bound of δ′ at ε′ = epsilon is at most delta; profile and steps as in the class.

        Then more is known than that all records change at once. By default it is.
        """
        return True

    def enough(self, profile: PrivacyProfile, steps: int, delta: float) -> float:
        """Returns an ε′ above 0 that is enough for δ′ = delta, or infinity; profile and steps as in the class."""

        def at(epsilon: float) -> Enclosure:
            # Because the search doubles ε′, and beyond FARTHEST e^ε′, and what it multiplies, leave the doubles.
            found = self.above(profile, steps, min(epsilon, FARTHEST))
            return Enclosure(found, found)

        return least_epsilon(at, delta, inf).upper


@lru_cache(maxsize=64)
def _worst(records: Bounded, nats: float) -> tuple[Whose, Enclosure]:
    return records.found(nats)


def by_itself(nats: float, upper: float, information: bool) -> Enclosure:
    """Returns the enclosure whose lower end is what the record's own change may leak, whatever depends on it.

    Args:
        nats: What changing the record is worth.
        upper: The upper end, in nats.
        information: Whether it is about how much a chance grows, which depends on the prior: then nothing is known.
    """
    return Enclosure(0.0 if information else min(nats * (1 - 8 * UNIT), upper), upper)


@dataclass(frozen=True, eq=False)
class ManyRecords(Bounded):
    """Records of one law that depend on each other, too many to list. Each of them may leak.

    Attributes:
        joint: The law.
        numbers: The people's numbers, by place.
        information: Whether the bound is on how much a chance grows, instead of odds.
    """

    joint: Joint
    numbers: Sequence[int]
    information: bool
    why: ClassVar[str] = KNOWN_LAW

    @property
    def together(self) -> int:
        return len(self.numbers)

    @property
    @abc.abstractmethod
    def chances(self) -> Array:
        """The chances of values, from below (n, k), 0 where a value is impossible."""

    @property
    @abc.abstractmethod
    def slots(self) -> Sequence[IntArray]:
        """The slots of the record's values, by place."""

    @abc.abstractmethod
    def pure_nats(self, nats: float) -> Array:
        """Returns what leaks about every pair of values (n, k, k) if changing a record is worth `nats`, from above."""

    @abc.abstractmethod
    def by_grid(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """Returns the largest δ′ at ε′ = epsilon of any record, from above; profile and steps as in `Bounded`."""

    def found(self, nats: float) -> tuple[Whose, Enclosure]:
        found = worst_pure(self.pure_nats(nats), self.chances, self.information)
        universe = [value for stratum in self.joint.strata() for value in stratum.values]
        values, number = [universe[slot] for slot in self.slots[found.place].tolist()], self.numbers[found.place]
        against = None if self.information else values[found.other]
        whose = Whose(number, self.joint.subject_of(number).who, values[found.one], against)
        return whose, by_itself(nats, found.value, self.information)

    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        found = super().at_zero(profile, steps)
        # Because no chance grows beyond certainty, whatever a pipeline says.
        rarest = float(np.min(self.chances, where=self.chances > 0, initial=1.0))
        most = -log(rarest) * (1 + 4 * UNIT) if self.information else inf
        return Enclosure(found.lower, min(found.upper, most))

    def resolves(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        if self.at_zero(profile, steps).upper <= epsilon:
            return True
        return epsilon <= FARTHEST and self.by_grid(profile, steps, epsilon) <= delta

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        # Because nothing is left beyond the ε′ of a pure profile, no bound need be made.
        if self.at_zero(profile, steps).upper <= epsilon:
            return 0.0
        found = self.by_grid(profile, steps, min(epsilon, FARTHEST))
        # Because all records changed at once leak less where a pipeline says next to nothing about all of them.
        together = profile.of_group(len(self.numbers) * steps)
        return found if together is None else min(found, together.delta(epsilon))


@final
@dataclass(frozen=True, eq=False)
class LongRow(ManyRecords):
    """The records of a row, such as days: messages come from either end (Result 13.5).

    The result is for records each of which is independent of those beyond its neighbours, given these.
    """

    path: Path

    def by_grid(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        bound = _bound_of_row(self.path, profile, steps, _reach(profile, steps, epsilon))
        return _worst_delta(bound.deltas, self._least(bound.places), self.information, epsilon)

    def pure_nats(self, nats: float) -> Array:
        return pure_nats_of_row(self.path, nats)

    @property
    def slots(self) -> Sequence[IntArray]:
        return tuple(self.path.slots)

    @property
    def chances(self) -> Array:
        return self.path.chances * (1 - self.path.error - 1e-12)

    def _least(self, places: IntArray) -> Array:
        """Returns the least chances of values (c, k) where they are possible, over all places of each kind."""
        chances, n = self.chances, len(self.numbers)
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

    def by_grid(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        epsilons, bound = _bound_of_network(self.views, profile, steps, _reach(profile, steps, epsilon))

        def deltas(fold: float, kinds: IntArray | None) -> Array:
            return deltas_at(bound if kinds is None else bound[kinds], fold, epsilons)

        return _worst_delta(deltas, self.chances, self.information, epsilon)

    def pure_nats(self, nats: float) -> Array:
        return _pure_nats(self.views, nats)

    @property
    def slots(self) -> Sequence[IntArray]:
        return self.views.cliques.slots

    @cached_property
    def chances(self) -> Array:
        found = np.zeros((len(self.numbers), max(map(len, self.views.cliques.slots))))
        for own, law in zip(found, self.views.chances, strict=True):
            least = np.where(law.solid, np.maximum(law.doubles(), 5e-324), 0.0)
            own[: len(least)] = np.where(law.solid, np.maximum(least * (1 - self.views.cliques.error), 5e-324), 0.0)
        return found


def _worst_delta(deltas: _Deltas, chances: Array, information: bool, epsilon: float) -> float:
    """Returns the largest δ′; chances (c, k): of values, from below, 0 where impossible."""
    # Because nothing can be asked about records that are certain.
    certain = (chances > 0).sum(axis=1) < 2
    return float(np.where(certain[:, None, None], 0.0, _leaks(deltas, chances, information, epsilon)).max())


def _leaks(deltas: _Deltas, chances: Array, information: bool, epsilon: float) -> Array:
    """Returns what leaks by kind of place and value, against each other value (c, k, k); with information (c, k, 1)."""
    k, possible = chances.shape[1], chances > 0
    # Without information it is the bound of two values, at ε′ itself; with it, that of a value, at a larger ε′.
    if not information:
        both = possible[:, :, None] & possible[:, None, :] & ~np.eye(k, dtype=bool)
        return np.asarray(np.where(both, deltas(exp(epsilon), None), 0.0))
    found = np.zeros((*chances.shape, 1))
    for value in range(k):
        for share in np.unique(chances[possible[:, value], value]).tolist():
            spare = 1 - exp(epsilon) * share
            own = np.flatnonzero(chances[:, value] == share)
            # A value may be so likely that its chance cannot grow e^ε′-fold, such as "healthy" for a rare illness.
            if spare <= 32 * UNIT * exp(epsilon):
                # Because no δ′ is above it, and it may be a rounding off 0.
                found[own, value, 0] = max(spare + 32 * UNIT * exp(epsilon), 0.0)
                continue
            inner = deltas(exp(epsilon) * (1 - share) / spare * (1 - 8 * UNIT), own)[:, value]
            inner[~possible[own]] = 0.0
            inner[:, value] = 0.0
            found[own, value, 0] = np.maximum(spare + 8 * UNIT, 0.0) * inner.max(axis=1) * (1 + 8 * UNIT)
    return found


def worst_pure(found: Array, chances: Array, information: bool) -> Worst:
    """Returns the worst place and pair of values.

    Args:
        found: The nats between the values of each record (n, k, k).
        chances: The values' chances, from below (n, k), 0 where impossible.
        information: Whether it is about how much a chance grows, instead of odds.
    """
    possible = chances > 0
    both = possible[:, :, None] & possible[:, None, :] & ~np.eye(found.shape[1], dtype=bool)
    found = np.where(both, found, 0.0)
    if information:
        share = np.where(possible, chances, 1.0)
        # This is the log of 1/(share + (1 − share)e^{−g}).
        found = -np.log1p((1 - share) * np.expm1(-found.max(axis=2)))[:, :, None] * (1 + 8 * UNIT)
    # Among places that rounding cannot tell apart the first is named; nothing can be asked about certain records.
    near = np.where(found >= found.max() * (1 - 1e-9), found.max(), found)
    certain = (possible.sum(axis=1) < 2)[:, None, None]
    place, one, other = np.unravel_index(int(np.argmax(np.where(certain, -1.0, near))), found.shape)
    return Worst(int(place), int(one), int(other), float(found.max()))


def _reach(profile: PrivacyProfile, steps: int, epsilon: float) -> float:
    """Returns the ε′ up to which a grid is made, for this one and others near it: all that share it use one bound."""
    return min(max(2.0 ** (1 + ceil(log2(max(epsilon, 1.0)))), _faint(profile, steps)), FARTHEST)


@lru_cache(maxsize=64)
def _faint(profile: PrivacyProfile, steps: int) -> float:
    """Returns an ε at which δ is next to nothing, or at which no more is asked."""
    epsilons = np.geomspace(1e-3, 40.0, 400)
    # So that a grid reaches at least to the ε where the profile's δ is this small.
    small = np.flatnonzero(profile.delta_at(epsilons) <= 1e-7)
    return 3 * steps * float(epsilons[small[0]] if len(small) else epsilons[-1])


def long_records(joint: Joint, information: bool) -> Iterator[ManyRecords]:
    """Yields the rows and networks of `joint` whose states are too many to list, and in which somebody has a secret.

    information: whether bounds are on how much a chance grows, instead of odds.
    """
    for factor in joint.factors():
        numbers = factor.people[: factor.size]
        if is_long(factor) and factor.path is not None:
            found: ManyRecords = LongRow(joint, numbers, information, factor.path)
        # In a network records depend on several others each, in cliques that overlap.
        elif is_wide(factor) and factor.cliques is not None:
            found = WideNetwork(joint, numbers, information, CliqueViews(factor.cliques))
        else:
            continue
        # Because nobody has a secret where all are certain.
        if ((found.chances > 0).sum(axis=1) > 1).any():
            yield found


# A search for ε′ wants the same bound dozens of times: `_reach` gives all of them one grid.
_bound_of_row = lru_cache(maxsize=64)(bound_of_row)
_bound_of_network = lru_cache(maxsize=16)(bound_of_network)
_pure_nats = lru_cache(maxsize=64)(pure_nats_of_network)
