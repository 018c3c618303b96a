"""A network of people of whom only the laws of pairs are known, and its channel (Theory §15); and what Laplace or
geometric noise leaks about one person, over all joint laws with the laws of pairs.

From above it is the comonotone bound, or all that may depend on the record moved at once. From below something is known
where the bound is attained (Result 15.3): at outputs far above or below all answers whatever all others add.

Of a network of 10^6 friends nobody knows the joint law; what friends tell of each other, pair by pair, bounds what a
count of everybody says about one (`pairwise_model.Pairwise` has numbers).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, expm1, inf, log, nextafter
from typing import ClassVar, Final, NoReturn, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.bounded_channel import BoundedChannel, BoundedSubject, BoundedWorld
from dalenius.channel.channel import Channel
from dalenius.channel.leakage import NO_LEAK, Divergence, Found, Witness, worst_of
from dalenius.errors import InputError, Meaningless
from dalenius.noise import Noise, gaussian_deviation
from dalenius.noise.gaussian import gaussian_delta
from dalenius.pairs.comonotone_sum_bound import ComonotoneBound, comonotone_bound_of
from dalenius.pairs.neighbourhood_score_sums import Neighbour, Neighbourhood
from dalenius.pairs.pairwise_belief import UNKNOWN, Around, PairwiseLaw

_OFF: Final = 16 * UNIT


@final
@dataclass(frozen=True)
class PersonLeakage:
    """lower, upper: between which the largest log-ratio of likelihoods of two values lies; witness: of which values.

    least: the least prior probability of a value, 0 where no prior is known.
    """

    lower: float
    upper: float
    witness: Witness | None
    least: float

    @property
    def ratio(self) -> Found:
        """The largest log-ratio."""
        return Found(Enclosure(self.lower, self.upper), self.witness)

    @property
    def raised(self) -> Found:
        """How far chances rise: W(y) >= W(y|s)(π + (1 - π)e^-upper).

        A person ill with .1, whose log-ratio is at most 1 nat: the chance rises by at most 0.841435 and falls by at
        most 0.934702.

        >>> leakage = PersonLeakage(1.0, 1.0, None, 0.1)
        >>> f"{leakage.raised.value.upper:.6f} {leakage.lowered.value.upper:.6f}"
        '0.841435 0.934702'
        """
        share = self.least
        # Without a prior a chance may rise as much as odds do; of an exact answer it may come to 1.
        return self._found(-log(share + (1 - share) * exp(-self.upper)) if share else self.upper)

    @property
    def lowered(self) -> Found:
        """How far they fall: W(y) <= W(y|s)(π + (1 - π)e^upper)."""
        # An exact answer: a chance may fall to 0.
        share = self.least if self.upper < inf else 0.0
        return self._found(self.upper + log((1 - share) + share * exp(-self.upper)) if share else self.upper)

    def _found(self, upper: float) -> Found:
        most = min(max(upper, 0.0) * (1 + _OFF) + _OFF * (1 + self.upper if self.upper < inf else 1), self.upper)
        return Found(Enclosure(0.0, most), self.witness)


@final
@dataclass(frozen=True, eq=False)
class PersonBounds(BoundedSubject):
    """One person of a class, its neighbourhood, and what else may depend on it.

    neighbourhood: over the record's possible values; known_prior: whether its prior is known. moved: how far the record
    and all that may depend on it can move the answer; further: that of records of which nothing is known. no_others:
    whether nobody else's record moves the answer.
    """

    neighbourhood: Neighbourhood
    known_prior: bool
    moved: Fraction
    further: Fraction
    no_others: bool

    def group_loss(self, noise: Noise) -> float:
        """The bound of all that may depend on the record, moved at once (Theory §5, group)."""
        return noise.group_loss(self.moved, 1) if self.moved else 0.0

    def moved_delta(self, noise: Noise, epsilon: float) -> float:
        """The δ at ε of moving all that may depend on the record at once; 1 where that is not known of the noise."""
        # Nothing that may depend on the person moves the answer, or there is nothing to hide.
        if not self.moved or len(self.values) < 2:
            return 0.0
        if gaussian_deviation(noise):
            return min(gaussian_delta(float(self.moved), gaussian_deviation(noise), epsilon) * (1 + 1e-9), 1.0)
        if not noise.shape.exponential or noise.shape.needs_lattice:
            return 1.0
        # Laplace noise moved by d nats has δ(ε) = 1 - e^{(ε - d)/2}, exactly.
        past = epsilon - noise.group_loss(self.moved, 1)
        return -expm1(past / 2) * (1 + _OFF) if past < 0 else 0.0

    def leaked(self, noise: Noise) -> PersonLeakage:
        """Meaningless for a noise other than Laplace's, geometric, or none."""
        group_loss = self.group_loss(noise)
        if not group_loss or len(self.values) < 2:
            return PersonLeakage(0.0, 0.0, None, 1.0)
        least = float(self.neighbourhood.prior.min()) * (1 - _OFF) if self.known_prior else 0.0
        # Some joint law may let the answer give the record away.
        if noise.shape.adds_nothing:
            return PersonLeakage(0.0, inf, self.witness(), least)
        if not noise.shape.exponential:
            raise Meaningless("noise.kind", noise.kind, "laplace, geometric or none beside model pairwise")
        scale = noise.known_scale()
        assert self._bound is not None
        found = self._bound.at(scale)
        far = nextafter(float(self.further / Fraction(scale)), inf) if self.further else 0.0
        upper = min(group_loss, (found.upper + far) * (1 + _OFF))
        # Far out, or where nobody else counts, all others cancel; only there is the neighbourhood's leakage attained.
        lower = found.lower if self.secret_pairs is None and (self.no_others or found.far) else 0.0
        witness = self.witness(self.values[found.secret], self.values[found.against])
        return PersonLeakage(min(lower, upper), upper, witness, least)

    @cached_property
    def _bound(self) -> ComonotoneBound | None:
        """None where the record has one value; what does not depend on the scale is computed once for a search."""
        return comonotone_bound_of(self.neighbourhood)


