"""Probabilities that a test gave as numbers, where the field might hold intervals too."""

from collections.abc import Sequence

from dalenius.fields import Chance, ends_of


def point(chance: Chance) -> float:
    """The probability, which is no interval."""
    low, high = ends_of(chance)
    assert low == high
    return low


def points(row: Sequence[Chance]) -> list[float]:
    """The probabilities of a row, none an interval."""
    return [point(chance) for chance in row]
