"""The leakage of a record that depends on nobody, in closed form, by the profile alone.

Whatever others do, a test of a record that is alone gains δ′(ε′) = δ(ε′) between two of its values. If a value is
compared with all that the record may be, and has the chance π, it gains (1 − e^{ε′}π) δ(ε″) with e^{ε″} = e^{ε′}(1 −
π)/(1 − e^{ε′}π). Both bound a group too, with δ between data sets that differ in all its records: they serve where the
group's own program has no answer that doubles hold.

Gaussian noise of μ = 1 at δ = 1e-14:

>>> from dalenius.conversion.gaussian_profile import GaussianProfile
>>> found = OneRecord(GaussianProfile(1.0), 1, 0.0).epsilon(1e-14)
>>> f"{found.lower:.6f} {found.upper:.6f}"
'7.868736 7.868736'
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p
from typing import Final, final

import numpy as np

from dalenius.bisection import bisected
from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.profile import PrivacyProfile

_FARTHEST: Final = 1e13
"""The nats beyond which no ε′ is looked for: a μ of 10⁶ has δ = 1e-300 at 5.4e11."""


@final
@dataclass(frozen=True)
class OneRecord:
    """A record that depends on nobody.

    Attributes:
        profile: The pipeline's privacy profile.
        changes: How many neighbours apart the data sets are.
        share: The value's chance where it is compared with what the record may be, else 0.
        error: The relative error of the share.
    """

    profile: PrivacyProfile
    changes: int
    share: float
    error: float = 0.0

    @property
    def most(self) -> float:
        """The ε′ beyond which no chance can grow: −log π, from above; infinite without a share."""
        return -log(self.share) * (1 + 4 * UNIT) + 2 * self.error + 4 * UNIT if self.share else inf

    def delta(self, epsilon: float) -> Enclosure:
        """Returns δ′ at ε′ = epsilon (nats)."""
        if not self.share:
            return Enclosure(self._lower(epsilon), self._upper(epsilon))
        return Enclosure(self._shared(epsilon, 1, self._lower), self._shared(epsilon, -1, self._upper))

    def epsilon(self, delta: float) -> Enclosure:
        """Returns the least ε′ at δ′ = delta, a probability above 0; infinite above if none is known to be enough."""
        lower = self._first(lambda epsilon: self.delta(epsilon).lower <= delta, 0)
        upper = min(self._first(lambda epsilon: self.delta(epsilon).upper <= delta, 1), self.most)
        # Because halving ends beside the ε of a row, where a δ that is the row's own is reached.
        near = [each for each in self.profile.corners if lower < each < upper and self.delta(each).upper <= delta]
        return Enclosure(lower, min([upper, *near]))

    def _lower(self, epsilon: float) -> float:
        return float(self.profile.ends_of(self.changes, np.array([epsilon]))[0][0])

    def _upper(self, epsilon: float) -> float:
        return float(self.profile.ends_of(self.changes, np.array([epsilon]))[1][0])

    def _shared(self, epsilon: float, side: int, of: Callable[[float], float]) -> float:
        """Returns (1 − e^{ε′}π) δ(ε″); side: 1 from below, -1 from above."""
        nats = epsilon + log(self.share)
        off = self.error + 8 * UNIT * (1 + epsilon - log(self.share))
        # Because δ′ falls in the share, the lower end has a little more of it, the upper a little less.
        nats += side * off
        if nats >= 0:
            return 0.0
        spare = -expm1(nats)
        # This is 1 − π, by the same share.
        rest = log1p(-min(self.share * exp(side * off), 1 - UNIT))
        inner = epsilon + rest - log(spare)
        inner += side * 8 * UNIT * (1 + epsilon + abs(rest) + abs(log(spare)))
        return max(spare * of(inner) * (1 + -side * 8 * UNIT), 0.0)

    def _first(self, holds: Callable[[float], bool], place: int) -> float:
        """Returns the ε′ where a condition begins to hold; place: 0 for the last without, 1 for the first with it."""
        if holds(0.0):
            return 0.0
        low, high = 0.0, 1.0
        while not holds(high):
            low, high = high, 4 * high
            if high > _FARTHEST:
                return inf if place else low
        found = bisected(holds, high, low, relative=1e-12)
        return found[1 - place]
