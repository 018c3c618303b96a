"""One set of laws, and its channels under a query.

What a set of laws says about one person's channel.

The channel of all people under every law of a set.

The world of a chain whose probabilities lie in intervals.

The world of a network whose conditional probabilities lie in intervals.
"""

import abc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import permutations, product
from math import inf
from typing import ClassVar, Final, Generic, TypeVar, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, known
from dalenius.channel.channel import Channel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import worst_of
from dalenius.channel.question import Question
from dalenius.channel.scored_world import ScoredWorld
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import Spread
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement, Witness
from dalenius.errors import InputError, Meaningless
from dalenius.joints import Stratum, Subject
from dalenius.joints.joint import Belief
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise
from dalenius.queries import Scores
from dalenius.ratios.intervals.trees.boxes import best_row
from dalenius.ratios.intervals.trees.chain import ChainMessages, CredalChain, Quantity
from dalenius.ratios.intervals.trees.network import CredalNetwork
from dalenius.ratios.intervals.trees.regions import (
    Regions,
    divergence_of,
    lowered_of,
    patterns,
    raised_of,
    ratio_of,
    reverse_of,
)
from dalenius.ratios.pairs.world import apart_delta, share_above
from dalenius.schema import RecordValue

LOOSE: Final = 64 * UNIT
QUANTITIES: Final[dict[str, Quantity]] = {
    "raised": raised_of,
    "lowered": lowered_of,
    "divergence": divergence_of,
    "reverse": reverse_of,
}
"""By the name of their bound in `Regions`."""


