"""A channel: a secret, of one subject or of all who are alike, and how likely each output is given each of its values;
what one output says of it (Theory §1); and what else tells how much an answer to very many records leaks.

Two days alike with .9, counted with Laplace noise of scale 2, are one channel for both days, as each is as exposed:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> (channel,) = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0)).all_channels()
>>> [round(each.value.middle, 5) for each in (channel.neighbours(), channel.ratio(), channel.information())]
[0.5, 0.897, 0.07186]
>>> round(channel.least_delta("ratio", 0.5).middle, 5)
0.17426

Hiding one record takes 0.5 nats; the other day, which is like it, makes them 0.897 to whoever knows neither.
"""

import abc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, NamedTuple, TypeAlias, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel.leakage import Divergence, Found, Movement, SubjectTail, TestedPair, largest_tail, worst_of
from dalenius.channel.leakages_from_likelihoods import Likelihoods
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
    prior: MeanAndDeviation | None = None
    posterior: MeanAndDeviation | None = None


class ChannelAtOutput(abc.ABC):
    """A channel at one output.

    axes: the coordinates of the answer that it speaks of. updates: by class of people. likelihood: log W(y) of those
    coordinates, the probability of the output or its density per the query's unit, in nats.
    """

    axes: tuple[int, ...]
    updates: tuple[Update, ...]
    likelihood: Enclosure

    @abc.abstractmethod
    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        """The probability of an output that leaks at least `level` nats about that class; None where not known. The
        level is in nats."""

    @abc.abstractmethod
    def sides(self) -> Sequence[Sides | None]:
        """By coordinate, how likely it is at most, and at least, that of the output; None where that is not known."""


RatioName: TypeAlias = Literal["ratio", "raised", "lowered"]
"""Which likelihoods: those of two secrets; a secret's and the prior's mixture W(y); W(y) and a secret's."""

TailName: TypeAlias = Literal["gain", "divergence"]
"""Of what one output leaks: max_s log W(y|s)/W(y), or the relative entropy between posterior and prior."""


class Channel(abc.ABC):
    """W(y|s), the probability of every output given each secret: of one subject, or of all subjects of a law.

    Every number is an enclosure, in nats (`least_delta`: a probability), and the largest over its secrets, outputs and
    subjects. What a channel does not know by itself is the largest of what its subjects' own channels say (`singly`).
    """

    @abc.abstractmethod
    def singly(self, quantity: str) -> "Iterator[Channel]":
        """The channels of its subjects one by one, from which that quantity can be read; itself where it is of one.
        Meaningless where there are none, or they are too many; quantity: its name, for the message."""

    def neighbours(self) -> Found:
        """log of the ratio between data sets that differ in one record, for any values of the others. In nats; it
        depends on no law of the records."""
        return worst_of(each.neighbours() for each in self.singly("differential"))

    def ratio(self) -> Found:
        """log W(y|s)/W(y|s'). Over all pairs of secrets that must not be distinguished, and all outputs; in nats."""
        return worst_of(each.ratio() for each in self.singly("inferential"))

    @abc.abstractmethod
    def movement(self, lowering: float = 1.0) -> Movement:
        """The largest log-ratios of posterior and prior; in `most` that of lowering is multiplied by `lowering`. In
        nats; `lowering` is not 1 where a promise allows chances to fall further than they rise, or less far."""

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        """The least ε at which `least_delta` is at most delta > 0. In nats; an enclosure with an infinite end where no
        ε is known to do."""
        return worst_of(each.least_epsilon(of, delta) for each in self.singly("delta"))

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        """δ(ε), a probability: the sum over y of max(P(y) - e^ε Q(y), 0) of the likelihoods that are compared (Theory
        §7, §14). It may be known less closely where it is at most `least`, or where it is only asked whether, and
        roughly how far, it is above `bound`."""
        return _largest(each.least_delta(of, epsilon, least, bound) for each in self.singly("delta"))

    def tradeoffs(self) -> Iterator[TestedPair]:
        """Tests of one secret against another: of every ordered pair that must not be distinguished, unless another
        certainly leaks as much. None where nothing leaks."""
        for each in self.singly("trade-offs"):
            yield from each.tradeoffs()

    def divergence(self) -> Divergence:
        """The largest relative entropies between posterior and prior."""
        found = [each.divergence() for each in self.singly("relative_entropy")]
        return Divergence(worst_of(each.forward for each in found), worst_of(each.reverse for each in found))

    def information(self) -> Found:
        """I(S; Y). In nats: an average over outputs, which needs the law of them and not only ratios."""
        return worst_of(each.information() for each in self.singly("mutual_information"))

    def at(self, output: Sequence[Answer]) -> ChannelAtOutput:
        """The posterior of its only subject at one output, given by all coordinates of the answer. InputError (answers)
        where it cannot occur, or (noise.kind) where no posterior is known."""
        # A channel of several subjects has no posterior of one: whoever asks has gone through `singly` before.
        (only,) = self.singly("a posterior")
        return only.at(output)

    def tail(self, of: TailName = "gain") -> SubjectTail:
        """How likely outputs are that leak much about one subject. Of a channel of several subjects, the one whose tail
        reaches furthest."""
        found = largest_tail(each.tail(of) for each in self.singly("tails"))
        assert found is not None
        return found

    def finite(self, quantity: str) -> Likelihoods:
        """All likelihoods of its only subject, for every other quantity. Meaningless where there are infinitely many
        secrets, or several subjects; quantity: the quantity, for the message."""
        (only,) = self.singly(quantity)
        return only.finite(quantity)


def _largest(values: Iterable[Enclosure]) -> Enclosure:
    """Both ends separately: the truth of the largest lies between them. 0 of none."""
    return reduce(largest, values, Enclosure(0.0, 0.0))
