"""Suprema and averages of all classes of a long chain's records: by limits where these are close, else by windows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure
from dalenius.channel.answer_window_channel import RecordChannel, WindowChannel
from dalenius.channel.channel import Channel, RatioName
from dalenius.channel.large.largest_class import (
    AtMost,
    divergence_at_most,
    information_at_most,
    largest_of,
    unbounded,
)
from dalenius.channel.large.long_records import LongRecords
from dalenius.channel.leakage import Divergence, Found, Movement, is_close, worst_of

_Read: TypeAlias = Callable[[Channel], list[Found]]
_NEARLY: Final = 1e-12
"""Share of the largest ε, and nats, within which classes are not told apart."""


@final
@dataclass(frozen=True, eq=False)
class WindowedRecords(Channel):
    """Channel of all records of a chain or network, by limits and by windows.

    Args:
        bounded: The limits at ±∞, and ranges of messages.
        exact: Whether classes know their suprema.
        known: Whether windows serve at all, which is asked where the limits are not enough.
        each: Makes the channel of every class of records.
        laws: Makes channels from the law of all sums, for suprema that windows do not know; None where it is slow.
    """

    bounded: LongRecords
    exact: bool
    known: Callable[[], bool]
    each: Callable[[], Iterator[WindowChannel]]
    laws: Callable[[], Iterator[RecordChannel]] | None = None

    def singly(self, quantity: str) -> Iterator[Channel]:
        yield from self.each() if self.known() else self.bounded.singly(quantity)

    def neighbours(self) -> Found:
        return self.bounded.neighbours()

    def ratio(self) -> Found:
        return self._supremum(lambda channel: [channel.ratio()])[0]

    def movement(self, lowering: float = 1.0) -> Movement:
        """Returns how far beliefs move, in nats; `lowering` is the factor of log(prior/posterior), as in `Channel`."""

        def read(channel: Channel) -> list[Found]:
            found = channel.movement(lowering)
            return [found.raised, found.lowered]

        raised, lowered = self._supremum(read, wanted=2 if lowering else 1)
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        # Where no limit tells how likelihoods compare, none tells averages of their logs, which take longer.
        if self.exact and not is_close(self.bounded.ratio().value) and self.known():
            exact = largest_of(self.each(), divergence_at_most, _divergences)
            if all(is_close(each.value) for each in exact):
                return Divergence(*exact)
        return Divergence(*self._supremum(_divergences, divergence_at_most))

    def information(self) -> Found:
        """I(S; Y), in nats: no more than the largest divergence."""
        if not self.known():
            return self.bounded.information()
        (found,) = largest_of(self.each(), information_at_most, lambda channel: [channel.information()])
        if is_close(found.value):
            return found
        most = self.bounded.information().value.upper
        return Found(Enclosure(min(found.value.lower, most), min(found.value.upper, most)), found.witness)

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        found, most = list[Found](), 0.0
        for each in self.singly("delta"):
            # Because one δ takes a twentieth of the search for an ε: most classes keep δ where another hardly does.
            if not found or most == inf or each.least_delta(of, most, bound=delta).upper > delta:
                found.append(each.least_epsilon(of, delta))
                most = max(most, found[-1].value.upper * (1 + _NEARLY) + _NEARLY)
        worst = worst_of(found)
        return Found(Enclosure(worst.value.lower, most), worst.witness)

    def _supremum(self, read: _Read, at_most: AtMost = unbounded, wanted: int | None = None) -> list[Found]:
        """Several suprema over all outputs and records: the limits' where the first `wanted` of these are close, else
        the largest of all classes'."""
        found = read(self.bounded)
        if all(is_close(each.value) for each in found[:wanted]):
            return found
        if self.exact and self.known():
            singly = largest_of(self.each(), at_most, read)
        elif self.laws is not None:
            singly = [worst_of(every) for every in zip(*map(read, self.laws()), strict=True)]
        else:
            return found
        return [_narrowed(own, each) for own, each in zip(found, singly, strict=True)]


def _divergences(channel: Channel) -> list[Found]:
    return list(channel.divergence())


def _narrowed(bounded: Found, exact: Found) -> Found:
    """Both enclose the truth."""
    lower = max(bounded.value.lower, exact.value.lower)
    return Found(Enclosure(lower, max(min(bounded.value.upper, exact.value.upper), lower)), exact.witness)
