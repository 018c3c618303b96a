"""The mechanism that leaks as much as any with its profile: one bit (Results 13.1 and 13.2)."""

from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.conversion.dependence import Dependence
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.program import attained, solve
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True, eq=False)
class Attaining:
    """Publishes a bit, 1 with a probability that depends on the records of one group alone.

    Of `person` the secret is told apart from `against` (None: from what the record may be) with delta, at the ε asked
    for. states (n, slots): the others' slots in their order, or, counted, how many of them have each; flagged (2, n):
    the probability of 1 where the others are in that state and the record has the secret, and where it has another
    value.
    """

    person: int
    secret: RecordValue
    against: RecordValue | None
    delta: float
    states: IntArray
    counted: bool
    flagged: Array
    profile: PrivacyProfile
    steps: int

    def chance(self, own: bool, state: IntArray) -> float:
        """That of 1 in any state of the others, impossible ones included; own: the record has the secret."""
        apart = np.abs(self.states - state).sum(axis=1) // 2 if self.counted else (self.states != state).sum(axis=1)
        away = np.concatenate([apart + (not own), apart + own]) * self.steps
        return float(attained(self.profile, self.flagged.ravel(), away).min())


def attaining(dependence: Dependence, profile: PrivacyProfile, epsilon: float, steps: int) -> Attaining:
    """The bit for one question. Of a profile that nothing is known to attain, that of the one `within` it."""
    found, known = solve(dependence, profile, epsilon, steps), profile.within or profile
    flagged = np.stack([attained(known, found.flagged, np.full(len(found.flagged), steps)), found.flagged])
    d = dependence
    return Attaining(d.person, d.secret, d.against, found.delta.lower, d.states, d.counted, flagged, known, steps)
