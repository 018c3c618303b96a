"""Numbers with two sides, lower <= truth <= upper, for every room that reports a number.

An end is always rounded outwards, and NaN never counts as a bound.
"""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from fractions import Fraction
from typing import Final, NamedTuple

UNIT = 2.0**-53
"""Half the distance from 1 to the next double: the error of one correctly rounded operation, relatively."""


class _Ends(NamedTuple):
    lower: float
    upper: float


class Enclosure(_Ends):
    """An interval that holds the truth, in whatever unit the caller says.

    Args:
        lower: The lower end. NaN says nothing and becomes -∞.
        upper: The upper end. NaN says nothing and becomes ∞, so that no comparison takes it for a small number.

    Example:
        >>> largest(Enclosure(0.0, 2.0), Enclosure(1.0, 1.5)), Enclosure(float("nan"), 1.0).lower
        (Enclosure(lower=1.0, upper=2.0), -inf)
        >>> up_to_digits(1 / 3, 4), down_to_digits(1 / 3, 4)
        (0.3334, 0.3333)
    """

    __slots__ = ()

    def __new__(cls, lower: float, upper: float) -> "Enclosure":
        return super().__new__(cls, -math.inf if lower != lower else lower, known(upper))

    def __repr__(self) -> str:
        return f"Enclosure(lower={self.lower!r}, upper={self.upper!r})"

    @property
    def middle(self) -> float:
        """A point estimate inside the interval: its middle, or the upper end where an end is infinite."""
        if math.isinf(self.lower) or math.isinf(self.upper):
            return self.upper
        return self.lower + (self.upper - self.lower) / 2

    @property
    def half_open(self) -> bool:
        """Whether only a lower end is known, so that the upper one, ∞, says nothing of the truth."""
        return self.lower < math.inf == self.upper

    def clipped(self, floor: float) -> "Enclosure":
        """Returns the enclosure of the same truth, known to be at least `floor`.

        Args:
            floor: The least that the truth can be, in the unit of the ends.
        """
        return Enclosure(max(self.lower, floor), max(self.upper, floor))


def known(upper: float) -> float:
    """Returns `upper`, or ∞ if it is NaN, which bounds nothing. Use it before `min` or `max`, which may drop NaN."""
    return math.inf if upper != upper else upper


ZERO: Final = Enclosure(0.0, 0.0)
"""The leakage of a secret that certainly does not move the answer."""


def around(value: float, error: float) -> Enclosure:
    """Returns `value` ± `error`, rounded outwards. An infinite value stays as it is: nothing is added to ∞."""
    if math.isinf(value):
        return Enclosure(value, value)
    return Enclosure(math.nextafter(value - error, -math.inf), math.nextafter(value + error, math.inf))


def largest(first: Enclosure, second: Enclosure) -> Enclosure:
    """Encloses the maximum of two enclosed numbers, `first` and `second`."""
    return Enclosure(max(first.lower, second.lower), max(first.upper, second.upper))


def float_up(exact: Fraction) -> float:
    """Returns the least double that is not below the fraction `exact`."""
    near = float(exact)
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def up_to_digits(value: float, digits: int) -> float:
    """Returns the least number of `digits` significant decimal digits that is not below `value`."""
    return _of_digits(value, digits, ROUND_CEILING)


def down_to_digits(value: float, digits: int) -> float:
    """Returns the greatest number of `digits` significant decimal digits that is not above `value`."""
    return _of_digits(value, digits, ROUND_FLOOR)


def near_to_digits(value: float, digits: int) -> float:
    """Returns the number of `digits` significant decimal digits that is nearest to `value`."""
    return _of_digits(value, digits, ROUND_HALF_EVEN)


def _of_digits(value: float, digits: int, rounding: str) -> float:
    # Because the double nearest to a decimal on one side of a double is on that side too, or is that double.
    return float(Context(prec=digits, rounding=rounding).create_decimal(value)) if math.isfinite(value) else value


NO_END: Final = "nothing is known"
NO_UPPER_END: Final = "no upper end is known"


def from_below(value: Enclosure, shown: Callable[[float], str] = "{:.6g}".format, floor: float = 0.0) -> str:
    """Says in words what a half-open enclosure leaves of a number that is never below `floor`.

    Args:
        value: The enclosure, whose upper end is ∞.
        shown: Writes its lower end.
        floor: The least that the number can be, in its own unit: a lower end of that says nothing.

    >>> from_below(Enclosure(0.5, math.inf)), from_below(Enclosure(0.0, math.inf))
    ('at least 0.5; no upper end is known', 'nothing is known')
    """
    return NO_END if value.lower <= floor else f"at least {shown(value.lower)}; {NO_UPPER_END}"


def either(
    value: Enclosure,
    shown: Callable[[float], str] = "{:.6g}".format,
    tight: float = 1e-6,
    least: float = 0.0,
    floor: float = 0.0,
) -> str:
    """Writes an enclosure as one number, or both ends where they differ.

    They differ by more than the share `tight` of the upper one, and by more than `least`. An infinite upper end is
    shown as a number only where the lower end is infinite too.

    Args:
        value: Bounds of the number, in its own unit.
        shown: Writes one of its ends.
        tight: The share of the upper end that counts as a rounding.
        least: The difference that counts as a rounding, in the unit of the ends.
        floor: The least that the number can be: a lower end of that says nothing.

    >>> either(Enclosure(1.0, 1.0 + 1e-9)), either(Enclosure(1.0, 1.5)), either(Enclosure(0.0, 1e-12), least=1e-9)
    ('1', '1 to 1.5', '5e-13')
    >>> either(Enclosure(math.inf, math.inf)), either(Enclosure(1.0, math.inf))
    ('inf', 'at least 1; no upper end is known')
    """
    if value.half_open:
        return from_below(value, shown, floor)
    low, high = value
    if low == high:
        return shown(low)
    return shown(value.middle) if high - low <= max(tight * abs(high), least) else f"{shown(low)} to {shown(high)}"
