"""One network of people of whom only the laws of pairs are known, and what bounds its channels.

The channel of all people of a network of whom only the laws of pairs are known (Theory §15).
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import worst_of
from dalenius.channel.pairs import Pairs
from dalenius.channel.question import Question
from dalenius.channel.scored_world import ScoredWorld
from dalenius.channel.secrets import Secrets
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement, Witness
from dalenius.errors import InputError, Meaningless
from dalenius.joints import Stratum
from dalenius.laws.law import Array, IntArray
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise
from dalenius.queries import Scores
from dalenius.ratios.pairs.law import UNKNOWN, Around, PairwiseLaw
from dalenius.ratios.pairs.neighbourhood import Neighbour, Neighbourhood
from dalenius.ratios.pairs.person import Leaked, Person

KNOWN: Final = "one that is bounded without a joint law: differential, inferential, identity, dependent or information"
OFF: Final = 64 * UNIT
FARTHEST: Final = 650.0
"""Nats beyond which no ε is looked for."""
CLOSE: Final = 1e-12
NOTHING: Final = Found(Enclosure(0.0, 0.0))


@final
class PairwiseChannel(Channel):
    """Every enclosure is over all joint laws in which each pair of one person's has its law, person by person: its
    upper end no such law exceeds, its lower end one attains, or comes as close to as one likes.

    people: one of each class. A person is skipped where all that may depend on their record leaks less than another's.
    """

    def __init__(self, people: Sequence[Person], noise: Noise) -> None:
        self._people = people
        self._noise = noise

    def neighbours(self) -> Found:
        return worst_of([NOTHING, *(person.neighbours(self._noise) for person in self._people)])

    def ratio(self) -> Found:
        return worst_of([NOTHING, *(each.ratio() for each in self._leaked())])

    def ratio_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.profile(epsilon).upper, delta)

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """A test gains most where likelihoods are e^{±upper} apart (Kairouz, Oh and Viswanath 2015, Theorem 8), and no
        more than where all that may depend on a record moves at once."""
        moved = max((person.moved_delta(self._noise, epsilon) for person in self._people), default=0.0)
        if not moved or self._noise.gaussian_deviation:
            return Enclosure(0.0, moved)
        upper = self._upper
        return Enclosure(0.0, min(moved, 1.0 if upper == inf else apart_delta(upper, epsilon)))

    @cached_property
    def _upper(self) -> float:
        return self.ratio().value.upper

    @cached_property
    def _raised(self) -> float:
        return self.movement().raised.value.upper

    @cached_property
    def _lowered(self) -> float:
        return self.movement().lowered.value.upper

    def _least(self, curve: Callable[[float], float], delta: float) -> Found:
        """The least ε at which the falling curve is at most delta, or one that is enough."""
        low, high = 0.0, 1.0
        if curve(0.0) <= delta:
            return NOTHING
        while curve(high) > delta:
            low, high = high, high * 2
            if high > FARTHEST:
                return Found(Enclosure(0.0, inf), self._witness())
        while high - low > CLOSE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if curve(middle) > delta else (low, middle)
        return Found(Enclosure(0.0, high), self._witness())

    def _witness(self) -> Witness | None:
        """The first of those whose neighbourhood moves the answer most, or of whom the bound is largest."""
        if not self._noise.gaussian_deviation:
            return self.ratio().witness
        return max(self._people, key=lambda each: (each.moved, -each.number)).witness()

    def movement(self, lowering: float = 1.0) -> Movement:
        found = [each.movement() for each in self._leaked()]
        raised = worst_of([NOTHING, *(up for up, _ in found)])
        return Movement.of(raised, worst_of([NOTHING, *(down for _, down in found)]), lowering)

    def raised_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.raising(epsilon).upper, delta)

    def lowered_at(self, delta: float) -> Found:
        def lowering(epsilon: float) -> float:
            known = 1.0 if self._noise.gaussian_deviation else share_above(self._lowered, epsilon)
            return min(known, self.profile(epsilon).upper)

        return self._least(lowering, delta)

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """No more than of two values (Theory §14)."""
        known = 1.0 if self._noise.gaussian_deviation else share_above(self._raised, epsilon)
        return Enclosure(0.0, min(known, self.profile(epsilon).upper))

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        raise _unknown("trade-offs")

    def divergence(self) -> Divergence:
        raise _unknown("relative_entropy")

    def information(self) -> Found:
        raise _unknown("mutual_information")

    def suspected(self) -> Found:
        raise _unknown("rho")

    def at(self, output: Sequence[Answer]) -> Seen:
        raise _unknown("a posterior")

    def tail(self) -> SubjectTail:
        raise _unknown("tails")

    def divergences(self) -> Tail:
        raise _unknown("tails")

    def finite(self, asked: str) -> Likelihoods:
        raise _unknown(asked)

    def _leaked(self) -> list[Leaked]:
        """Of those people whose whole neighbourhood leaks more, moved at once, than another's at most; the largest
        such first."""
        found: list[Leaked] = []
        most = 0.0
        for person in sorted(self._people, key=lambda each: (-each.whole(self._noise), each.number)):
            if found and person.whole(self._noise) <= most:
                break
            found.append(person.leaked(self._noise))
            most = max(most, found[-1].upper)
        return found


def apart_delta(upper: float, epsilon: float) -> float:
    """(e^upper - e^epsilon)/(e^upper + 1), from above: the most of laws that are e^{±upper} apart."""
    return min(-expm1(epsilon - upper) / (1 + exp(-upper)) * (1 + OFF), 1.0) if upper > epsilon else 0.0


def share_above(upper: float, epsilon: float) -> float:
    """An output whose log-ratio is at most `upper` adds at most the share 1 - e^(epsilon - upper) of its likelihood."""
    return min(-expm1(epsilon - upper) * (1 + OFF), 1.0) if upper > epsilon else 0.0


def _unknown(asked: str) -> Meaningless:
    return Meaningless("model.kind", "pairwise", f"a model with a joint law for {asked} (or {KNOWN})")


BOUNDS: Final = "bounds"


@final
class PairwiseWorld(ScoredWorld):
    """law: the network; scores: the query's. InputError for an engine other than bounds."""

    pairs_only: ClassVar[bool] = True
    over: ClassVar[str] = "over all joint laws with the known pairs"

    def __init__(self, law: PairwiseLaw, scores: Scores, secrets: Secrets, engine: str | None = None) -> None:
        if engine not in (None, BOUNDS):
            raise InputError("engine", engine or "", f"{BOUNDS} beside model pairwise")
        self.law = law
        self.scores = scores
        self._secrets = secrets
        secrets.check_of_records("model pairwise")
        secrets.check(law)
        people = secrets.numbers(law)
        self._people = None if people is None else sorted(people)

    @classmethod
    def of(cls, belief: PairwiseLaw, question: Question) -> "PairwiseWorld":
        return cls(belief, question.scores(belief), question.secrets, question.engine)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        return self.law.strata()

    @property
    def engines(self) -> list[tuple[str, str]]:
        why = "no joint law is known: over all with the known laws of pairs"
        return [(BOUNDS, why if self.contradiction is None else f"{why}; no promise, as {self.contradiction}")]

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        yield PairwiseChannel(self._persons, noise)

    @cached_property
    def contradiction(self) -> str | None:
        return self.law.contradiction(self._people)

    @cached_property
    def _classes(self) -> tuple[Around, ...]:
        """Whose records are secrets, but for those whose neighbourhood is part of another's: what a whole neighbourhood
        moves, and every sum over neighbours, grows with it."""
        return self.law.widest(self._people)

    @cached_property
    def _persons(self) -> tuple[Person, ...]:
        return tuple(self._person(around) for around in self.law.around(self._people))

    def _person(self, around: Around) -> Person:
        possible = np.flatnonzero(self.law.possible(around.prior))
        known = around.prior != UNKNOWN
        prior = self.law.priors[around.prior][possible] if known else np.full(len(possible), 1 / len(possible))
        neighbours = tuple(
            Neighbour(times, self.points[stratum], self.law.rows(kind, possible))
            for kind, stratum, times in around.neighbours
        )
        own = self.points[around.stratum][possible]
        values = tuple(self.law.values[i] for i in possible)
        place = {value: i for i, value in enumerate(values)}
        asked = self._secrets.pairs
        pairs = None if asked is None else tuple((place[a], place[b]) for a, b in asked if a in place and b in place)
        return Person(
            around,
            values,
            Neighbourhood(own, prior / prior.sum(), neighbours),
            known,
            self.by_stratum[around.stratum],
            self._moved(self._members(around)),
            self._moved(self._further(around)),
            self.scores.lattice,
            pairs,
            self._moved(self._members(around)) == self._moved(self._everybody),
        )

    def _moved(self, members: IntArray) -> Fraction:
        """How far these records can move the answer, which is one sum."""
        each = zip(members.tolist(), self.by_stratum, strict=True)
        return sum((count * spread.total for count, spread in each), Fraction(0))

    def pairs(self) -> tuple[Pairs, ...]:
        """Of the classes, one record each: what methods that look at pairs of records use. InputError unless the answer
        is one sum."""
        classes = [around for around in self._classes if around.neighbours]
        if not classes:
            return ()
        rows = [
            (row, kind, stratum, times) for row, each in enumerate(classes) for kind, stratum, times in each.neighbours
        ]
        first, _, strata, times = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
        own = [each.stratum for each in classes]
        points = np.unique(np.concatenate(self.points))
        laws = {(kind, stratum): self._on_points(kind, stratum, points) for _, kind, stratum, _ in rows}
        possible = [self.law.possible(each.prior) for each in classes]
        first_possible = [int(np.flatnonzero(each)[0]) for each in possible]
        padded = [np.where(each, np.arange(len(each)), i) for each, i in zip(possible, first_possible, strict=True)]
        return (
            Pairs(
                points=points,
                prior=np.array([self._prior(each) for each in classes]),
                scores=np.array([self.points[s][rows] for s, rows in zip(own, padded, strict=True)]),
                move=np.array([np.ptp(self.points[s]) for s in own]),
                first=first,
                times=times.astype(np.float64),
                laws=np.array([laws[kind, stratum][padded[row]] for row, kind, stratum, _ in rows]),
                low=np.array([self.points[s].min() for s in strata]),
                high=np.array([self.points[s].max() for s in strata]),
            ),
        )

    @cached_property
    def points(self) -> list[Array]:
        """By stratum, each value's score, in the query's unit (s,). InputError unless the answer is one sum."""
        if self.scores.lattice.axes > 1 or not self.scores.additive:
            shown = ", ".join(self.scores.names) if self.scores.lattice.axes > 1 else self.scores.combine[0]
            raise InputError("query", shown, "one sum of scores of the records beside model pairwise")
        each = np.array([float(score) for (score,) in self.scores.exact])
        return np.split(each, np.cumsum([len(stratum.values) for stratum in self.strata])[:-1])

    def _on_points(self, kind: int, stratum: int, points: Array) -> Array:
        """Pr[score = points | X_i = s] (s, v) of a neighbour by that law."""
        found = np.zeros((len(self.law.values), len(points)))
        np.add.at(found.T, np.searchsorted(points, self.points[stratum]), self.law.directed[kind].forward.T)
        return found

    def _prior(self, around: Around) -> Array:
        if around.prior == UNKNOWN:
            return np.full(len(self.law.values), np.nan)
        return np.asarray(self.law.priors[around.prior])

    @property
    def _everybody(self) -> IntArray:
        return np.array([stratum.people for stratum in self.strata], dtype=np.int64)

    @cached_property
    def groups(self) -> Sequence[IntArray]:
        return [self._members(around) for around in self._classes]

    def _members(self, around: Around) -> IntArray:
        """By stratum, how many records a person's may depend on, itself included."""
        found = self._further(around)
        found[around.stratum] += 1
        for _, stratum, times in around.neighbours:
            found[stratum] += times
        return found

    def _further(self, around: Around) -> IntArray:
        """By stratum, how many records no neighbours of a person's may depend on its own."""
        found = np.zeros(len(self.strata), dtype=np.int64)
        for stratum, times in around.far:
            found[stratum] += times
        return found
