"""What a pipeline can leak of a person of whom only the laws of pairs are known (Result 15.4)."""

from dataclasses import dataclass
from functools import singledispatch
from math import exp, expm1, inf, log
from typing import final

from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.bounded import BoundedAtZero, Whose
from dalenius.conversion.profile import PrivacyProfile
from dalenius.joints.joint import Belief
from dalenius.ratios.pairs.budget import of_private
from dalenius.ratios.pairs.law import KnownPairs, PairwiseLaw

OFF = 32 * UNIT
FARTHEST = 30.0
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
        least = 0.0 if self.information or profile.pure is None else profile.pure * steps * (1 - OFF)
        upper = self._pure(profile, steps)
        return Enclosure(min(least, upper), upper)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        if len(self.known.values) < 2:
            return 0.0
        if profile.pure is not None:
            if self._pure(profile, steps) <= epsilon:
                return 0.0
            odds = self._odds(profile, steps)
            return min(-expm1(epsilon - odds) / (1 + exp(-odds)) * (1 + OFF), 1.0) if odds > epsilon else 0.0
        return profile.delta_of(self.known.size * steps, epsilon)

    def _odds(self, profile: PrivacyProfile, steps: int) -> float:
        assert profile.pure is not None
        nats = profile.pure * steps * (1 + OFF)
        if nats > FARTHEST:
            return self.known.size * nats
        return (of_private(self.known.neighbourhood, nats).upper + self.known.further * nats) * (1 + OFF)

    def _pure(self, profile: PrivacyProfile, steps: int) -> float:
        """The least ε′ at δ′ = 0, from above."""
        if profile.pure is None:
            return inf
        odds = self._odds(profile, steps)
        share = self.known.least
        if not self.information or not share:
            return odds
        return min(max(-log(share + (1 - share) * exp(-odds)), 0.0) * (1 + OFF) + OFF * (1 + odds), odds)

    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        known, (one, other) = self.known, (0, min(1, len(self.known.values) - 1))
        if profile.pure is not None and profile.pure * steps <= FARTHEST:
            found = of_private(known.neighbourhood, profile.pure * steps)
            one, other = found.secret, found.against
        return Whose(known.person, known.who, known.values[one], None if self.information else known.values[other])


@singledispatch
def known_pairs(belief: Belief) -> tuple[KnownPairs, ...] | None:
    """What is known of people, one of each class that leaks most, where only pairs of records are; None elsewhere."""
    return None


@known_pairs.register
def _pairwise(belief: PairwiseLaw) -> tuple[KnownPairs, ...]:
    return belief.known_pairs()
