"""Rows of probabilities, each off by a factor."""

from collections.abc import Sequence
from math import exp, inf, nextafter

from dalenius.schema import Chance, ends_of


def widened_row(row: Sequence[Chance], log_factor: float) -> tuple[Chance, ...]:
    """[lower e^-log_factor, min(1, upper e^log_factor)] of each, rounded outwards; what is 0 stays a 0."""
    return tuple(_widened(entry, log_factor) for entry in row)


def widened_rows(rows: Sequence[Sequence[Chance]], log_factor: float) -> tuple[tuple[Chance, ...], ...]:
    """The same of every row."""
    return tuple(widened_row(row, log_factor) for row in rows)


def _widened(entry: Chance, log_factor: float) -> Chance:
    low, high = ends_of(entry)
    if high == 0:
        return 0.0
    found = _down(low * _down(exp(-log_factor))), min(1.0, _up(high * _up(exp(log_factor))))
    return found[0] if found[0] == found[1] else found


def _down(value: float) -> float:
    return nextafter(value, 0.0)


def _up(value: float) -> float:
    return nextafter(value, inf)
