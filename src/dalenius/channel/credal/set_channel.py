"""What no channel of a set of laws has: quantities that average over outputs (Theory §21)."""

import abc
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Final

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.pairwise.channel import apart_delta, share_above
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Found
from dalenius.errors import Meaningless
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer

HALVINGS: Final = 60


class SetChannel(Channel, abc.ABC):
    """Of groups of which each has some law of a set: suprema over outputs and laws only. Meaningless for the rest."""

    @abc.abstractmethod
    def knowing(self) -> Found:
        """The most that is leaked to whoever knows any other records."""

    def ratio_at(self, delta: float) -> Found:
        return self._at_delta(self.ratio(), delta, apart_delta)

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """By default as of likelihoods that are e^{±upper} apart (Kairouz, Oh and Viswanath 2015, Theorem 8)."""
        return Enclosure(0.0, _at_most(self.ratio(), epsilon, apart_delta))

    def raised_at(self, delta: float) -> Found:
        return self._at_delta(self.movement().raised, delta, share_above)

    def lowered_at(self, delta: float) -> Found:
        return self._at_delta(self.movement().lowered, delta, share_above)

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return Enclosure(0.0, _at_most(self.movement().raised, epsilon, share_above))

    @staticmethod
    def _at_delta(found: Found, delta: float, least: Callable[[float, float], float]) -> Found:
        """An epsilon that is enough for delta: no more than without one."""
        low, high = 0.0, found.value.upper
        if high == inf or _at_most(found, 0.0, least) <= delta:
            return Found(Enclosure(0.0, high if high == inf else 0.0), found.witness if high == inf else None)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if least(found.value.upper, middle) > delta else (low, middle)
        return Found(Enclosure(0.0, high), found.witness)

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        raise _needs_point("trade-offs")

    def information(self) -> Found:
        raise _needs_point("mutual_information")

    def suspected(self) -> Found:
        raise _needs_point("rho")

    def at(self, output: Sequence[Answer]) -> Seen:
        raise _needs_point("a posterior")

    def tail(self) -> SubjectTail:
        raise _needs_point("tails")

    def divergences(self) -> Tail:
        raise _needs_point("tails")

    def finite(self, asked: str) -> Likelihoods:
        raise _needs_point(asked)


def _at_most(found: Found, epsilon: float, least: Callable[[float, float], float]) -> float:
    return 1.0 if found.value.upper == inf else least(found.value.upper, epsilon)


def _needs_point(asked: str) -> Meaningless:
    return Meaningless("model", "probabilities that are intervals", f"a point law for {asked}")
