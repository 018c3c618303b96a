"""The channel of a network of people if only the laws of pairs are known (Theory §15).

It bounds what Laplace or geometric noise leaks about one person, over all joint laws with the laws of pairs. The upper
end is the comonotone bound, or all that may depend on the record moved at once. The lower end is known where the bound
is attained (Result 15.3): at outputs far above or below all answers, whatever all others add.

Nobody knows the joint law of a network of 10^6 friends. The laws of pairs of friends bound what a count of everybody
says about one person (`pairwise_model.Pairwise` has numbers).
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
from dalenius.pairs.private_mechanism_bound import Related, mechanism_leakage

_OFF: Final = 16 * UNIT


@final
@dataclass(frozen=True)
class PersonLeakage:
    """The leakage about one person.

    Attributes:
        lower: The lower end of the largest log-ratio of likelihoods of two values, in nats.
        upper: Its upper end, in nats.
        witness: The person, and the two values.
        least: The least prior probability of a value; 0 where no prior is known.
    """

    lower: float
    upper: float
    witness: Witness | None
    least: float

    @property
    def ratio(self) -> Found:
        """The largest log-ratio, in nats."""
        return Found(Enclosure(self.lower, self.upper), self.witness)

    @property
    def raised(self) -> Found:
        """How far chances rise, in nats: W(y) >= W(y|s)(π + (1 - π)e^-upper).

        Take a person ill with .1, whose log-ratio is at most 1 nat: the chance rises by at most 0.841435 and falls by
        at most 0.934702.

        >>> leakage = PersonLeakage(1.0, 1.0, None, 0.1)
        >>> f"{leakage.raised.value.upper:.6f} {leakage.lowered.value.upper:.6f}"
        '0.841435 0.934702'
        """
        share = self.least
        # Without a prior a chance may rise as much as odds do; given an exact answer it may come to 1.
        return self._found(-log(share + (1 - share) * exp(-self.upper)) if share else self.upper)

    @property
    def lowered(self) -> Found:
        """How far chances fall, in nats: W(y) <= W(y|s)(π + (1 - π)e^upper)."""
        # Given an exact answer a chance may fall to 0.
        share = self.least if self.upper < inf else 0.0
        return self._found(self.upper + log((1 - share) + share * exp(-self.upper)) if share else self.upper)

    def _found(self, upper: float) -> Found:
        most = min(max(upper, 0.0) * (1 + _OFF) + _OFF * (1 + self.upper if self.upper < inf else 1), self.upper)
        return Found(Enclosure(0.0, most), self.witness)


@final
@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors that a record and its neighbours' add to several answers, in the query's unit.

    own (s, axes): by value of the record. neighbours: how many there are of a kind, points (v, axes) by value of
    theirs, and laws (s, v).
    """

    own: Array
    neighbours: tuple[tuple[int, Array, Array], ...]

    def bound(self, scale: float, far: float) -> float:
        """Returns the most that noise leaks over all joint laws with the pairs, in nats (Result 15.4).

        Args:
            scale: The noise's scale, in the query's unit.
            far: How many nats all records of which nothing is known move together.
        """
        related = [Related(times, laws, _apart(points) / scale) for times, points, laws in self.neighbours]
        return mechanism_leakage(_apart(self.own) / scale, related, far)


def _apart(points: Array) -> Array:
    """Returns the L1 distances (v, v) of points (v, axes)."""
    return np.asarray(np.abs(points[:, None] - points).sum(axis=2))


