"""The world of a chain whose probabilities lie in intervals."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from dalenius.channel.channel import Channel
from dalenius.noise import Noise
from dalenius.ratios.intervals.trees.attained import Quantity
from dalenius.ratios.intervals.trees.chain import CredalChain
from dalenius.ratios.intervals.trees.channel import CredalChannel
from dalenius.ratios.intervals.trees.messages import ChainMessages
from dalenius.ratios.intervals.trees.regions import Regions
from dalenius.ratios.intervals.trees.subject import CredalSubject
from dalenius.ratios.intervals.trees.world import CredalWorld, rate_of


@final
@dataclass(frozen=True, eq=False)
class ChainSubject(CredalSubject):
    """A record of a chain: place, from 0; own: the indices of its values; messages: at the noise's rate."""

    place: int
    own: tuple[int, ...]
    messages: ChainMessages

    @cached_property
    def regions(self) -> Regions:
        return self.messages.regions(self.place, self.own)

    def attained(self, quantity: Quantity) -> float:
        return self.messages.attained(self.place, self.own, quantity)


@final
class CredalChainWorld(CredalWorld[CredalChain]):
    """law: the chain; scores: the query's, a sum."""

    kind: ClassVar[str] = "chain"

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        rate = rate_of(noise, self.kind)
        messages = ChainMessages(self.law, self.points, rate)
        whole = float(rate) * self._nats(self.group_sensitivity[0]) if not noise.adds_nothing else 1.0
        people = self.people
        if people is None:
            people = list(range(1, len(self.law.boxes) + 1)) if noise.adds_nothing else [p + 1 for p in messages.places]
        yield CredalChannel([self._subject(person, messages, whole) for person in people], noise, self.kind)

    def _subject(self, person: int, messages: ChainMessages, whole: float) -> ChainSubject:
        subject, own = self.law.subject_of(person), self.law.possible(person)
        return ChainSubject(
            number=person,
            who=subject.who,
            values=subject.secrets,
            asked=self.asked(subject),
            spread=self.by_stratum[subject.stratum],
            lattice=self.scores.lattice,
            moved=whole,
            place=person - 1,
            own=tuple(own),
            messages=messages,
        )

    @staticmethod
    def _nats(distance: Fraction) -> float:
        return float(np.nextafter(float(distance), np.inf))
