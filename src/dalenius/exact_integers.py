"""Sums, least and greatest of whole numbers that may be too large for machine integers.

Tables are read into them: floats become the decimals they are written as, in steps of one exact unit.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError

IntegerArray: TypeAlias = NDArray[Any]
"""int64, or Python's integers as objects; the same operators serve both."""

_ROOM: Final = 2**61
"""Largest magnitude kept in int64, so that the sum or difference of two does not overflow."""


def widened(values: IntegerArray, largest: int) -> IntegerArray:
    """Returns `values` in a type that is safe for operations whose results are at most `largest` in magnitude."""
    return values if largest < _ROOM else values.astype(object)


def least_of(values: IntegerArray) -> int:
    return int(values.min())


def greatest(values: IntegerArray) -> int:
    return int(values.max())


def size(values: IntegerArray) -> int:
    """Returns the greatest magnitude among `values`."""
    return max(abs(least_of(values)), abs(greatest(values)))


def total(values: IntegerArray, counts: IntArray) -> int:
    """Returns Σ counts·values, exactly, for whole `values` (kinds,) and how often each occurs, `counts` (kinds,)."""
    return int(np.dot(widened(values, size(values) * int(counts.sum())), counts)) if len(values) else 0


def in_doubles(values: IntegerArray, unit: Fraction) -> Array:
    """Returns values·unit in doubles, to three roundings. InputError where doubles overflow or underflow.

    Args:
        values: Whole numbers of steps.
        unit: The size of a step, in the column's own unit.
    """
    try:
        floats = values.astype(np.float64) * float(unit.numerator) / float(unit.denominator)
    # Because Python has whole numbers beyond 1e308, and doubles do not.
    except OverflowError:
        floats = np.array([math.inf])
    away = np.abs(floats[floats != 0])
    if not np.all(np.isfinite(floats)) or np.any(away < 2.0**-1000) or len(away) != np.count_nonzero(values):
        raise InputError("values", "spread out", "answers whose differences are doubles")
    return np.asarray(floats)


def exact(number: object, key: str) -> Fraction:
    """Returns `number` as the fraction of the decimal it is written as: 0.1 is 1/10.

    InputError, which names the key `key`, unless the number is finite.

    >>> exact(0.1, "values"), exact(2, "values")
    (Fraction(1, 10), Fraction(2, 1))
    """
    if isinstance(number, Rational):  # whole numbers too, numpy's among them
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, float | np.floating | Decimal) and math.isfinite(number):
        return Fraction(str(number))
    raise InputError(key, number, "a finite number for every person")


def in_steps(values: IntegerArray | Array | Sequence[Any], key: str) -> tuple[IntegerArray, Fraction]:
    """Returns numbers as whole numbers of steps, and the step. Floats are taken as the decimals they are written as.

    Args:
        values: The numbers, one for each person, in the column's own unit.
        key: The key that an InputError names where a number is not finite.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "bi":
        return values.astype(np.int64), Fraction(1)
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return _decimals(values)
    numbers = [exact(number, key) for number in values]
    denominator = math.lcm(*(number.denominator for number in numbers))
    steps = [number.numerator * (denominator // number.denominator) for number in numbers]
    return _array(steps), Fraction(1, denominator)


def _decimals(values: Array) -> tuple[IntegerArray, Fraction]:
    """Returns finite doubles in steps, and the step: at once if they have few digits, else one by one."""
    for places in range(16):
        power = 10.0**places
        steps = np.rint(values * power)
        # Because whole numbers below it have at most 15 digits, and no two decimals of 15 digits are the same double.
        if np.max(np.abs(steps), initial=0.0) >= 1e15:
            break
        if np.array_equal(steps / power, values):
            return steps.astype(np.int64), Fraction(1, 10**places)
    written = [_digits(value) for value in map(repr, values.tolist())]
    places = max(0, *(after for _, after in written))
    powers = [10**power for power in range(places - min(after for _, after in written) + 1)]
    return _array([number * powers[places - after] for number, after in written]), Fraction(1, 10**places)


def _digits(written: str) -> tuple[int, int]:
    """Splits a double's repr into a whole number and its digits after the point (before it, if negative)."""
    mantissa, _, exponent = written.partition("e")
    before, _, after = mantissa.partition(".")
    return int(before + after), len(after) - int(exponent or 0)


def _array(steps: Sequence[int]) -> IntegerArray:
    largest = max((abs(step) for step in steps), default=0)
    return np.array(steps, dtype=np.int64 if largest < _ROOM else object)
