"""A channel: how likely each output is given each value of a secret (Theory §1).

The secret is one subject's, or that of all who are alike. The file also says what one output means for it, and what
else tells how much an answer to very many records leaks.

Two days alike with .9, counted with Laplace noise of scale 2, are one channel for both days, as each is as exposed:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> (channel,) = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0)).all_channels()
>>> [round(each.value.middle, 5) for each in (channel.neighbours(), channel.ratio(), channel.information())]
[0.5, 0.897, 0.07186]
>>> round(channel.least_delta("ratio", 0.5).middle, 5)
0.17426

Hiding one record takes 0.5 nats. The other day, which is like it, makes them 0.897 to an adversary who knows neither.
"""

import abc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, NamedTuple, TypeAlias, final

from dalenius.arrays import Array
from dalenius.bounds import Enclosure, largest
from dalenius.channel.leakage import (
    Divergence,
    Found,
    Leakage,
    Movement,
    SubjectTail,
    TestedPair,
    largest_tail,
    worst,
    worst_of,
)
from dalenius.channel.likelihoods import Likelihoods
from dalenius.fields import RecordValue
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.noise import Answer


@final
@dataclass(frozen=True)
class Updated:
    """One value of a secret: its probability before, and after the output."""

    value: RecordValue
    prior: float
    posterior: Enclosure


class MeanAndDeviation(NamedTuple):
    """The mean and the standard deviation of a Gaussian record, before or after the output, in the record's unit."""

    mean: float
    deviation: float


@final
@dataclass(frozen=True)
class Update:
    """One class of exchangeable people: for any one of them, the prior and the posterior of the secret.

    Attributes:
        person: The number of the first of them, 0 for no one in particular.
        people: How many people the class has.
        who: The class in words.
        what: What the secret is.
        values: The secret's values with their probabilities; empty for Gaussian records, which have prior and posterior
            moments instead.
        leaks: max_s log posterior/prior, in nats: the information leakage at this output.
        raised: The first value s that may attain it.
        odds: The largest log-ratio of posterior odds to prior odds of two values that are to be indistinguishable, in
            nats: the inferential leakage at this output.
        prior: The moments of a Gaussian record before the output.
        posterior: The moments of a Gaussian record after the output.
    """

    person: int
    people: int
    who: str
    what: str
    values: tuple[Updated, ...]
    leaks: Enclosure
    raised: RecordValue | None
    odds: Enclosure
    prior: MeanAndDeviation | None = None
    posterior: MeanAndDeviation | None = None


class ChannelAtOutput(abc.ABC):
    """A channel at one output.

    Attributes:
        axes: The coordinates of the answer that it speaks of.
        updates: The posteriors, by class of people.
        likelihood: log W(y) of those coordinates, in nats: the probability of the output or its density per the query's
            unit.
    """

    axes: tuple[int, ...]
    updates: tuple[Update, ...]
    likelihood: Enclosure

    @abc.abstractmethod
    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        """Returns the probability of an output that leaks at least `level` nats about the class of `update`.

        None where it is not known.
        """

    @abc.abstractmethod
    def sides(self) -> Sequence[Sides | None]:
        """Returns, by coordinate, how likely it is at most, and at least, that of the output.

        None where that is not known.
        """


RatioName: TypeAlias = Literal["ratio", "raised", "lowered"]
"""The likelihoods compared: of two secrets; of a secret and the prior's mixture W(y); of W(y) and a secret."""

TailName: TypeAlias = Literal["gain", "divergence"]
"""The loss of one output: max_s log W(y|s)/W(y), or the relative entropy between posterior and prior."""