_KNOWN: Final = "one that is bounded without a joint law: differential, inferential, identity, dependent or information"


@final
@dataclass(frozen=True, eq=False)
class PairwiseChannel(BoundedChannel):
    """Over all joint laws in which each pair of one person's has its law, person by person.

    people: one of each class. A person is skipped where all that may depend on their record leaks less than another's.
    """

    people: Sequence[PersonBounds]
    noise: Noise

    def neighbours(self) -> Found:
        return worst_of([NO_LEAK, *(person.neighbours(self.noise) for person in self.people)])

    def found(self, quantity: str) -> Found:
        """The worst over all people, and all joint laws with those pairs."""
        return worst_of([NO_LEAK, *(getattr(each, quantity) for each in self._leaked(quantity))])

    def divergence(self) -> Divergence:
        self.unknown("relative_entropy")

    @cached_property
    def log_ratio_bound(self) -> float:
        return max((each.upper for each in self._leaked("raised")), default=0.0)

    def _people_by(self, name: str) -> list[PersonBounds]:
        """Of whom a quantity is asked: the ratio only of those of whom some values must not be distinguished."""
        return [person for person in self.people if person.pairs or name != "ratio"]

    def delta(self, of: str, epsilon: float) -> float:
        """No more, either, than where all that may depend on a record moves at once: all that is known of Gaussian
        noise."""
        moved = max((person.moved_delta(self.noise, epsilon) for person in self._people_by(of)), default=0.0)
        # Of Gaussian noise no log-ratio is bounded: there is the δ of moving all at once, and no other.
        if not moved or self.noise.shape.gaussian:
            return moved
        return min(moved, super().delta(of, epsilon))

    def largest(self, of: str) -> Found:
        """Of Gaussian noise without bound, about whoever depends on most; else the supremum, in nats."""
        if not self.noise.shape.gaussian:
            return super().largest(of)
        moving = max(self.people, key=lambda each: (each.moved, -each.number), default=None)
        return NO_LEAK if moving is None else Found(Enclosure(0.0, inf), moving.witness())

    def _leaked(self, name: str) -> list[PersonLeakage]:
        """Of those people whose whole neighbourhood leaks more, moved at once, than another's at most; the largest
        such first."""
        found: list[PersonLeakage] = []
        most = 0.0
        for person in sorted(self._people_by(name), key=lambda each: (-each.group_loss(self.noise), each.number)):
            # Ranked by what all that may depend on a person moves: the rest leak less than somebody already looked at.
            if found and person.group_loss(self.noise) <= most:
                break
            found.append(person.leaked(self.noise))
            most = max(most, found[-1].upper)
        return found

    def unknown(self, quantity: str) -> NoReturn:
        raise Meaningless("model.kind", "pairwise", f"a model with a joint law for {quantity} (or {_KNOWN})")


