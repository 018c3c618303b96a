"""A mechanism known only to be private for each record: what it leaks where only pair laws are known (Result 15.4).

What a pipeline can leak of a person of whom only the laws of pairs are known (Result 15.4).
"""

from dataclasses import dataclass
from functools import singledispatch
from itertools import permutations
from math import exp, expm1, inf, log
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.bounded_records import BoundedAtZero, Whose
from dalenius.conversion.profile import PrivacyProfile
from dalenius.errors import InputError
from dalenius.joints.joint import Belief
from dalenius.laws.law import Array
from dalenius.ratios.pairs.comonotone import first_largest
from dalenius.ratios.pairs.neighbourhood import Neighbourhood, Quantiles, ScoreSum, by_width, quantiles
from dalenius.ratios.pairs.pairwise_belief import KnownPairs, PairwiseLaw


@final
@dataclass(frozen=True)
class Private:
    """upper: in nats, no ε₀-differentially private mechanism leaks more about two of the record's values, whatever the
    joint law with those pair laws; secret, against: the places of the two."""

    upper: float
    secret: int
    against: int


def _of_private(neighbourhood: Neighbourhood, epsilon0: float) -> Private:
    """For an ε₀-differentially private mechanism; rises with ε₀. InputError unless ε₀ is finite and at least 0.

    A person and two friends, as in `comonotone`, and any pipeline of ε₀ = 1: two changed friends and the person's own
    record are 3 nats at most, and as each friend often stays as they were no more than 2.685077.

    >>> from dalenius.ratios.pairs.neighbourhood import Neighbour
    >>> friends = Neighbour(2, np.array([0.0, 1.0]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> found = _of_private(Neighbourhood(np.array([0.0, 1.0]), np.array([0.5, 0.5]), (friends,)), 1.0)
    >>> f"{found.upper:.6f}"
    '2.685077'
    """
    if not 0 <= epsilon0 < np.inf:
        raise InputError("epsilon0", epsilon0, "a finite number of at least 0")
    return _Bound(neighbourhood).at(epsilon0)


@final
class _Bound:
    """What does not depend on ε₀, for each ordered pair of values."""

    def __init__(self, neighbourhood: Neighbourhood) -> None:
        secrets = [int(place) for place in np.flatnonzero(neighbourhood.prior > 0)]
        self._first, self._people = secrets[0], _people(neighbourhood)
        self._changed = {pair: _changed(neighbourhood, *pair) for pair in permutations(secrets, 2)}
        # One neighbour, as in a couple: the pair's law is all there is, and the largest odds of two tests are exact.
        only = neighbourhood.neighbours[0].laws if self._people == 1 else None
        self._alone = {} if only is None else {(s, t): _odds(only[s], only[t]) for s, t in self._changed}

    def at(self, epsilon0: float) -> Private:
        """The largest of all ordered pairs at this ε₀, in nats; the record's own change is added to the neighbours'."""
        # The record has one possible value.
        if not self._changed:
            return Private(0.0, self._first, self._first)
        pairs = list(self._changed)
        ratios = np.array([self._ratio(pair, epsilon0) for pair in pairs])
        secret, against = pairs[first_largest(ratios)]
        return Private(max(float(ratios.max()) + epsilon0 * (1 + 4 * UNIT), 0.0), secret, against)

    def _ratio(self, pair: tuple[int, int], epsilon0: float) -> float:
        """Of the neighbours alone."""
        # Of a test that flags the likelier values e^{ε₀} times as often as the others.
        if pair in self._alone:
            below, above = self._alone[pair]
            gain = np.expm1(epsilon0)
            return float(np.max(np.log1p(gain * below) - np.log1p(gain * above))) + 64 * UNIT * (1 + epsilon0)
        law = self._changed[pair]
        with np.errstate(over="ignore"):
            found = float(np.logaddexp.reduce(np.log(law.masses) + _cost(law.points, epsilon0)))
        rounding = (16 * len(law.points) + 64) * UNIT * (2 + epsilon0 * self._people)
        # Never more than every neighbour changed.
        return min(found + rounding, self._people * epsilon0 * (1 + 4 * UNIT))


def _people(neighbourhood: Neighbourhood) -> int:
    """How many neighbours there are."""
    return sum(each.times for each in neighbourhood.neighbours)


