"""The law of a parabola of a standard normal variable: what an output leaks about a normal record."""

from math import inf, log
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Array
from dalenius.laws.tails.tail import Tail
from dalenius.special import log_ndtr


@final
class Parabola(Tail):
    """offset + rise · z², z standard normal; both at least 0, and off by at most 16 roundings of offset + rise."""

    def __init__(self, offset: float, rise: float) -> None:
        self.offset, self.rise = offset, rise

    @property
    def most(self) -> float:
        return inf if self.rise > 0 else self.offset

    def log_above(self, levels: Array) -> tuple[Array, Array]:
        slack = 32 * UNIT * (np.abs(levels) + min(self.offset + self.rise, 1e300))
        return self._log_above(levels + slack, 1), self._log_above(levels - slack, -1)

    def mean(self) -> Enclosure:
        value = self.offset + self.rise
        return Enclosure(value * (1 - 32 * UNIT), value * (1 + 32 * UNIT))

    def _log_above(self, levels: Array, side: int) -> Array:
        """Pr[z² > (level - offset)/rise]."""
        over = levels - self.offset
        if self.rise == 0:
            return np.asarray(np.where(over < 0, 0.0, -inf))
        deviation = np.sqrt(np.maximum(over, 0.0) / self.rise)
        found = log(2) + log_ndtr(-deviation)
        doubt = (64 + 16 * np.minimum(deviation, 1e150) ** 2) * UNIT
        return np.asarray(np.where(over <= 0, 0.0, np.minimum(found - side * doubt, 0.0)))
