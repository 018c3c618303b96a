"""The channel of a secret with finitely many values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self, final

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite import profiles, quantities
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.finite.posterior import FiniteSeen
from dalenius.channel.finite.refinement import refined
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.witness import Divergence, Found, Movement
from dalenius.laws.tails.losses import Gain, PosteriorDivergence
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer


@final
@dataclass(frozen=True)
class FiniteChannel(Likelihoods, Channel):
    """The channel of one subject, by its likelihoods."""

    @property
    def sharing(self) -> int:
        return len(self.subject.members) if self.subject.shared else 0

    def neighbours(self) -> Found:
        return quantities.neighbours(self)

    def ratio(self) -> Found:
        return self._refined(quantities.ratio)

    def ratio_at(self, delta: float) -> Found:
        return profiles.ratio_at(self, delta)

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return profiles.profile(self, epsilon, worth)

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        return profiles.tradeoffs(self)

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement(**refined(lambda channel: quantities.movement(channel, lowering)._asdict(), self))

    def raised_at(self, delta: float) -> Found:
        return profiles.raised_at(self, delta)

    def lowered_at(self, delta: float) -> Found:
        return profiles.lowered_at(self, delta)

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return profiles.raising(self, epsilon, worth)

    def divergence(self) -> Divergence:
        return Divergence(**refined(lambda channel: quantities.divergence(channel)._asdict(), self))

    def information(self) -> Found:
        return quantities.information(self)

    def tail(self) -> SubjectTail:
        return SubjectTail(self.tail_of(Gain(self.log_prior)), quantities.maximal_leakage(self), self.witness())

    def divergences(self) -> Tail:
        return self.tail_of(PosteriorDivergence(self.log_prior))

    def divergence_at(self, delta: float) -> Found:
        return Found(self.divergences().quantile(delta), self.witness())

    def suspected(self) -> Found:
        return self._refined(quantities.suspected)

    def at(self, output: Sequence[Answer]) -> FiniteSeen:
        return FiniteSeen(self, output)

    def finite(self, asked: str) -> Self:
        return self

    def _refined(self, read: Callable[[Likelihoods], Found]) -> Found:
        return refined(lambda channel: {"": read(channel)}, self)[""]