def _cost(expected: Array, epsilon0: float) -> Array:
    """A convex function above −log of the least mean of e^{−ε₀N} over counts N of that mean."""
    share = np.minimum(expected, 1.0)
    with np.errstate(divide="ignore"):
        few = -np.logaddexp(np.log1p(-share), np.log(share) - epsilon0)
    # Between one change and two the function is straight: convex, and above the true one.
    chord = epsilon0 + np.log1p(np.clip(expected - 1, 0.0, 1.0) * np.expm1(min(epsilon0, 700.0)))
    some = chord if epsilon0 <= 700 else epsilon0 * np.maximum(expected, 2.0)
    return np.where(expected <= 1, few, np.where(expected <= 2, some, epsilon0 * expected))


def _changed(neighbourhood: Neighbourhood, secret: int, against: int) -> ScoreSum:
    """How many neighbours differ from a drawing given `against`, expected given a drawing given `secret`, at most."""
    parts, start = [], 0.0
    for alike in by_width(neighbourhood.neighbours):
        laws = np.array([each.laws for each in alike])
        times = np.array([float(each.times) for each in alike])
        differs = 1 - laws[:, against] / laws[:, against].sum(axis=1, keepdims=True)
        start += float(times @ differs.min(axis=1))
        parts.append(quantiles(times, differs, laws[:, secret]))
    return Quantiles.together(parts).summed(start)


def _odds(law: Array, other: Array) -> tuple[Array, Array]:
    """Masses of the values that are likelier by at least some factor, under either law."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(law > 0, law / other, 0.0), kind="stable")
    return np.append(0.0, np.cumsum(law[order])) / law.sum(), np.append(0.0, np.cumsum(other[order])) / other.sum()


_OFF = 32 * UNIT
_FARTHEST = 30.0
"""Nats beyond which all records are changed one after the other."""


@final
@dataclass(frozen=True, eq=False)
class PairsOnly(BoundedAtZero):
    """One person: bounds over all pipelines and all joint laws with the pairs; information: of how much a chance grows.

    A pipeline of pure ε: Result 15.4, and e^ε-fold for each further record. Any other profile: the record, its
    neighbours and the further records are changed one after the other.
    """

    known: KnownPairs
    information: bool

    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        """The least ε′ at δ′ = 0, in nats; from below what the record's own change may leak whatever depends on it."""
        # How much a chance grows depends on the prior too: nothing is known from below.
        least = 0.0 if self.information or profile.pure is None else profile.pure * steps * (1 - _OFF)
        upper = self._pure(profile, steps)
        return Enclosure(min(least, upper), upper)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """An upper end of δ′ at ε′ = epsilon (a probability)."""
        # The record is certain: nothing is left to be learnt.
        if len(self.known.values) < 2:
            return 0.0
        if profile.pure is not None:
            # Pure pipelines keep ε′ with δ′ = 0 from there on; below it randomised response of that ratio is the worst.
            if self._pure(profile, steps) <= epsilon:
                return 0.0
            odds = self._odds(profile, steps)
            return min(-expm1(epsilon - odds) / (1 + exp(-odds)) * (1 + _OFF), 1.0) if odds > epsilon else 0.0
        return profile.delta_of(self.known.size * steps, epsilon)

    def _odds(self, profile: PrivacyProfile, steps: int) -> float:
        """The most that the odds of two values move, in nats: neighbours by Theory §15, further records one by one."""
        assert profile.pure is not None
        nats = profile.pure * steps * (1 + _OFF)
        # So loose a pipeline: the bound by pairs is not looked for.
        if nats > _FARTHEST:
            return self.known.size * nats
        return (_of_private(self.known.neighbourhood, nats).upper + self.known.further * nats) * (1 + _OFF)

    def _pure(self, profile: PrivacyProfile, steps: int) -> float:
        """The least ε′ at δ′ = 0, from above."""
        if profile.pure is None:
            return inf
        odds = self._odds(profile, steps)
        share = self.known.least
        # Without a prior a chance may grow as much as odds do.
        if not self.information or not share:
            return odds
        return min(max(-log(share + (1 - share) * exp(-odds)), 0.0) * (1 + _OFF) + _OFF * (1 + odds), odds)

    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        """Of whom, and of which two values; of a loose or impure pipeline the first two."""
        known, (one, other) = self.known, (0, min(1, len(self.known.values) - 1))
        if profile.pure is not None and profile.pure * steps <= _FARTHEST:
            found = _of_private(known.neighbourhood, profile.pure * steps)
            one, other = found.secret, found.against
        return Whose(known.person, known.who, known.values[one], None if self.information else known.values[other])


@singledispatch
def known_pairs(belief: Belief) -> tuple[KnownPairs, ...] | None:
    """What is known of people, one of each class that leaks most, where only pairs of records are; None elsewhere."""
    return None


@known_pairs.register
def _pairwise(belief: PairwiseLaw) -> tuple[KnownPairs, ...]:
    return belief.known_pairs()