@dataclass(frozen=True, eq=False)
class CredalSubject(abc.ABC):
    """One class of people; values: those their records can have; asked: the pairs of values that must not be
    distinguished, by their indices, all where None; moved: how far, in nats, all that depends on the record can move
    the log-likelihood of an output."""

    number: int
    who: str
    values: tuple[RecordValue, ...]
    asked: tuple[tuple[int, int], ...] | None
    spread: Spread
    lattice: Lattice
    moved: float

    @property
    @abc.abstractmethod
    def regions(self) -> Regions:
        """Bounds over all laws and outputs, of `values`."""

    @abc.abstractmethod
    def attained(self, quantity: Quantity) -> float:
        """A value that some law attains at outputs far above or below all answers, or comes close to; from below."""

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Ordered pairs that must not be distinguished."""
        if self.asked is None:
            return tuple(permutations(range(len(self.values)), 2))
        return tuple(dict.fromkeys(pair for a, b in self.asked for pair in ((a, b), (b, a))))

    def neighbours(self, noise: Noise) -> Found:
        """The log-ratio of data sets that differ in this record."""
        if not self.spread.total:
            return Found(Enclosure(0.0, 0.0))
        assert self.spread.neighbours is not None
        value = noise.neighbour_loss(self.spread.neighbours, self.lattice)
        return Found(value, self.witness(*self.spread.values))

    def bound(self, name: str) -> float:
        """The upper end of a quantity, or of the ratio."""
        if len(self.values) < 2 or not self.moved:
            return 0.0
        if name != "ratio":
            return min(known(float(getattr(self.regions, name))), self.moved)
        return min(max((known(float(self.regions.ratio[pair])) for pair in self.pairs), default=0.0), self.moved)

    def found(self, name: str) -> Found:
        """Both ends."""
        upper = self.bound(name)
        if not upper:
            return Found(Enclosure(0.0, 0.0))
        quantity = partial(ratio_of, self.pairs) if name == "ratio" else QUANTITIES[name]
        lower = self.attained(quantity) if name != "ratio" or self.pairs else 0.0
        return Found(Enclosure(min(max(lower, 0.0), upper), upper), self._worst(name))

    def _worst(self, name: str) -> Witness:
        if name != "ratio" or not self.pairs:
            return self.witness()
        ratios = [known(float(self.regions.ratio[pair])) for pair in self.pairs]
        near = max(ratios) * (1 - LOOSE)
        s, t = next(pair for pair, each in zip(self.pairs, ratios, strict=True) if each >= near)
        return self.witness(self.values[s], self.values[t])

    def witness(self, secret: RecordValue | None = None, against: RecordValue | None = None) -> Witness:
        """The person, and two values."""
        return Witness(self.number, self.who, secret, against)


FARTHEST: Final = 650.0
CLOSE: Final = 1e-12
FEW: Final = 6
NEAR: Final = 1e-3
"""Relative to the bound: laws that leak so much are not improved on."""
NOTHING: Final = Found(Enclosure(0.0, 0.0))


@final
class CredalChannel(Channel):
    """Every enclosure is over all laws of the set: its upper end no law exceeds at any output, its lower end some law
    comes as close to as one likes.

    subjects: one of each class of people; kind: the model's, for messages.
    """

    def __init__(self, subjects: Sequence[CredalSubject], noise: Noise, kind: str) -> None:
        self._subjects = subjects
        self._noise = noise
        self._kind = kind

    def neighbours(self) -> Found:
        return worst_of([NOTHING, *(each.neighbours(self._noise) for each in self._subjects)])

    def ratio(self) -> Found:
        return self._ratio

    @cached_property
    def _ratio(self) -> Found:
        return self._found("ratio")

    def _found(self, name: str) -> Found:
        if self._noise.adds_nothing:
            moved = [each for each in self._subjects if each.moved and len(each.values) > 1]
            return Found(Enclosure(0.0, inf), moved[0].witness()) if moved else NOTHING
        ranked = sorted(self._subjects, key=lambda each: (-round(each.bound(name), 9), each.number))
        if not ranked or not ranked[0].bound(name):
            return NOTHING
        upper = max(each.bound(name) for each in ranked)
        best = NOTHING
        # Laws are looked for of whom the bound is largest, then of the two who have others on one side only.
        tried = ranked if len(ranked) <= FEW else [ranked[0], self._subjects[0], self._subjects[-1]]
        for each in dict.fromkeys(tried):
            if best.value.lower >= min(upper * (1 - NEAR), each.bound(name)):
                continue
            found = each.found(name)
            if found.value.lower > best.value.lower or best is NOTHING:
                best = found
        return Found(Enclosure(best.value.lower, upper), best.witness)

    def _upper(self, name: str) -> float:
        if self._noise.adds_nothing:
            return self._found(name).value.upper
        return max((each.bound(name) for each in self._subjects), default=0.0)

    def ratio_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.profile(epsilon).upper, delta, "ratio")

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """A test gains most where likelihoods are e^{±upper} apart (Kairouz, Oh and Viswanath 2015, Theorem 8)."""
        upper = self._upper("ratio")
        return Enclosure(0.0, 1.0 if upper == inf else apart_delta(upper, epsilon))

    def _least(self, curve: Callable[[float], float], delta: float, name: str) -> Found:
        """The least ε at which the falling curve is at most delta, or one that is enough."""
        low, high = 0.0, 1.0
        if curve(0.0) <= delta:
            return NOTHING
        witness = self._found(name).witness
        while curve(high) > delta:
            low, high = high, high * 2
            if high > FARTHEST:
                return Found(Enclosure(0.0, inf), witness)
        while high - low > CLOSE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if curve(middle) > delta else (low, middle)
        return Found(Enclosure(0.0, high), witness)

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement.of(self._found("raised"), self._found("lowered"), lowering)

    def raised_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.raising(epsilon).upper, delta, "raised")

    def lowered_at(self, delta: float) -> Found:
        def lowering(epsilon: float) -> float:
            return min(share_above(self._upper("lowered"), epsilon), self.profile(epsilon).upper)

        return self._least(lowering, delta, "lowered")

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """No more than of two values (Theory §14)."""
        return Enclosure(0.0, min(share_above(self._upper("raised"), epsilon), self.profile(epsilon).upper))

    def divergence(self) -> Divergence:
        return Divergence(self._found("divergence"), self._found("reverse"))

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        raise self._unknown("trade-offs")

    def information(self) -> Found:
        raise self._unknown("mutual_information")

    def suspected(self) -> Found:
        raise self._unknown("rho")

    def at(self, output: Sequence[Answer]) -> Seen:
        raise self._unknown("a posterior")

    def tail(self) -> SubjectTail:
        raise self._unknown("tails")

    def divergences(self) -> Tail:
        raise self._unknown("tails")

    def finite(self, asked: str) -> Likelihoods:
        raise self._unknown(asked)

    def _unknown(self, asked: str) -> Meaningless:
        return Meaningless("model", f"{self._kind} with intervals", f"a point law, without intervals, for {asked}")


ENGINE: Final = "intervals"
Law = TypeVar("Law", bound=Belief)


class CredalWorld(ScoredWorld, Generic[Law], abc.ABC):
    """law: the set; scores: the query's, which must be sums. InputError for an engine other than `intervals`."""

    credal: ClassVar[bool] = True
    over: ClassVar[str] = "over all laws in the intervals"
    kind: ClassVar[str]

    def __init__(self, law: Law, scores: Scores, secrets: Secrets, engine: str | None = None) -> None:
        if engine not in (None, ENGINE):
            raise InputError("engine", engine or "", f"{ENGINE} beside model {self.kind} with intervals")
        self.law, self.scores, self._secrets = law, scores, secrets
        secrets.check_of_records("a model with intervals")
        secrets.check_whole()
        secrets.check(law)
        numbers = secrets.numbers(law)
        self.people = None if numbers is None else sorted(numbers)

    @classmethod
    def of(cls, belief: Law, question: Question) -> "CredalWorld[Law]":
        return cls(belief, question.scores(belief), question.secrets, question.engine)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        return self.law.strata()

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [(ENGINE, "over all laws whose probabilities lie in the intervals, every step with a law of its own")]

    @cached_property
    def points(self) -> list[Array]:
        """By stratum, the score of each value, in the query's unit (values, axes). InputError unless they are sums."""
        if not self.scores.additive:
            raise InputError("query", self.scores.combine[0], "sums of scores of the records beside intervals")
        each = np.array([[float(score) for score in row] for row in self.scores.exact])
        return np.split(each, np.cumsum([len(stratum.values) for stratum in self.strata])[:-1])

    def asked(self, subject: Subject) -> tuple[tuple[int, int], ...] | None:
        """The pairs of values that must not be distinguished, as indices into the subject's secrets."""
        return self._secrets.pairs_of(subject)

    @property
    def groups(self) -> Sequence[IntArray]:
        """By group of records that are independent of the others under every law, how many are of each stratum."""
        return [np.array([stratum.people for stratum in self.strata], dtype=np.int64)]


