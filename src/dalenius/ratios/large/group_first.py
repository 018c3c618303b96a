"""The channel of a person among very many: suprema by their own group alone, wherever the rest cannot add to it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TypeAlias, final

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.finite.stages import is_close
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement
from dalenius.errors import TooLarge
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer

_Read: TypeAlias = Callable[[Channel], list[Found]]


@final
@dataclass(frozen=True)
class GroupFirst(Channel):
    """alone: the channel of what the person's group adds, under the same noise: nothing leaks more (Result 20.1).
    limits: the outputs far out, where the rest cancels: every supremum is at least theirs (Result 20.2). whole: makes
    the channel of the whole answer, which all other quantities are read from, and suprema that the two leave open.
    like: of somebody with a smaller number whose group says the same of them: suprema are read once for both, and the
    witness is theirs; None where there is nobody.

    A supremum is never refused because of the rest: where its law is too large, the enclosure of the two remains.
    """

    alone: FiniteChannel
    limits: FiniteChannel
    whole: Callable[[], Channel]
    like: "GroupFirst | None" = None

    def neighbours(self) -> Found:
        return self.alone.neighbours()

    def ratio(self) -> Found:
        return self._supremum("ratio", lambda channel: [channel.ratio()])[0]

    def movement(self, lowering: float = 1.0) -> Movement:
        def read(channel: Channel) -> list[Found]:
            found = channel.movement(lowering)
            return [found.raised, found.lowered]

        raised, lowered = self._supremum(f"movement {lowering!r}", read)
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        return Divergence(*self._supremum("divergence", lambda channel: list(channel.divergence())))

    def suspected(self) -> Found:
        return self._supremum("suspected", lambda channel: [channel.suspected()])[0]

    def ratio_at(self, delta: float) -> Found:
        return self.whole().ratio_at(delta)

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return self.whole().profile(epsilon, worth)

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        return self.whole().tradeoffs()

    def raised_at(self, delta: float) -> Found:
        return self.whole().raised_at(delta)

    def lowered_at(self, delta: float) -> Found:
        return self.whole().lowered_at(delta)

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return self.whole().raising(epsilon, worth)

    def information(self) -> Found:
        return self.whole().information()

    def at(self, output: Sequence[Answer]) -> Seen:
        return self.whole().at(output)

    def tail(self) -> SubjectTail:
        return self.whole().tail()

    def divergences(self) -> Tail:
        return self.whole().divergences()

    def divergence_at(self, delta: float) -> Found:
        return self.whole().divergence_at(delta)

    def finite(self, asked: str) -> Likelihoods:
        return self.whole().finite(asked)

    def _supremum(self, name: str, read: _Read) -> list[Found]:
        """Several suprema over the outputs, each decided by the group where it can be; name: of what is read."""
        found = self._of_group(name, read)
        if all(_decided(each.value) for each in found):
            return found
        try:
            whole = read(self.whole())
        except TooLarge:
            if any(each.value.upper == inf > each.value.lower for each in found):
                raise
            return found
        return [_narrowed(own, each) for own, each in zip(found, whole, strict=True)]

    def _of_group(self, name: str, read: _Read) -> list[Found]:
        if self.like is not None:
            return [Found(each.value) for each in self.like._of_group(name, read)]
        if name not in self._read:
            self._read[name] = self._enclosed(read)
        return self._read[name]

    @cached_property
    def _read(self) -> dict[str, list[Found]]:
        """By name, what was read of the group."""
        return {}

    def _enclosed(self, read: _Read) -> list[Found]:
        below = read(self.limits)
        try:
            above = [each.value.upper for each in read(self.alone)]
        except TooLarge:
            above = [inf] * len(below)
        return [
            Found(Enclosure(min(low.value.lower, high), high), low.witness)
            for low, high in zip(below, above, strict=True)
        ]


def _decided(value: Enclosure) -> bool:
    return value.lower == value.upper or is_close(value)


def _narrowed(own: Found, whole: Found) -> Found:
    """Both enclose the truth."""
    if _decided(own.value):
        return own
    value = Enclosure(max(own.value.lower, whole.value.lower), min(own.value.upper, whole.value.upper))
    return Found(value, whole.witness or own.witness)
