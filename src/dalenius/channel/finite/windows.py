"""Hockey-stick divergences under exponential noise, read from where nearly all of the mass is."""

from dataclasses import dataclass, replace
from math import exp, inf
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.functionals import HockeyStick
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import Noise

DEEP: Final = 80.0
"""Nats below the peak at which the window ends."""
SHARE: Final = 0.5
"""Of the box: a window that is wider saves little."""


@final
@dataclass(frozen=True)
class ProfileUnderNoise:
    """δ(ε) of row `one` of the law against row `other`, one answer; exponential noise.

    A point stands for at most its mass, an end of the box for at most its own mass and all beyond it. So what a window
    leaves out, and what its ends add, is at most the mass that `one` has there and at the ends: δ(ε) of the window is
    off by no more, and is taken where that is below a rounding of it.
    """

    noise: Noise
    lattice: Lattice
    law: Law
    one: int
    other: int
    window: Law | None
    away: float = 0.0

    @classmethod
    def of(cls, noise: Noise, lattice: Lattice, law: Law, one: int, other: int) -> "ProfileUnderNoise":
        whole = cls(noise, lattice, law, one, other, None)
        if not noise.exponential or len(law.box) > 1 or law.floor is not None or law.error > 1.0:
            return whole
        masses = law.base + law.relative[one]
        inside = np.flatnonzero(masses > np.max(masses) - DEEP)
        if not len(inside) or (last := int(inside[-1])) + 1 - (first := int(inside[0])) > SHARE * len(masses):
            return whole
        cut = np.concatenate([masses[: first + 1] if first else [], masses[last:] if last + 1 < len(masses) else []])
        away = 2 * exp(law.error) * float(np.sum(np.exp(cut)))
        some = slice(first, last + 1)
        window = replace(law, start=(law.start[0] + first,), base=law.base[some], relative=law.relative[:, some])
        return replace(whole, window=window, away=away) if away < inf else whole

    def at(self, epsilon: float) -> Enclosure:
        if self.window is not None:
            found = self._over(self.window, epsilon)
            if self.away < UNIT * found.lower:
                return Enclosure(max(found.lower - self.away, 0.0), found.upper + self.away)
        return self._over(self.law, epsilon)

    def _over(self, law: Law, epsilon: float) -> Enclosure:
        return self.noise.integral(HockeyStick(self.one, self.other, epsilon), law, self.lattice)
