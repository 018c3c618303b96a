"""A law as its mass at each point of a lattice box, mantissa · 2^exponent."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.laws.extended_range import ZERO_EXPONENT

PLAIN: Final = -900
"""Log to base 2 of the least entry for which plain doubles do and exponents are left out."""


@final
@dataclass(frozen=True)
class ScaledGrid:
    """A generating function: the mass of each point of a lattice box.

    Args:
        start: The lowest index per axis.
        mantissa: The entries are mantissa · 2^exponent.
        exponent: None, or integers of 64 bits; mantissas are then 0 or in [1/2, 1), and a 0 has ZERO_EXPONENT.
        roundings: How many rounded operations, at most, lie behind any entry. All were on non-negative numbers, so
            the relative error is at most roundings · 2^-53 (up to second order).
        least: Without an exponent, entries that are not 0 are at least 2^least.
    """

    start: tuple[int, ...]
    mantissa: Array
    exponent: IntArray | None
    roundings: int
    least: float = 0.0

    @property
    def terms(self) -> int:
        """The number of entries that are not 0."""
        return int(np.count_nonzero(self.mantissa))

    def split(self) -> tuple[Array, IntArray]:
        """Returns mantissas in {0} or [1/2, 1) and their exponents."""
        if self.exponent is not None:
            return self.mantissa, self.exponent
        fraction, exponent = np.frexp(self.mantissa)
        return fraction, np.where(fraction > 0, exponent.astype(np.int64), ZERO_EXPONENT)
