"""Rows and networks of records that are too large to list, between what bounds them and what a few records around one
attain: any pipeline may look at no others."""

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import log2
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion import chain_bound, network_bound
from dalenius.conversion.bounded_records import FARTHEST, BoundedRecords, Worst, faint, worst_delta, worst_pure
from dalenius.conversion.clique_views import Views, counted, nearest, states_around
from dalenius.conversion.dependence import Dependence, Person, is_long, is_wide, questions
from dalenius.conversion.profile import PrivacyProfile
from dalenius.joints import Joint
from dalenius.joints.factors import Cliques, Path
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

_MOST: Final = 64
"""Records that are counted: the nearest."""


@dataclass(frozen=True, eq=False)
class _LongRecords(BoundedRecords):
    """Records that depend on each other, each of which may leak. numbers: the people's, by place."""

    joint: Joint
    numbers: range | tuple[int, ...]
    information: bool

    @property
    def people(self) -> int:
        return len(self.numbers)

    @abc.abstractmethod
    def around(self, place: int) -> tuple[Views, int]:
        """A tree of cliques that holds all that may be looked at for the record at a place, and its place there."""

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
        found = next((each for each in about if (each.secret, each.against) == (secret, against)), about[0])
        other = None if found.against is None else values.index(found.against)
        near = nearest(views, place, 2**_MOST)[1:_MOST]
        return [found, counted(views, place, values.index(found.secret), other, near, found)]

    def _stretch(self, views: Views, place: int, number: int, values: Sequence[RecordValue]) -> Person:
        # States of the others that are listed, at the most.
        states, chances = states_around(views, place, 64)
        own = views.chances[place]
        possible = [value for value in own.possible.tolist() if chances[:, value].any()]
        rows = [np.flatnonzero(chances[:, value]) for value in possible]
        return Person(
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
class LongRow(_LongRecords):
    """The records of a row."""

    path: Path

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        bound = _bound_of_row(self.path, profile, steps, min(max(2 * reach, faint(profile, steps)), FARTHEST))
        return worst_delta(bound.deltas, self._least(bound.places), bound.places[:, 0], self.information, epsilon)

    def pure_worst(self, nats: float) -> Worst:
        return worst_pure(chain_bound.pure_nats(self.path, nats), self._chances, self.information)

    def around(self, place: int) -> tuple[Views, int]:
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
        return Views(tree), place - start

    @property
    def _chances(self) -> Array:
        """From below, 0 where a value is impossible."""
        return self.path.chances * (1 - self.path.error - 1e-12)

    def _least(self, places: IntArray) -> Array:
        """The least chances of values (c, k) where they are possible, over all places of each kind."""
        chances, n = self._chances, self.people
        left, right, ends = places[:, 1].max(), places[:, 2].max(), np.arange(n)
        code = np.minimum(ends, left) * (right + 1) + np.minimum(n - 1 - ends, right)
        order = np.searchsorted(known := np.sort(places[:, 1] * (right + 1) + places[:, 2]), code)
        found = np.full((len(places), chances.shape[1]), np.inf)
        np.minimum.at(found, order, np.where(chances > 0, chances, np.inf))
        found = np.where(np.isfinite(found), found, 0.0)
        return np.asarray(found[np.searchsorted(known, places[:, 1] * (right + 1) + places[:, 2])])


@final
@dataclass(frozen=True, eq=False)
class WideNetwork(_LongRecords):
    """The records of a network."""

    views: Views

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        reach = min(max(2 * reach, faint(profile, steps)), FARTHEST)
        epsilons, bound = _bound_of_network(self.views, profile, steps, reach)

        def deltas(fold: float, kinds: IntArray | None) -> Array:
            return chain_bound.deltas_at(bound if kinds is None else bound[kinds], fold, epsilons)

        return worst_delta(deltas, self.chances, np.arange(self.people), self.information, epsilon)

    def pure_worst(self, nats: float) -> Worst:
        return worst_pure(_pure_nats(self.views, nats), self.chances, self.information)

    def around(self, place: int) -> tuple[Views, int]:
        return self.views, place

    @cached_property
    def chances(self) -> Array:
        """From below (n, k), 0 where a value is impossible."""
        found = np.zeros((self.people, max(map(len, self.views.cliques.slots))))
        for own, law in zip(found, self.views.chances, strict=True):
            least = np.where(law.solid, np.maximum(law.doubles(), 5e-324), 0.0)
            own[: len(least)] = np.where(law.solid, np.maximum(least * (1 - self.views.cliques.error), 5e-324), 0.0)
        return found


def long_records(joint: Joint, information: bool) -> Iterator[_LongRecords]:
    """The rows and networks of a law whose states are too many to list, and in which somebody has a secret."""
    for factor in joint.factors():
        if is_long(factor) and factor.path is not None:
            if ((factor.path.chances > 0).sum(axis=1) > 1).any():
                first = factor.people[0]
                yield LongRow(joint, range(first, first + len(factor.path.chances)), information, factor.path)
        elif is_wide(factor) and factor.cliques is not None:
            found = WideNetwork(joint, tuple(factor.people[: factor.size]), information, Views(factor.cliques))
            if ((found.chances > 0).sum(axis=1) > 1).any():
                yield found


_bound_of_row = lru_cache(maxsize=64)(chain_bound.bound_of)
_bound_of_network = lru_cache(maxsize=16)(network_bound.bound_of)
_pure_nats = lru_cache(maxsize=64)(network_bound.pure_nats)
