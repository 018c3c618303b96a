"""What no channel of a set of laws has: quantities that average over outputs (Theory §21)."""

import abc
from collections.abc import Iterator, Sequence

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Found
from dalenius.errors import Meaningless
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer


class SetChannel(Channel, abc.ABC):
    """Of groups of which each has some law of a set: suprema over outputs and laws only. Meaningless for the rest."""

    @abc.abstractmethod
    def knowing(self) -> Found:
        """The most that is leaked to whoever knows any other records."""

    def ratio_at(self, delta: float) -> Found:
        raise _needs_point("a delta")

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        raise _needs_point("a delta")

    def raised_at(self, delta: float) -> Found:
        raise _needs_point("a delta")

    def lowered_at(self, delta: float) -> Found:
        raise _needs_point("a delta")

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        raise _needs_point("a delta")

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


def _needs_point(asked: str) -> Meaningless:
    return Meaningless("model", "probabilities that are intervals", f"a point law for {asked}")
