"""What a pipeline known only to be private for each record can leak of a person of whom only the laws of pairs are
known: all that may depend on the record is changed, one record after the other.

Of three friends in a row and a pipeline of ε = 1 that is 3 nats at most; and at ε′ = 2 a δ′ of at most
(e³ − e²)/(e³ + 1) = 0.602142.
"""

from dataclasses import dataclass
from functools import singledispatch
from math import exp, log
from typing import final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import delta_of_log_ratio
from dalenius.conversion.bounded_records import Bounded, Whose, by_itself
from dalenius.conversion.profile import PrivacyProfile
from dalenius.joints.joint import Belief
from dalenius.ratios.pairs.pair_marginals import KnownPairs, PairwiseLaw

_OFF = 32 * UNIT
"""Relative: more than the roundings of one bound."""


@final
@dataclass(frozen=True, eq=False)
class PairsOnly(Bounded):
    """One person: bounds over all pipelines and all joint laws with the pairs; information: of how much a chance
    grows."""

    known: KnownPairs
    information: bool

    def found(self, nats: float) -> tuple[Whose, Enclosure]:
        """Of the first two values."""
        known, other = self.known, min(1, len(self.known.values) - 1)
        whose = Whose(known.person, known.who, known.values[0], None if self.information else known.values[other])
        return whose, by_itself(nats, self._pure(nats), self.information)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """An upper end of δ′ at ε′ = epsilon (a probability)."""
        # The record is certain: nothing is left to be learnt.
        if len(self.known.values) < 2:
            return 0.0
        if profile.pure is None:
            return profile.delta_of(self.known.size * steps, epsilon)
        # Pure pipelines keep ε′ with δ′ = 0 from there on; below it randomised response of that ratio is the worst.
        kept = self._pure(profile.pure * steps) <= epsilon
        return 0.0 if kept else delta_of_log_ratio(self._odds(profile.pure * steps), epsilon)

    def _odds(self, nats: float) -> float:
        """The most that the odds of two values move, in nats."""
        return self.known.size * nats * (1 + _OFF)

    def _pure(self, nats: float) -> float:
        """The least ε′ at δ′ = 0 where changing a record is worth so many nats, from above."""
        odds, share = self._odds(nats), self.known.least
        # Without a prior a chance may grow as much as odds do.
        if not self.information or not share:
            return odds
        return min(max(-log(share + (1 - share) * exp(-odds)), 0.0) * (1 + _OFF) + _OFF * (1 + odds), odds)


@singledispatch
def known_pairs(belief: Belief) -> tuple[KnownPairs, ...] | None:
    """What is known of people, one of each class that leaks most, where only pairs of records are; None elsewhere."""
    return None


@singledispatch
def contradiction_of(belief: Belief) -> str | None:
    """Why the pairs contradict what is supposed of everybody; None where they do not, and of another belief."""
    return None


@contradiction_of.register
def _of_pairs(belief: PairwiseLaw) -> str | None:
    return belief.contradiction()


@known_pairs.register
def _pairwise(belief: PairwiseLaw) -> tuple[KnownPairs, ...]:
    return belief.known_pairs()