@final
@dataclass(frozen=True, eq=False)
class PersonBounds(BoundedSubject):
    """One person of a class, with its neighbourhood and what else may depend on it.

    Attributes:
        neighbourhood: The neighbourhood, over the record's possible values.
        known_prior: Whether the record's prior is known.
        moved: How far the record and all that may depend on it can move the answer, in the query's unit.
        further: How far those records can move it of which nothing is known.
        no_others: Whether nobody else's record moves the answer.
        vectors: What records add to several answers, None for one; the neighbourhood's scores are then the first's.
    """

    neighbourhood: Neighbourhood
    known_prior: bool
    moved: Fraction
    further: Fraction
    no_others: bool
    vectors: Vectors | None = None

    def group_loss(self, noise: Noise) -> float:
        """Returns the loss, in nats, of `noise` if all that may depend on the record moves at once (Theory §5)."""
        return noise.group_loss(self.moved, self.lattice.axes) if self.moved else 0.0

    def moved_delta(self, noise: Noise, epsilon: float) -> float:
        """Returns the δ of `noise` at `epsilon` (nats) if all that may depend on the record moves at once.

        It is 1 where none is known for the noise.
        """
        # If nothing that may depend on the person moves the answer, there is nothing to hide.
        if not self.moved or len(self.values) < 2:
            return 0.0
        if gaussian_deviation(noise):
            return min(gaussian_delta(float(self.moved), gaussian_deviation(noise), epsilon) * (1 + 1e-9), 1.0)
        if not noise.shape.exponential or noise.shape.needs_lattice or self.vectors is not None:
            return 1.0
        # Because Laplace noise moved by d nats has δ(ε) = 1 - e^{(ε - d)/2}, exactly.
        past = epsilon - noise.group_loss(self.moved, 1)
        return -expm1(past / 2) * (1 + _OFF) if past < 0 else 0.0

    def leaked(self, noise: Noise) -> PersonLeakage:
        """Returns what leaks under `noise`; Meaningless for a noise other than Laplace's, geometric, or none."""
        group_loss = self.group_loss(noise)
        if not group_loss or len(self.values) < 2:
            return PersonLeakage(0.0, 0.0, None, 1.0)
        least = float(self.neighbourhood.prior.min()) * (1 - _OFF) if self.known_prior else 0.0
        # Because some joint law may let the answer give the record away.
        if noise.shape.adds_nothing:
            return PersonLeakage(0.0, inf, self.witness(), least)
        if not noise.shape.exponential:
            raise Meaningless("noise.kind", noise.kind, "laplace, geometric or none beside model pairwise")
        scale = noise.known_scale()
        far = nextafter(float(self.further / Fraction(scale)), inf) if self.further else 0.0
        # Because several answers have no sum: their bound has no lower end.
        if self.vectors is not None:
            upper = min(group_loss, self.vectors.bound(scale, far) * (1 + _OFF))
            return PersonLeakage(0.0, upper, self.witness(), least)
        assert self._bound is not None
        found = self._bound.at(scale)
        upper = min(group_loss, (found.upper + far) * (1 + _OFF))
        # Because all others cancel only far out, or where nobody else counts; there the leakage is attained.
        lower = found.lower if self.secret_pairs is None and (self.no_others or found.far) else 0.0
        witness = self.witness(self.values[found.secret], self.values[found.against])
        return PersonLeakage(min(lower, upper), upper, witness, least)

    @cached_property
    def _bound(self) -> ComonotoneBound | None:
        """The bound at any scale, computed once for a search; None where the record has one value."""
        return comonotone_bound_of(self.neighbourhood)


_KNOWN: Final = "one that is bounded without a joint law: differential, inferential, identity, dependent or information"


@final
@dataclass(frozen=True, eq=False)
class PairwiseChannel(BoundedChannel):
    """The channel over all joint laws in which each pair of one person's has its law, person by person.

    A person is skipped where all that may depend on their record leaks less than another's. people: one of each class.
    """

    people: Sequence[PersonBounds]
    noise: Noise

    def neighbours(self) -> Found:
        return worst_of([NO_LEAK, *(person.neighbours(self.noise) for person in self.people)])

    def found(self, quantity: str) -> Found:
        """Finds the worst of `quantity` over all people, and all joint laws with those pairs, in nats."""
        return worst_of([NO_LEAK, *(getattr(each, quantity) for each in self._leaked(quantity))])

    def divergence(self) -> Divergence:
        self.unknown("relative_entropy")

    @cached_property
    def log_ratio_bound(self) -> float:
        return max((each.upper for each in self._leaked("raised")), default=0.0)

    def _people_by(self, name: str) -> list[PersonBounds]:
        """Returns the people a quantity is about: for the ratio, those with pairs of values to hide."""
        return [person for person in self.people if person.pairs or name != "ratio"]

    def delta(self, of: str, epsilon: float) -> float:
        """Returns the least δ at `epsilon` (nats) for the quantity `of`, from above.

        It is at most that of all that may depend on a record moving at once, which is all that is known of Gaussian
        noise.
        """
        moved = max((person.moved_delta(self.noise, epsilon) for person in self._people_by(of)), default=0.0)
        # Because Gaussian noise bounds no log-ratio, there is only the δ of moving all at once.
        if not moved or self.noise.shape.gaussian:
            return moved
        return min(moved, super().delta(of, epsilon))

    def largest(self, of: str) -> Found:
        """Finds the supremum of the quantity `of`, in nats; infinite for Gaussian noise, about who depends on most."""
        if not self.noise.shape.gaussian:
            return super().largest(of)
        moving = max(self.people, key=lambda each: (each.moved, -each.number), default=None)
        return NO_LEAK if moving is None else Found(Enclosure(0.0, inf), moving.witness())

    def _leaked(self, name: str) -> list[PersonLeakage]:
        """Returns the leakages of people whose whole neighbourhood, moved at once, leaks more than any found so far.

        The people of the largest such loss come first.
        """
        found: list[PersonLeakage] = []
        most = 0.0
        for person in sorted(self._people_by(name), key=lambda each: (-each.group_loss(self.noise), each.number)):
            # Because people are ranked by what may move at once, the rest leak less than somebody already looked at.
            if found and person.group_loss(self.noise) <= most:
                break
            found.append(person.leaked(self.noise))
            most = max(most, found[-1].upper)
        return found

    def unknown(self, quantity: str) -> NoReturn:
        raise Meaningless("model.kind", "pairwise", f"a model with a joint law for {quantity} (or {_KNOWN})")


