"""A law as its mass at each point of a lattice box, mantissa · 2^exponent."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.laws.extended_range import ZERO_EXPONENT

PLAIN: Final = -900
"""While no entry can be below 2^PLAIN, plain doubles do and exponents are left out."""


@final
@dataclass(frozen=True)
class ScaledGrid:
    """A generating function: the mass of each point of a lattice box.

    start: lowest index per axis; mantissa and exponent: the entries are mantissa · 2^exponent.

    Without an exponent the mantissas are the entries, and those that are not 0 are at least 2^least. With one, it is
    int64, mantissas are 0 or in [1/2, 1), and the exponent of a 0 is ZERO_EXPONENT.
    roundings: how many rounded operations, at most, lie behind any entry; all were on non-negative numbers, so the
    relative error is at most roundings · 2^-53 (up to second order).
    """

    start: tuple[int, ...]
    mantissa: Array
    exponent: IntArray | None
    roundings: int
    least: float = 0.0

    @property
    def terms(self) -> int:
        """How many entries are not 0."""
        return int(np.count_nonzero(self.mantissa))

    def split(self) -> tuple[Array, IntArray]:
        """Mantissas in {0} or [1/2, 1) and their exponents."""
        if self.exponent is not None:
            return self.mantissa, self.exponent
        fraction, exponent = np.frexp(self.mantissa)
        return fraction, np.where(fraction > 0, exponent.astype(np.int64), ZERO_EXPONENT)
