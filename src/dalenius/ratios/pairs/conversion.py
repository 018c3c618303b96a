"""What a pipeline can leak of a person of whom only the laws of pairs are known."""

from dataclasses import dataclass
from functools import singledispatch
from math import exp, inf, log
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.crossing import least_epsilon
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.unlisted import Whose
from dalenius.joints.joint import Belief
from dalenius.ratios.bounded import apart_delta
from dalenius.ratios.pairs.law import KnownPairs, PairwiseLaw

OFF = 32 * UNIT
GRID = 257


@final
@dataclass(frozen=True, eq=False)
class PairsOnly:
    """One person: bounds over all pipelines and all joint laws with the pairs; information: of how much a chance grows.

    The record and all that may depend on it are changed one after the other.
    """

    known: KnownPairs
    information: bool

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose, Enclosure]:
        """δ′ at ε′ = epsilon."""
        return self._whose, Enclosure(0.0, self.above(profile, steps, epsilon))

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose, Enclosure]:
        """The least ε′ at δ′ = delta, or one that is enough."""
        whose = self._whose
        if delta == 0:
            least = 0.0 if self.information or profile.pure is None else profile.pure * steps * (1 - OFF)
            upper = self._pure(profile, steps)
            return whose, Enclosure(min(least, upper), upper)
        found = least_epsilon(lambda epsilon: Enclosure(*[self.above(profile, steps, epsilon)] * 2), delta, inf)
        return whose, Enclosure(0.0, found.upper)

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
            return apart_delta(self._odds(profile.pure, steps), epsilon)
        changed = self.known.size * steps
        each = np.linspace(0.0, epsilon / changed * (1 - OFF), GRID)
        # δ(ε)(1 + e^ε + … + e^((k-1)ε)) at kε
        with np.errstate(over="ignore"):
            folds = np.where(each > 0, np.expm1(changed * each) / np.where(each > 0, np.expm1(each), 1.0), changed)
        return float(min(np.min(profile.delta_at(each) * folds) * (1 + 1e-12), 1.0))

    def _odds(self, pure: float, steps: int) -> float:
        return self.known.size * pure * steps * (1 + OFF)

    def _pure(self, profile: PrivacyProfile, steps: int) -> float:
        """The least ε′ at δ′ = 0, from above."""
        if profile.pure is None:
            return inf
        odds, share = self._odds(profile.pure, steps), self.known.least
        if not self.information or not share:
            return odds
        return min(max(-log(share + (1 - share) * exp(-odds)), 0.0) * (1 + OFF) + OFF * (1 + odds), odds)

    @property
    def _whose(self) -> Whose:
        known = self.known
        return Whose(known.person, known.who, known.values[0], None if self.information else known.values[-1])


@singledispatch
def known_pairs(belief: Belief) -> tuple[KnownPairs, ...] | None:
    """What is known of people, one of each class that leaks most, where only pairs of records are; None elsewhere."""
    return None


@known_pairs.register
def _pairwise(belief: PairwiseLaw) -> tuple[KnownPairs, ...]:
    return belief.known_pairs()
