"""Arrays of non-negative numbers of unlimited range: mantissa · 2^exponent, so that the rarest keeps its digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.laws.scaled import NOTHING, lowered


@final
@dataclass(frozen=True)
class Masses:
    """mantissa: 0 or in [1/2, 1); exponent: int64, of the same shape. Every operation rounds once per term."""

    mantissa: Array
    exponent: IntArray

    @staticmethod
    def of(numbers: Array, exponent: IntArray | int = 0) -> "Masses":
        """numbers · 2^exponent."""
        fraction, shift = np.frexp(numbers)
        return Masses(np.asarray(fraction), np.asarray(np.where(fraction > 0, shift + np.int64(exponent), NOTHING)))

    @staticmethod
    def ratios(numerators: Sequence[int], denominators: Sequence[int]) -> "Masses":
        """Quotients of whole numbers of any size, each rounded once."""
        pairs = list(zip(numerators, denominators, strict=True))
        shift = [above.bit_length() - below.bit_length() for above, below in pairs]
        quotients = [
            (above << max(-by, 0)) / (below << max(by, 0)) for (above, below), by in zip(pairs, shift, strict=True)
        ]
        return Masses.of(np.array(quotients), np.array(shift, dtype=np.int64))

    @property
    def possible(self) -> IntArray:
        """The flat indices of those above 0."""
        return np.flatnonzero(self.mantissa)

    def __getitem__(self, places: IntArray) -> "Masses":
        """Those at these places along the first axis."""
        return Masses(self.mantissa[places], self.exponent[places])

    def times(self, other: "Masses") -> "Masses":
        return Masses.of(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def over(self, other: "Masses") -> "Masses":
        """The quotient; 0 where the numerator is."""
        quotient = np.divide(self.mantissa, other.mantissa, out=np.zeros(self.mantissa.shape), where=self.mantissa > 0)
        return Masses.of(quotient, self.exponent - other.exponent)

    def summed(self, axes: tuple[int, ...]) -> "Masses":
        top = self.exponent.max(axis=axes, keepdims=True)
        return Masses.of(lowered(self.mantissa, self.exponent - top).sum(axis=axes), top.squeeze(axis=axes))

    def totals(self) -> "Masses":
        """Summed along the last axis, rounded once, however many terms there are."""
        top = self.exponent.max(axis=-1)
        level = lowered(self.mantissa, self.exponent - top[..., None]).reshape(-1, self.mantissa.shape[-1])
        return Masses.of(np.array([fsum(row) for row in level]).reshape(top.shape), top)

    def with_last_axis(self) -> "Masses":
        """One more axis, of one entry, at the end."""
        return Masses(self.mantissa[..., None], self.exponent[..., None])

    def reshaped(self, shape: tuple[int, ...]) -> "Masses":
        return Masses(self.mantissa.reshape(shape), self.exponent.reshape(shape))

    def at(self, flat: IntArray) -> "Masses":
        """Those at these flat indices."""
        return Masses(self.mantissa.ravel()[flat], self.exponent.ravel()[flat])

    def logs(self) -> Array:
        with np.errstate(divide="ignore"):
            logs: Array = np.log(self.mantissa) + np.log(2.0) * self.exponent
        return logs
