"""A channel: a secret, of one subject or of all who are alike, and how likely each output is given each of its values;
what one output says of it (Theory §1); and what else tells how much an answer to very many records leaks."""

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

from dalenius.bounds import Enclosure
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import Divergence, Found, Movement, SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.errors import TooLarge
from dalenius.laws.integrals.sides import Sides
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class Updated:
    """One value of a secret: its probability before, and after the output."""

    value: RecordValue
    prior: float
    posterior: Enclosure


class Moments(NamedTuple):
    """Of a Gaussian record, before or after: its mean and its standard deviation, in the record's unit."""

    mean: float
    deviation: float


@final
@dataclass(frozen=True)
class Update:
    """One class of exchangeable people: for any one of them, the prior and the posterior of the secret.

    person: the number of the first of them, 0 for no one in particular; people: how many; who: the class in words;
    what: what the secret is. leaks: max_s log posterior/prior, in nats, the information leakage at this output; raised:
    the first value s that may attain it. odds: the largest log-ratio of posterior odds to prior odds of two values that
    are to be indistinguishable, the inferential leakage at this output. values: empty for Gaussian records, which have
    prior and posterior moments instead.
    """

    person: int
    people: int
    who: str
    what: str
    values: tuple[Updated, ...]
    leaks: Enclosure
    raised: RecordValue | None
    odds: Enclosure
    prior: Moments | None = None
    posterior: Moments | None = None


class Seen(abc.ABC):
    """A channel at one output.

    axes: the coordinates of the answer that it speaks of. updates: by class of people. likelihood: log W(y) of those
    coordinates, the probability of the output or its density per the query's unit, in nats.
    """

    axes: tuple[int, ...]
    updates: tuple[Update, ...]
    likelihood: Enclosure

    @abc.abstractmethod
    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        """The probability of an output that leaks at least `level` nats about that class; None where not known."""

    @abc.abstractmethod
    def sides(self) -> Sequence[Sides | None]:
        """By coordinate, how likely it is at most, and at least, that of the output; None where that is not known."""


class Channel(abc.ABC):
    """W(y|s), the probability of every output given each secret: of one subject, or of all subjects of a law.

    Every number is an enclosure, in nats (`profile` and `raising`: a probability), and the largest over its secrets,
    outputs and subjects.
    """

    @property
    def sharing(self) -> int:
        """How many people's records the secret is, where it is those of several, all of them; else 0."""
        return 0

    def singly(self, quantity: str) -> "Iterator[Channel]":
        """The channels of its subjects one by one, where it is of many at once; itself by default. Meaningless where
        they are too many; quantity: its name, for the message."""
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
    def profile(self, epsilon: float, negligible: float = 0.0) -> Enclosure:
        """δ(ε): the sum over y of max(W(y|s) - e^ε W(y|s'), 0), a probability. negligible: a δ of which a rounding does
        not matter."""

    @abc.abstractmethod
    def tradeoffs(self) -> Iterator[PairTradeoff]:
        """Tests of one secret against another: of every ordered pair that must not be distinguished, unless another
        certainly leaks as much. None where nothing leaks."""

    @abc.abstractmethod
    def movement(self, lowering: float = 1.0) -> Movement:
        """The largest log-ratios of posterior and prior; in `most` that of lowering is multiplied by `lowering`."""

    def raised_most(self, negligible: float) -> float:
        """The largest log of posterior over prior, from above; where it is below `negligible`, anything up to that."""
        return self.movement().raised.value.upper

    @abc.abstractmethod
    def raised_at(self, delta: float) -> Found:
        """The least ε at which `raising` is at most delta > 0."""

    @abc.abstractmethod
    def lowered_at(self, delta: float) -> Found:
        """The least ε at which the sum over y of max(W(y) - e^ε W(y|s), 0) is at most delta > 0."""

    @abc.abstractmethod
    def raising(self, epsilon: float, negligible: float = 0.0) -> Enclosure:
        """The sum over y of max(W(y|s) - e^ε W(y), 0), a probability: W(y) is the prior's mixture (Theory §14).
        negligible: as of `profile`."""

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
    def finite(self, quantity: str) -> Likelihoods:
        """All likelihoods, for every other quantity. Meaningless where there are infinitely many secrets; quantity: the
        quantity, for the message."""


class Shortcut(abc.ABC):
    """Channels of one law of the records that do without the law of the whole answer, or look at it last."""

    refused: TooLarge | None = None
    """Why there are no laws of the answer at all; None where there are: by default."""

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Of everybody whose record is a secret; None where nothing is known of such noise, and laws are computed."""

    @property
    def engine(self) -> tuple[str, str] | None:
        """How all of the answer is computed, and why; None where its parts are as planned: by default."""
        return None

    def more(self, axes: tuple[int, ...]) -> str:
        """What to add to the reason for the plan of the part with these coordinates; nothing by default."""
        return ""

    @property
    def is_quick(self) -> bool:
        """Whether one law of the whole answer takes seconds: by default."""
        return True
