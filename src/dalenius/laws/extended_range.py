"""Probabilities of unlimited range, mantissa · 2^exponent, so that the rarest keeps its digits.

Joint laws of many records are computed with them where a double would underflow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import fsum
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray

ZERO_EXPONENT: Final = -(2**40)
"""Exponent of a zero: below any exponent that a product can reach."""


@final
@dataclass(frozen=True)
class Masses:
    """An array of non-negative numbers, mantissa · 2^exponent. Every operation rounds once per term.

    >>> rare = Masses.of(np.array([1e-300]))
    >>> rare.times(rare).logs().round(3).tolist()  # a double would be 0
    [-1381.551]

    A sum of such numbers keeps what all doubles lose, and a quotient may be a double again:

    >>> both = Masses.of(np.array([1e-300, 3e-300])).times(rare)
    >>> both.over(both.totals().with_last_axis()).doubles().round(6).tolist()
    [0.25, 0.75]

    Args:
        mantissa: 0 or in [1/2, 1).
        exponent: Integers of 64 bits, of the same shape.
    """

    mantissa: Array
    exponent: IntArray

    @staticmethod
    def of(numbers: Array, exponent: IntArray | int = 0) -> "Masses":
        """Returns numbers · 2^exponent, for non-negative doubles `numbers` and whole numbers `exponent`."""
        fraction, shift = np.frexp(numbers)
        return Masses(
            np.asarray(fraction), np.asarray(np.where(fraction > 0, shift + np.int64(exponent), ZERO_EXPONENT))
        )

    @staticmethod
    def of_logs(logs: Array) -> "Masses":
        """Returns exp(logs), zeros where `logs` is -inf: within (2·|log| + 4)·2^-53 of each entry's own size."""
        # So that the exponential is of a number in [0, log 2) and cannot underflow, as for a chain's path of 1e5 steps:
        # the whole part in twos goes into the exponent.
        exponent = np.where(logs > -np.inf, np.floor(logs / np.log(2.0)), 0.0)
        return Masses.of(np.exp(logs - exponent * np.log(2.0)), exponent.astype(np.int64))

    @staticmethod
    def ratios(numerators: Sequence[int], denominators: Sequence[int]) -> "Masses":
        """Returns numerators[i]/denominators[i], of whole numbers of any size.

        Each quotient of `numerators` and `denominators` is rounded once.
        """
        # Because the arrangements N(N-1).. of a large household are past every double, and the quotient of two is not.
        # Python's division of whole numbers rounds once; shifting first keeps the quotient between 1/2 and 2.
        pairs = list(zip(numerators, denominators, strict=True))
        shift = [above.bit_length() - below.bit_length() for above, below in pairs]
        quotients = [
            (above << max(-by, 0)) / (below << max(by, 0)) for (above, below), by in zip(pairs, shift, strict=True)
        ]
        return Masses.of(np.array(quotients), np.array(shift, dtype=np.int64))

    @staticmethod
    def joined(parts: Sequence["Masses"]) -> "Masses":
        """Joins `parts` along the first axis."""
        return Masses(
            np.concatenate([part.mantissa for part in parts]), np.concatenate([part.exponent for part in parts])
        )

    @staticmethod
    def interleaved(even: "Masses", odd: "Masses") -> "Masses":
        """Takes one entry of `even` and one of `odd` in turn, along the first axis; `odd` has as many, or one fewer."""
        shape = (len(even) + len(odd), *even.mantissa.shape[1:])
        mantissa, exponent = np.empty(shape), np.empty(shape, dtype=np.int64)
        mantissa[::2], mantissa[1::2] = even.mantissa, odd.mantissa
        exponent[::2], exponent[1::2] = even.exponent, odd.exponent
        return Masses(mantissa, exponent)

    def __getitem__(self, index: Any) -> "Masses":
        return Masses(self.mantissa[index], self.exponent[index])

    def __len__(self) -> int:
        return len(self.mantissa)

    @property
    def solid(self) -> NDArray[np.bool_]:
        """The mask of the entries above 0: sums and products lose none, however small."""
        return np.asarray(self.mantissa > 0)

    def where(self, kept: NDArray[np.bool_]) -> "Masses":
        """Returns the entries at which `kept` is true, zeros elsewhere."""
        return Masses(np.where(kept, self.mantissa, 0.0), np.where(kept, self.exponent, ZERO_EXPONENT))

    def filled(self, kept: NDArray[np.bool_], number: float) -> "Masses":
        """Returns the entries at which `kept` is true, `number` elsewhere."""
        other = Masses.of(np.array(number))
        return Masses(np.where(kept, self.mantissa, other.mantissa), np.where(kept, self.exponent, other.exponent))

    @property
    def fits(self) -> bool:
        """Whether every entry is exactly a double."""
        again = Masses.of(self.doubles())
        return bool(np.all(again.mantissa == self.mantissa) and np.all(again.exponent == self.exponent))

    def turned(self) -> "Masses":
        """Exchanges the last two axes."""
        return Masses(np.swapaxes(self.mantissa, -1, -2), np.swapaxes(self.exponent, -1, -2))

    def matmul(self, other: "Masses") -> "Masses":
        """Returns the matrix products with `other` over the last two axes."""
        # Term by term, because numpy takes ten times as long along an axis of two values.
        pairs = [(self[..., :, i, None], other[..., None, i, :]) for i in range(self.mantissa.shape[-1])]
        exponents = [one.exponent + each.exponent for one, each in pairs]
        top = reduce(np.maximum, exponents)
        terms = (
            scaled_down(one.mantissa * each.mantissa, exponent - top)
            for (one, each), exponent in zip(pairs, exponents, strict=True)
        )
        return Masses.of(reduce(np.add, terms), top)

    def doubles(self) -> Array:
        """Returns the nearest doubles: 0 below 2^-1075, infinite past 2^1024."""
        # Because ldexp takes 32-bit exponents, and that of a zero has 40 bits.
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(self.mantissa, np.clip(self.exponent, -2000, 2000).astype(np.int32)))

    @property
    def possible(self) -> IntArray:
        """The flat indices of the entries above 0."""
        return np.flatnonzero(self.mantissa)

    def times(self, other: "Masses") -> "Masses":
        """Returns the products with `other`, entry by entry; shapes are broadcast."""
        return Masses.of(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def over(self, other: "Masses") -> "Masses":
        """Returns the quotients by `other`, entry by entry; 0 where the numerator is 0."""
        # Because 0/0 is a state that cannot occur given a condition that cannot either: it stays 0, and makes no NaN.
        quotient = np.divide(self.mantissa, other.mantissa, out=np.zeros(self.mantissa.shape), where=self.mantissa > 0)
        return Masses.of(quotient, self.exponent - other.exponent)

    def summed(self, axes: tuple[int, ...]) -> "Masses":
        """Sums over `axes`: all terms on the scale of the largest, which is the only one that may matter."""
        top = self.exponent.max(axis=axes, keepdims=True)
        return Masses.of(scaled_down(self.mantissa, self.exponent - top).sum(axis=axes), top.squeeze(axis=axes))

    def totals(self) -> "Masses":
        """Sums along the last axis, rounded once, however many terms there are."""
        top = self.exponent.max(axis=-1)
        level = scaled_down(self.mantissa, self.exponent - top[..., None]).reshape(-1, self.mantissa.shape[-1])
        return Masses.of(np.array([fsum(row) for row in level]).reshape(top.shape), top)

    def with_last_axis(self) -> "Masses":
        """Adds one axis, of one entry, at the end."""
        return Masses(self.mantissa[..., None], self.exponent[..., None])

    def reshaped(self, shape: tuple[int, ...]) -> "Masses":
        return Masses(self.mantissa.reshape(shape), self.exponent.reshape(shape))

    def at(self, flat: IntArray) -> "Masses":
        """Returns the entries at the indices `flat` of the flattened array."""
        return Masses(self.mantissa.ravel()[flat], self.exponent.ravel()[flat])

    def logs(self) -> Array:
        """Returns natural logs, finite for every entry above 0; -inf only for a zero."""
        with np.errstate(divide="ignore"):
            logs: Array = np.log(self.mantissa) + np.log(2.0) * self.exponent
        return logs


def scaled_down(mantissa: Array, shift: IntArray) -> Array:
    """Returns mantissa · 2^shift for shifts of at most 0. Entries above 0 stay above 0, so that they count as terms.

    Args:
        mantissa: Numbers of at least 0.
        shift: Whole numbers of at most 0, of the same shape.
    """
    # Because differences past 2^-1000 vanish next to a mantissa of at least 1/4, however many there are.
    return np.ldexp(mantissa, np.maximum(shift, -1000).astype(np.int32))
