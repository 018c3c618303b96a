"""Questions about the records of a network that is too large to list, between what bounds it and what a few of them
attain."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.branches import bound_of, pure_nats
from dalenius.conversion.counting import MOST, counted
from dalenius.conversion.dependence import Dependence, Person, is_wide
from dalenius.conversion.neighbourhood import law_around, nearest
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.rows import read
from dalenius.conversion.unlisted import FARTHEST, STRETCH, Stretched, Worst, faint, worst_delta, worst_pure
from dalenius.conversion.views import Views
from dalenius.joints import Joint
from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True, eq=False)
class WideNetwork(Stretched):
    """The records of a network, each of which may leak. numbers: the people's, by place."""

    joint: Joint
    views: Views
    numbers: tuple[int, ...]
    information: bool

    @property
    def people(self) -> int:
        return len(self.numbers)

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        epsilons, bound = _bound_of(self.views, profile, steps, min(max(2 * reach, faint(profile, steps)), FARTHEST))

        def deltas(fold: float, kinds: IntArray | None) -> Array:
            kept = bound if kinds is None else bound[kinds]
            at = np.array([fold * (1 - 8 * UNIT)])
            flat = kept.reshape(-1, len(epsilons))
            return np.minimum([read(each, at, epsilons)[0] for each in flat], 1.0).reshape(kept.shape[:-1])

        return worst_delta(deltas, self._chances, np.arange(len(self.numbers)), self.information, epsilon)

    def pure_worst(self, nats: float) -> Worst:
        return worst_pure(_pure_nats(self.views, nats), self._chances, self.information)

    def stretch(self, place: int) -> tuple[Person, float]:
        states, logs, around = law_around(self.views, place, STRETCH)
        own, number = around.index(place), self.numbers[place]
        values, others, given, prior, secrets = self.values(place), [], [], [], []
        for value in np.unique(states[:, own]).tolist():
            rows = np.flatnonzero(states[:, own] == value)
            mass = np.logaddexp.reduce(logs[rows])
            others.append(np.delete(states[rows], own, axis=1))
            given.append(logs[rows] - mass)
            prior.append(float(mass))
            secrets.append(values[value])
        who = self.joint.subject_of(number).who
        person = Person(number, who, tuple(secrets), np.array(prior), tuple(others), tuple(given), False, len(around))
        return person, 4 * self.views.cliques.error

    def further(self, place: int, asked: Dependence) -> list[Dependence]:
        values = self.values(place)
        other = None if asked.against is None else values.index(asked.against)
        near = nearest(self.views, place, 2**MOST)
        return [counted(self.views, place, values.index(asked.secret), other, near[1:MOST], asked)]

    def slots(self, place: int) -> IntArray:
        return self.views.cliques.slots[place]

    @cached_property
    def _chances(self) -> Array:
        """From below, 0 where a value is impossible."""
        found = np.zeros((len(self.numbers), max(map(len, self.views.cliques.slots))))
        for own, law in zip(found, self.views.chances, strict=True):
            least = np.where(law.solid, np.maximum(law.doubles(), 5e-324), 0.0)
            own[: len(least)] = np.where(law.solid, np.maximum(least * (1 - self.views.cliques.error), 5e-324), 0.0)
        return found


def wide_networks(joint: Joint, information: bool) -> Iterator[WideNetwork]:
    """The networks of a law whose states are too many to list, and in which somebody has a secret."""
    for factor in joint.factors():
        if is_wide(factor) and factor.cliques is not None:
            found = WideNetwork(joint, Views(factor.cliques), tuple(factor.people[: factor.size]), information)
            if ((found._chances > 0).sum(axis=1) > 1).any():
                yield found


_bound_of = lru_cache(maxsize=16)(bound_of)
_pure_nats = lru_cache(maxsize=64)(pure_nats)
