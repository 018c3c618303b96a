"""The world of a set of laws that holds the laws meant, and more: its bounds are theirs from above only."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.credal.world import CredalWorld
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.question import Question
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement
from dalenius.channel.world import World
from dalenius.joints import Stratum
from dalenius.joints.imprecise.outer import Outer
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise


@final
class OuterChannel(Channel):
    """The channel `around` with lower ends 0, but for what no law matters to."""

    def __init__(self, around: Channel) -> None:
        self._around = around

    def neighbours(self) -> Found:
        return self._around.neighbours()

    def ratio(self) -> Found:
        return _above(self._around.ratio())

    def ratio_at(self, delta: float) -> Found:
        return _above(self._around.ratio_at(delta))

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return Enclosure(0.0, self._around.profile(epsilon, worth).upper)

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        return self._around.tradeoffs()

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement(*map(_above, self._around.movement(lowering)))

    def raised_most(self, worth: float) -> float:
        return self._around.raised_most(worth)

    def raised_at(self, delta: float) -> Found:
        return _above(self._around.raised_at(delta))

    def lowered_at(self, delta: float) -> Found:
        return _above(self._around.lowered_at(delta))

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return Enclosure(0.0, self._around.raising(epsilon, worth).upper)

    def divergence(self) -> Divergence:
        return Divergence(*map(_above, self._around.divergence()))

    def information(self) -> Found:
        return self._around.information()

    def suspected(self) -> Found:
        return self._around.suspected()

    def at(self, output: Sequence[Answer]) -> Seen:
        return self._around.at(output)

    def tail(self) -> SubjectTail:
        return self._around.tail()

    def divergences(self) -> Tail:
        return self._around.divergences()

    def finite(self, asked: str) -> Likelihoods:
        return self._around.finite(asked)


def _above(found: Found) -> Found:
    return Found(Enclosure(0.0, found.value.upper), found.witness)


@final
class OuterWorld(World):
    """around: the world of the larger set."""

    credal: ClassVar[bool] = True

    def __init__(self, around: CredalWorld) -> None:
        self._around = around
        self.scores = around.scores

    @classmethod
    def of(cls, belief: Outer, question: Question) -> "OuterWorld":
        return cls(CredalWorld.of(belief.around, question))

    @property
    def strata(self) -> tuple[Stratum, ...]:
        return self._around.strata

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        for channel in self._around.channels(noise):
            yield OuterChannel(channel)

    @property
    def names(self) -> tuple[str, ...]:
        return self._around.names

    @property
    def engines(self) -> list[tuple[str, str]]:
        return self._around.engines

    @property
    def sensitivity(self) -> Fraction:
        return self._around.sensitivity

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        return self._around.group_sensitivity

    @property
    def group_size(self) -> int:
        return self._around.group_size

    @property
    def reach(self) -> Fraction:
        return self._around.reach