@final
class PairwiseWorld(BoundedWorld[PairwiseLaw]):
    """The world of a network if only the laws of pairs are known."""

    model = "model pairwise"
    engine: ClassVar[str | None] = "bounds"
    records: ClassVar[str] = "model pairwise"

    @property
    def engines(self) -> list[tuple[str, str]]:
        """Returns the one engine; it names a contradiction in the pairs, as the promise then is about no law."""
        why = "no joint law is known: over all with the known laws of pairs"
        against = self.contradiction
        return [("bounds", why if against is None else f"{why}; no promise, as {against}")]

    @cached_property
    def contradiction(self) -> str | None:  # type: ignore[override]
        """The contradiction in the pairs of those whose records are secrets; None where there is none."""
        return self.law.contradiction(self.secrets.numbers(self.law))

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """Yields one channel under `noise` for all people whose records are secrets."""
        yield PairwiseChannel(self._persons, noise)

    @cached_property
    def classes(self) -> tuple[Around, ...]:
        """The classes of people whose records are secrets, but for those whose neighbourhood is part of another's.

        What a whole neighbourhood moves, and every sum over neighbours, grows with it.
        """
        return self.law.widest(self.people)

    @property
    def vectors(self) -> list[Vectors]:
        """The vectors that records add to the answers, for one person of each class that no other contains."""
        return [self._vectors(around, np.flatnonzero(self.law.possible(around.prior))) for around in self.classes]

    @cached_property
    def _persons(self) -> tuple[PersonBounds, ...]:
        return tuple(self._person(around) for around in self.law.around(self.people))

    def _person(self, around: Around) -> PersonBounds:
        """Returns the bounds of one class of people: the neighbourhood in scores, and how far all of it moves."""
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
            self._vectors(around, possible) if self.scores.lattice.axes > 1 else None,
        )

    def _vectors(self, around: Around, possible: IntArray) -> Vectors:
        """Returns what the records of a neighbourhood add to each of several answers."""
        near = around.neighbours
        rows = tuple((times, self.points[stratum], self.law.rows(kind, possible)) for kind, stratum, times in near)
        return Vectors(self.points[around.stratum][possible], rows)

    def _moved(self, members: IntArray) -> Fraction:
        """Returns how far these records can move the answers (L1)."""
        each = zip(members.tolist(), self.by_stratum, strict=True)
        return sum((count * spread.total for count, spread in each), Fraction(0))

    @cached_property
    def scores_of(self) -> list[Array]:
        """Returns each value's score (s,) in the first answer, by stratum, in the query's unit."""
        return [each[:, 0] for each in self.points]

    def check_sums(self) -> None:
        """Raises InputError unless the answers are sums."""
        if not self.scores.additive:
            raise InputError("query", self.scores.combine[0], "one sum of scores of the records beside model pairwise")

    @cached_property
    def groups(self) -> Sequence[IntArray]:
        return [self._members(around) for around in self.classes]

    def _members(self, around: Around) -> IntArray:
        """Returns how many records a person's may depend on, by stratum, itself included."""
        found = self._further(around)
        found[around.stratum] += 1
        for _, stratum, times in around.neighbours:
            found[stratum] += times
        return found

    def _further(self, around: Around) -> IntArray:
        """Returns how many records that are no neighbours of a person's may depend on its own, by stratum."""
        found = np.zeros(len(self.strata), dtype=np.int64)
        for stratum, times in around.far:
            found[stratum] += times
        return found