def rate_of(noise: Noise, kind: str) -> float:
    """By how many nats the log-density changes at most per unit of the answer. Meaningless for a noise other than
    Laplace's, geometric, or none, whose bound is infinite."""
    if noise.adds_nothing:
        return 1.0
    if not noise.exponential:
        raise Meaningless("noise.kind", noise.kind, f"laplace, geometric or none beside model {kind} with intervals")
    return float(np.nextafter(1 / noise.known_scale(), np.inf))


@final
@dataclass(frozen=True, eq=False)
class ChainSubject(CredalSubject):
    """A record of a chain: place, from 0; own: the indices of its values; messages: at the noise's rate."""

    place: int
    own: tuple[int, ...]
    messages: ChainMessages

    @cached_property
    def regions(self) -> Regions:
        return self.messages.regions(self.place, self.own)

    def attained(self, quantity: Quantity) -> float:
        return self.messages.attained(self.place, self.own, quantity)


@final
class CredalChainWorld(CredalWorld[CredalChain]):
    """law: the chain; scores: the query's, a sum."""

    kind: ClassVar[str] = "chain"

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        rate = rate_of(noise, self.kind)
        messages = ChainMessages(self.law, self.points, rate)
        whole = float(rate) * self._nats(self.group_sensitivity[0]) if not noise.adds_nothing else 1.0
        people = self.people
        if people is None:
            people = list(range(1, len(self.law.boxes) + 1)) if noise.adds_nothing else [p + 1 for p in messages.places]
        yield CredalChannel([self._subject(person, messages, whole) for person in people], noise, self.kind)

    def _subject(self, person: int, messages: ChainMessages, whole: float) -> ChainSubject:
        subject, own = self.law.subject_of(person), self.law.possible(person)
        return ChainSubject(
            number=person,
            who=subject.who,
            values=subject.secrets,
            asked=self.asked(subject),
            spread=self.by_stratum[subject.stratum],
            lattice=self.scores.lattice,
            moved=whole,
            place=person - 1,
            own=tuple(own),
            messages=messages,
        )

    @staticmethod
    def _nats(distance: Fraction) -> float:
        return float(np.nextafter(float(distance), np.inf))


LEANINGS: Final = (1, False), (-1, False), (1, True), (-1, True)
"""Nodes rise, fall, follow their first parent, or turn from it."""