class Channel(abc.ABC):
    """W(y|s), the probability of every output given each secret: of one subject, or of all subjects of a law.

    Every number is an enclosure, in nats (`least_delta`: a probability), and the largest over its secrets, outputs and
    subjects. If a channel does not know a number by itself, the number is the largest over its subjects' own channels
    (`singly`).

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> (channel,) = release.all_channels()
        >>> round(channel.ratio().value.middle, 5), isinstance(channel, dl.Channel)
        (0.897, True)
    """

    @abc.abstractmethod
    def singly(self, quantity: str) -> "Iterator[Channel]":
        """Makes the channels of its subjects one by one, from which a quantity can be read; itself if it has one.

        Args:
            quantity: The name of the quantity, for the message.

        Raises:
            Meaningless: There are no such channels, or too many.
        """

    def neighbours(self) -> Found:
        """Returns the log-ratio between data sets that differ in one record, for any values of the others, in nats.

        It depends on no law of the records.
        """
        return worst_of(each.neighbours() for each in self.singly("differential"))

    def ratio(self) -> Found:
        """Returns log W(y|s)/W(y|s'), in nats, the largest over all outputs and pairs of secrets.

        The pairs are those that must not be distinguished.
        """
        return worst_of(each.ratio() for each in self.singly("inferential"))

    @abc.abstractmethod
    def movement(self, lowering: float = 1.0) -> Movement:
        """Returns the largest log-ratios of posterior and prior, in nats.

        Args:
            lowering: The factor of log(prior/posterior) in `most`. It is not 1, the default, where a promise allows
                chances to fall further than they rise, or less far. Where it is 0, no time is spent to bring the ends
                of `lowered` close to each other.
        """

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        """Returns the least ε, in nats, at which `least_delta` is at most delta.

        Args:
            of: The likelihoods that are compared: of two secrets (`ratio`), of a secret and the mixture W(y)
                (`raised`), or of W(y) and a secret (`lowered`).
            delta: The δ, a probability above 0.

        Returns:
            An enclosure with its witness; an end is infinite where no ε is known to do.
        """
        return worst_of(each.least_epsilon(of, delta) for each in self.singly("delta"))

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        """Returns δ(ε): the sum over y of max(P(y) - e^ε Q(y), 0) of the likelihoods compared (Theory §7, §14).

        Args:
            of: The likelihoods that are compared: of two secrets (`ratio`), of a secret and the mixture W(y)
                (`raised`), or of W(y) and a secret (`lowered`).
            epsilon: The ε, in nats.
            least: The δ up to which it may be known less closely; 0 by default.
            bound: The δ where it is only asked whether, and roughly how far, it is above this; None (the default)
                otherwise.

        Returns:
            An enclosure of the δ, a probability.
        """
        return _largest(each.least_delta(of, epsilon, least, bound) for each in self.singly("delta"))

    def tradeoffs(self) -> Iterator[TestedPair]:
        """Makes the tests of one secret against another, for every ordered pair that must not be distinguished.

        A pair is left out where another certainly leaks as much. There are none where nothing leaks.
        """
        for each in self.singly("trade-offs"):
            yield from each.tradeoffs()

    def divergence(self) -> Divergence:
        """Returns the largest relative entropies between posterior and prior, in nats."""
        found = [each.divergence() for each in self.singly("relative_entropy")]
        return Divergence(worst_of(each.forward for each in found), worst_of(each.reverse for each in found))

    def information(self) -> Found:
        """Returns I(S; Y), in nats: an average over outputs, which needs the law of them and not only ratios."""
        return worst_of(each.information() for each in self.singly("mutual_information"))

    def at(self, output: Sequence[Answer]) -> ChannelAtOutput:
        """Returns the posterior of its only subject at one output.

        Args:
            output: The output, one number or word for each coordinate of the answer, in the query's unit.

        Raises:
            InputError: The output cannot occur (key `answers`), or no posterior is known (key `noise.kind`).
        """
        # Because a channel of several subjects has no posterior of one: callers go through `singly` before.
        (only,) = self.singly("a posterior")
        return only.at(output)

    def tail(self, of: TailName = "gain") -> SubjectTail:
        """Returns how likely outputs are that leak much about one subject: the one whose tail reaches furthest.

        Args:
            of: What one output leaks: max_s log W(y|s)/W(y) (`gain`, the default), or the relative entropy between
                posterior and prior (`divergence`).
        """
        found = largest_tail(each.tail(of) for each in self.singly("tails"))
        assert found is not None
        return found

    def largest_average(
        self, quantity: str, read: Callable[["Channel"], Leakage], forms: Callable[[Array], Array] | None = None
    ) -> Leakage:
        """Returns the largest leakage over its subjects of an average over outputs.

        Args:
            quantity: The name of the quantity, for the message.
            read: Encloses the leakage of one subject's channel.
            forms: Makes, from the log-priors of many subjects (subjects, k), coefficients (subjects, forms, k). The
                leakage is log(1 + the sum over outputs of the largest of these forms of the likelihoods, and 0). It
                serves to pass over subjects; None (the default) where there are no such forms.
        """
        return worst(read(each) for each in self.singly(quantity))

    def quantile(self, of: TailName, delta: float) -> Found:
        """Returns the least ε, in nats, that an output leaks more than with a probability of at most delta.

        Args:
            of: What one output leaks, as in `tail`.
            delta: The probability, above 0.
        """
        tails = [each.tail(of) for each in self.singly("tails")]
        return worst_of(Found(tail.law.quantile(delta), tail.witness) for tail in tails)

    def chance(self, of: TailName, level: float) -> Enclosure:
        """Returns the probability of outputs that leak more than `level`, in nats.

        Args:
            of: What one output leaks, as in `tail`.
            level: The leakage, in nats.
        """
        return _largest(each.tail(of).law.chance(level) for each in self.singly("tails"))

    def finite(self, quantity: str) -> Likelihoods:
        """Returns all likelihoods of its only subject, for every other quantity.

        Args:
            quantity: The name of the quantity, for the message.

        Raises:
            Meaningless: There are infinitely many secrets, or several subjects.
        """
        (only,) = self.singly(quantity)
        return only.finite(quantity)


def _largest(values: Iterable[Enclosure]) -> Enclosure:
    """Takes the largest of both ends separately: the truth of the largest lies between them. It is 0 for none."""
    return reduce(largest, values, Enclosure(0.0, 0.0))
