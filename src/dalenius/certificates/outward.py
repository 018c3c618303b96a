"""Rounding that is on the safe side, by a number of operations that were each rounded once."""

from fractions import Fraction
from math import inf, nextafter, sqrt

from dalenius.bounds import UNIT


def raised(value: float, roundings: int | float) -> float:
    """At least the truth, where `value` >= 0 is off by that many roundings; never 0 where it may have underflowed."""
    return nextafter(value * (1 + (roundings + 2) * UNIT), inf)


def lowered(value: float, roundings: int | float) -> float:
    """At most the truth, likewise."""
    return max(nextafter(value * (1 - (roundings + 2) * UNIT), -inf), 0.0)


def root_down(square: Fraction) -> float:
    """At most the square root."""
    return lowered(sqrt(float(square)), 2)