@final
class NetworkBounds:
    """Of one network, by the rate at which the log-density of the noise changes. points: by node, its values' scores
    (k, axes)."""

    def __init__(self, law: CredalNetwork, points: Sequence[Array], rate: float) -> None:
        self.law, self._points, self.rate = law, points, rate

    @cached_property
    def ratios(self) -> list[Array]:
        """By node, of log W(y|s) - log W(y|s') (k, k)."""
        own = [self.rate * np.abs(each[:, None] - each[None]).sum(axis=2) for each in self._points]
        return self.law.net.ratios(own)

    def attained(self, person: int, own: Sequence[int], quantity: Quantity) -> float:
        """The most that laws at corners of the boxes attain at outputs far above or below all answers; from below."""
        found = 0.0
        for signs in patterns(self._points[0].shape[1]):
            logs = [self.rate * (each @ np.array(signs)) for each in self._points]
            weights = [np.exp(each - each.max()) for each in logs]
            for rows in self._corner_laws(weights, person):
                value = self._leaked(rows, weights, person, list(own), quantity)
                found = max(found, value - 64 * (len(weights) + 4) ** 2 * UNIT * (1 + abs(value)))
        return found

    def _corner_laws(self, weights: Sequence[Array], person: int) -> Iterator[list[Array]]:
        """Laws of the set: all below the record lean one way, and all others one way."""
        below = [person - 1 in above and node != person - 1 for node, above in enumerate(self.law.net.ancestors)]
        for near, far in product(LEANINGS, repeat=2):
            yield [
                self._leaning(node, each, *(near if b else far))
                for node, (each, b) in enumerate(zip(weights, below, strict=True))
            ]

    def _leaning(self, number: int, weights: Array, sign: int, follows: bool) -> Array:
        """A node's rows."""
        low, high = self.law.net.nodes[number].rows
        up = np.arange(len(low))[:, None] * 2 >= len(low)
        return best_row(low, high, sign * np.where(up | (not follows), weights, -weights))

    def _leaked(
        self, rows: list[Array], weights: list[Array], person: int, own: list[int], quantity: Quantity
    ) -> float:
        """Under one law, at outputs by which the values weigh so much."""
        before = self.law.chances(person, rows)
        after = self.law.chances(person, rows, weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(before > 0, np.log(after) - np.log(before), -np.inf)
        return float(quantity(before[None, own], logs[None, own])[0])


@final
@dataclass(frozen=True, eq=False)
class NetworkSubject(CredalSubject):
    """A node of a network; own: the indices of its values; bounds: at the noise's rate."""

    own: tuple[int, ...]
    bounds: NetworkBounds

    @cached_property
    def regions(self) -> Regions:
        low, high = self.bounds.law.net.priors[self.number - 1]
        above = self.bounds.ratios[self.number - 1][np.ix_(self.own, self.own)]
        own = list(self.own)
        return Regions(low[None, own], high[None, own], above[None])

    def attained(self, quantity: Quantity) -> float:
        return self.bounds.attained(self.number, self.own, quantity)


@final
class CredalNetworkWorld(CredalWorld[CredalNetwork]):
    """law: the network; scores: the query's, sums."""

    kind: ClassVar[str] = "network"

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        bounds = NetworkBounds(self.law, [self.points[i] for i in self.law.records.stratum], rate_of(noise, self.kind))
        people = self.people if self.people is not None else range(1, self.law.people + 1)
        yield CredalChannel([self._subject(person, bounds) for person in people], noise, self.kind)

    def _subject(self, person: int, bounds: NetworkBounds) -> NetworkSubject:
        subject = self.law.subject_of(person)
        own = [person - 1, *self.law.net.dependent(person - 1)]
        moved = sum(float(np.ptp(self.points[self.law.records.stratum[i]], axis=0).sum()) for i in own)
        return NetworkSubject(
            number=person,
            who=subject.who,
            values=subject.secrets,
            asked=self.asked(subject),
            spread=self.by_stratum[subject.stratum],
            lattice=self.scores.lattice,
            moved=moved * bounds.rate * (1 + 64 * UNIT),
            own=tuple(self.law.possible(person)),
            bounds=bounds,
        )

    @property
    def groups(self) -> Sequence[IntArray]:
        found = []
        for part in self.law.net.components:
            counts = np.bincount([self.law.records.stratum[i] for i in part], minlength=len(self.strata))
            found.append(counts.astype(np.int64))
        return found