@final
class PairwiseWorld(BoundedWorld[PairwiseLaw]):
    """law: the network."""

    model = "model pairwise"
    engine: ClassVar[str | None] = "bounds"
    records: ClassVar[str] = "model pairwise"

    @property
    def engines(self) -> list[tuple[str, str]]:
        """A contradiction in the pairs is said here, as the promise then is of no law."""
        why = "no joint law is known: over all with the known laws of pairs"
        against = self.contradiction
        return [("bounds", why if against is None else f"{why}; no promise, as {against}")]

    @cached_property
    def contradiction(self) -> str | None:  # type: ignore[override]
        """Of those whose records are secrets."""
        return self.law.contradiction(self.secrets.numbers(self.law))

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        yield PairwiseChannel(self._persons, noise)

    @cached_property
    def classes(self) -> tuple[Around, ...]:
        """Whose records are secrets, but for those whose neighbourhood is part of another's: what a whole neighbourhood
        moves, and every sum over neighbours, grows with it."""
        return self.law.widest(self.people)

    @cached_property
    def _persons(self) -> tuple[PersonBounds, ...]:
        return tuple(self._person(around) for around in self.law.around(self.people))

    def _person(self, around: Around) -> PersonBounds:
        """One class of people: the neighbourhood in scores, and how far it and all else that may depend on it move
        the answer."""
        possible = np.flatnonzero(self.law.possible(around.prior))
        known = around.prior != UNKNOWN
        prior = self.law.priors[around.prior][possible] if known else np.full(len(possible), 1 / len(possible))
        neighbours = tuple(
            Neighbour(times, self.scores_of[stratum], self.law.rows(kind, possible))
            for kind, stratum, times in around.neighbours
        )
        own = self.scores_of[around.stratum][possible]
        moved = self._moved(self._members(around))
        place = {self.law.values[i]: row for row, i in enumerate(possible.tolist())}
        quantity = self.secrets.pairs
        return PersonBounds(
            around.person,
            around.who,
            tuple(place),
            None if quantity is None else tuple((place[a], place[b]) for a, b in quantity if a in place and b in place),
            self.by_stratum[around.stratum],
            self.scores.lattice,
            Neighbourhood(own, prior / prior.sum(), neighbours),
            known,
            moved,
            self._moved(self._further(around)),
            moved == self._moved(np.array([stratum.people for stratum in self.strata], dtype=np.int64)),
        )

    def _moved(self, members: IntArray) -> Fraction:
        """How far these records can move the answer, which is one sum."""
        each = zip(members.tolist(), self.by_stratum, strict=True)
        return sum((count * spread.total for count, spread in each), Fraction(0))

    @cached_property
    def scores_of(self) -> list[Array]:
        """By stratum, each value's score, in the query's unit (s,)."""
        return [each[:, 0] for each in self.points]

    def check_sums(self) -> None:
        """InputError unless the answer is one sum."""
        if self.scores.lattice.axes > 1 or not self.scores.additive:
            shown = ", ".join(self.scores.names) if self.scores.lattice.axes > 1 else self.scores.combine[0]
            raise InputError("query", shown, "one sum of scores of the records beside model pairwise")

    @cached_property
    def groups(self) -> Sequence[IntArray]:
        return [self._members(around) for around in self.classes]

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
