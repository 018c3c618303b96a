"""Numbers with two sides: lower <= truth <= upper."""

import math
from typing import NamedTuple

UNIT = 2.0**-53
"""Half the distance from 1 to the next double: the error of one correctly rounded operation, relatively."""


class Enclosure(NamedTuple):
    """An interval that holds the truth, in whatever unit the caller says."""

    lower: float
    upper: float

    @property
    def middle(self) -> float:
        """A point estimate inside the interval (the interval's end where it is infinite)."""
        if math.isinf(self.lower) or math.isinf(self.upper):
            return self.upper
        return self.lower + (self.upper - self.lower) / 2

    def clipped(self, floor: float) -> "Enclosure":
        """The same truth, known to be at least `floor`."""
        return Enclosure(max(self.lower, floor), max(self.upper, floor))


def around(value: float, error: float) -> Enclosure:
    """value ± error, rounded outwards."""
    if math.isinf(value):
        return Enclosure(value, value)
    return Enclosure(math.nextafter(value - error, -math.inf), math.nextafter(value + error, math.inf))


def largest(first: Enclosure, second: Enclosure) -> Enclosure:
    """Where the maximum of two enclosed numbers lies."""
    return Enclosure(max(first.lower, second.lower), max(first.upper, second.upper))
