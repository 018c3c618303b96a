"""A channel from secrets to outputs, and the quantities that notions of privacy read from it."""

import abc
from collections.abc import Iterator, Sequence

from dalenius.bounds import Enclosure
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer


class Channel(abc.ABC):
    """W(y|s), the probability of every output given each secret: of one subject, or of all subjects of a law.

    Every number is an enclosure, in nats (`profile` and `raising`: a probability), and the largest over its secrets,
    outputs and subjects.
    """

    @property
    def sharing(self) -> int:
        """How many people's records the secret is, where it is those of several, all of them; else 0."""
        return 0

    def singly(self, asked: str) -> "Iterator[Channel]":
        """The channels of its subjects one by one, where it is of many at once; itself by default. Meaningless where
        they are too many; asked: the quantity, for the message."""
        yield self

    @abc.abstractmethod
    def neighbours(self) -> Found:
        """log of the ratio between data sets that differ in one record, for any values of the others."""

    @abc.abstractmethod
    def ratio(self) -> Found:
        """log W(y|s)/W(y|s')."""

    @abc.abstractmethod
    def ratio_at(self, delta: float) -> Found:
        """The least ε at which `profile` is at most delta > 0."""

    @abc.abstractmethod
    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """δ(ε): the sum over y of max(W(y|s) - e^ε W(y|s'), 0), a probability. worth: a δ of which a rounding does not
        matter."""

    @abc.abstractmethod
    def tradeoffs(self) -> Iterator[PairTradeoff]:
        """Tests of one secret against another: of every ordered pair that must not be distinguished, unless another
        certainly leaks as much. None where nothing leaks."""

    @abc.abstractmethod
    def movement(self, lowering: float = 1.0) -> Movement:
        """The largest log-ratios of posterior and prior; in `most` that of lowering is multiplied by `lowering`."""

    def raised_most(self, worth: float) -> float:
        """The largest log of posterior over prior, from above; where it is below `worth`, anything up to that."""
        return self.movement().raised.value.upper

    @abc.abstractmethod
    def raised_at(self, delta: float) -> Found:
        """The least ε at which `raising` is at most delta > 0."""

    @abc.abstractmethod
    def lowered_at(self, delta: float) -> Found:
        """The least ε at which the sum over y of max(W(y) - e^ε W(y|s), 0) is at most delta > 0."""

    @abc.abstractmethod
    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """The sum over y of max(W(y|s) - e^ε W(y), 0), a probability: W(y) is the prior's mixture (Theory §14). worth:
        as of `profile`."""

    @abc.abstractmethod
    def divergence(self) -> Divergence:
        """The largest relative entropies between posterior and prior."""

    @abc.abstractmethod
    def information(self) -> Found:
        """I(S; Y)."""

    @abc.abstractmethod
    def suspected(self) -> Found:
        """-log(1 - the largest posterior of a secret)."""

    @abc.abstractmethod
    def at(self, output: Sequence[Answer]) -> Seen:
        """The posterior at one output, given by all coordinates of the answer. InputError (answers) where it cannot
        occur, or (noise.kind) where no posterior is known."""

    @abc.abstractmethod
    def tail(self) -> SubjectTail:
        """How likely outputs are that leak much about one subject: of the information max_s log W(y|s)/W(y)."""

    @abc.abstractmethod
    def divergences(self) -> Tail:
        """The law of D(S | Y=y ‖ S), the relative entropy between posterior and prior."""

    def divergence_tail(self, epsilon: float) -> Enclosure:
        """Pr[D(S|Y ‖ S) > epsilon], a probability."""
        return self.divergences().chance(epsilon)

    def divergence_at(self, delta: float) -> Found:
        """The least ε with Pr[D(S|Y ‖ S) > ε] <= delta, for 0 < delta < 1. Not monotone in the noise."""
        return Found(self.divergences().quantile(delta))

    @abc.abstractmethod
    def finite(self, asked: str) -> Likelihoods:
        """All likelihoods, for every other quantity. Meaningless where there are infinitely many secrets; asked: the
        quantity, for the message."""
