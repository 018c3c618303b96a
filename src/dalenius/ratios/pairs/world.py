"""One network of people of whom only the laws of pairs are known, and what bounds its channels."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

import numpy as np

from dalenius.channel.channel import Channel
from dalenius.channel.pairs import Pairs
from dalenius.channel.question import Question
from dalenius.channel.scored_world import ScoredWorld
from dalenius.channel.secrets import Secrets
from dalenius.errors import InputError
from dalenius.joints import Stratum
from dalenius.laws.law import Array, IntArray
from dalenius.noise import Noise
from dalenius.queries import Scores
from dalenius.ratios.pairs.channel import PairwiseChannel
from dalenius.ratios.pairs.law import UNKNOWN, Around, PairwiseLaw
from dalenius.ratios.pairs.neighbourhood import Neighbour, Neighbourhood
from dalenius.ratios.pairs.person import Person

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
