"""What an output tells about secrets, as notions of privacy ask it."""

import abc

from dalenius.bounds import Enclosure
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.witness import Divergence, Found, Movement


class Channel(abc.ABC):
    """W(y|s): how likely each secret makes every output. One subject's, or all those of a law in one.

    Every number is in nats, an enclosure, and the largest over the secrets, outputs and subjects it speaks of.
    """

    @abc.abstractmethod
    def neighbours(self) -> Found:
        """log of the ratio between data sets that differ in one record, whatever the others are."""

    @abc.abstractmethod
    def ratio(self) -> Found:
        """log W(y|s)/W(y|s')."""

    @abc.abstractmethod
    def ratio_at(self, delta: float) -> Found:
        """The least ε of which `profile` is at most delta > 0."""

    @abc.abstractmethod
    def profile(self, epsilon: float) -> Enclosure:
        """δ(ε): the sum over y of max(W(y|s) - e^ε W(y|s'), 0), a probability."""

    @abc.abstractmethod
    def movement(self, lowering: float = 1.0) -> Movement:
        """Of posterior against prior; `most` weighs what is lowered by that factor."""

    @abc.abstractmethod
    def divergence(self) -> Divergence:
        """Of posterior and prior."""

    @abc.abstractmethod
    def information(self) -> Found:
        """I(S; Y)."""

    @abc.abstractmethod
    def suspected(self) -> Found:
        """-log(1 - the largest posterior of a secret)."""

    @abc.abstractmethod
    def finite(self, asked: str) -> Likelihoods:
        """All likelihoods, for what is none of the above. Meaningless where there are infinitely many secrets; asked:
        what for."""
