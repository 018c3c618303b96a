"""What a pipeline can leak of a person of whom only the laws of pairs are known (Result 15.4)."""

from dataclasses import dataclass
from functools import singledispatch
from math import exp, expm1, inf, log
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.unlisted import Whose
from dalenius.joints.joint import Belief
from dalenius.ratios.pairs.budget import of_private
from dalenius.ratios.pairs.known import KnownPairs
from dalenius.ratios.pairs.law import PairwiseLaw

OFF = 32 * UNIT
GRID = 257
CLOSE = 1e-9
FARTHEST = 30.0
"""Nats beyond which all records are changed one after the other."""


@final
@dataclass(frozen=True, eq=False)
class PairsOnly:
    """One person: bounds over all pipelines and all joint laws with the pairs; information: of how much a chance grows.

    A pipeline of pure ε: Result 15.4, and e^ε-fold for each further record. Any other profile: the record, its
    neighbours and the further records are changed one after the other.
    """

    known: KnownPairs
    information: bool

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose, Enclosure]:
        """δ′ at ε′ = epsilon."""
        return self._whose(profile, steps), Enclosure(0.0, self.above(profile, steps, epsilon))

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose, Enclosure]:
        """The least ε′ at δ′ = delta, or one that is enough."""
        whose = self._whose(profile, steps)
        if delta == 0:
            least = 0.0 if self.information or profile.pure is None else profile.pure * steps * (1 - OFF)
            upper = self._pure(profile, steps)
            return whose, Enclosure(min(least, upper), upper)
        high = 1.0
        while self.above(profile, steps, high) > delta:
            high *= 2
            if high > 600:
                return whose, Enclosure(0.0, inf)
        low = 0.0
        while high - low > CLOSE * (1 + high):
            middle = (low + high) / 2
            low, high = (middle, high) if self.above(profile, steps, middle) > delta else (low, middle)
        return whose, Enclosure(0.0, high)

    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        """Whether no more can leak, for certain."""
        return self.above(profile, steps, epsilon) <= delta

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """δ′ from above."""
        if len(self.known.values) < 2:
            return 0.0
        if profile.pure is not None:
            if self._pure(profile, steps) <= epsilon:
                return 0.0
            odds = self._odds(profile, steps)
            return min(-expm1(epsilon - odds) / (1 + exp(-odds)) * (1 + OFF), 1.0) if odds > epsilon else 0.0
        changed = self.known.size * steps
        each = np.linspace(0.0, epsilon / changed * (1 - OFF), GRID)
        # δ(ε)(1 + e^ε + … + e^((k-1)ε)) at kε
        with np.errstate(over="ignore"):
            folds = np.where(each > 0, np.expm1(changed * each) / np.where(each > 0, np.expm1(each), 1.0), changed)
        return float(min(np.min(profile.delta_at(each) * folds) * (1 + 1e-12), 1.0))

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

    def _whose(self, profile: PrivacyProfile, steps: int) -> Whose:
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
