"""Conversion for a person if only the laws of pairs are known.

All that may depend on the record is changed, one record after the other: for three friends in a row and a pipeline of
ε = 1 that is 3 nats at most. A pure pipeline also keeps the bound of all joint laws with these pairs (Result 15.4).
Friends who are like the person with .9 (well) or .8 (ill) leave 2.685 nats, and at ε′ = 2 a δ′ of at most
(e^2.685 − e²)/(e^2.685 + 1) = 0.464:

>>> from dalenius import Pairwise
>>> from dalenius.conversion import Conversion, PureProfile
>>> friends = Pairwise(n=3, values=(0, 1), given=((0.9, 0.1), (0.2, 0.8)), edges=((1, 2), (1, 3)))
>>> found = Conversion(friends, PureProfile(1.0), "replace")
>>> [round(each.value.upper, 3) for each in (found.epsilon(0.0), found.delta(2.0))]
[2.685, 0.464]
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp, log
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import delta_of_log_ratio
from dalenius.conversion.bounds_for_large_groups import Bounded, Whose, by_itself
from dalenius.conversion.profile import PrivacyProfile
from dalenius.fields import RecordValue
from dalenius.pairs.pairwise_belief import UNKNOWN, Around, PairwiseLaw
from dalenius.pairs.private_mechanism_bound import Related, mechanism_leakage, moves_alike

_STEEPEST = 100.0
"""Nats from which on a record is taken to change all others with it."""
_OFF = 32 * UNIT
"""A bound on the relative roundings of one bound."""


# One for all classes of people: it looks at every edge.
_contradiction = lru_cache(maxsize=16)(PairwiseLaw.contradiction)


@final
@dataclass(frozen=True, eq=False)
class PairsOnly(Bounded):
    """One person of a class: bounds over all pipelines and all joint laws with the pairs.

    information: whether bounds are on how much a chance grows, instead of odds.
    """

    law: PairwiseLaw
    around: Around
    information: bool

    @property
    def why(self) -> str:
        found, against = "what joint laws with these pairs allow at most (Result 15.4)", _contradiction(self.law)
        return found if against is None else f"{found}; but this is no promise: {against}"

    @property
    def together(self) -> int:
        return self.around.size

    @cached_property
    def _values(self) -> tuple[RecordValue, ...]:
        """The values that the record can have."""
        return tuple(self.law.values[i] for i in np.flatnonzero(self.law.possible(self.around.prior)))

    @cached_property
    def _least(self) -> float:
        """The least prior probability of one, from below; 0 where no prior is known."""
        if self.around.prior == UNKNOWN:
            return 0.0
        prior = self.law.priors[self.around.prior]
        return float(prior[prior > 0].min() / prior.sum()) * (1 - 16 * UNIT)

    def found(self, nats: float) -> tuple[Whose, Enclosure]:
        """Returns the bound if changing a record is worth `nats`, about the first two values."""
        values, other = self._values, min(1, len(self._values) - 1)
        whose = Whose(self.around.person, self.around.who, values[0], None if self.information else values[other])
        return whose, by_itself(nats, self._pure(nats), self.information)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        # If the record is certain, nothing is left to be learnt.
        if len(self._values) < 2:
            return 0.0
        if profile.pure is None:
            return profile.delta_of(self.around.size * steps, epsilon)
        # Because pure pipelines keep ε′ with δ′ = 0 from there on; below it randomised response is the worst.
        kept = self._pure(profile.pure * steps) <= epsilon
        return 0.0 if kept else delta_of_log_ratio(self._odds(profile.pure * steps), epsilon)

    def _odds(self, nats: float) -> float:
        """Returns the most that the odds of two values move, in nats, where changing a record is worth so many nats."""
        at_once, possible = self.around.size * nats * (1 + _OFF), np.flatnonzero(self.law.possible(self.around.prior))
        # Because e^nats overflows in the bound, and little is left of it there.
        if nats > _STEEPEST:
            return at_once
        related = []
        for kind, _, times in self.around.neighbours:
            laws = self.law.rows(kind, possible)
            related.append(Related(times, laws, moves_alike(laws.shape[1], nats)))
        far = sum(times for _, times in self.around.far)
        return min(at_once, mechanism_leakage(moves_alike(len(possible), nats), related, far * nats))

    def _pure(self, nats: float) -> float:
        """Returns the least ε′ at δ′ = 0 where changing a record is worth so many nats, from above."""
        odds, share = self._odds(nats), self._least
        # Because a chance may grow as much as odds do without a prior.
        if not self.information or not share:
            return odds
        return min(max(-log(share + (1 - share) * exp(-odds)), 0.0) * (1 + _OFF) + _OFF * (1 + odds), odds)
