"""Rows of probabilities, each off by a factor."""

from collections.abc import Sequence
from math import exp, inf, nextafter
from typing import TypeAlias

Entry: TypeAlias = float | tuple[float, float]
"""A probability, or the two ends of its interval."""


def widened_row(row: Sequence[Entry], log_factor: float) -> tuple[Entry, ...]:
    """[lower e^-log_factor, min(1, upper e^log_factor)] of each, rounded outwards; what is 0 stays a 0."""
    return tuple(_widened(entry, log_factor) for entry in row)


def widened_rows(rows: Sequence[Sequence[Entry]], log_factor: float) -> tuple[tuple[Entry, ...], ...]:
    """The same of every row."""
    return tuple(widened_row(row, log_factor) for row in rows)


def _widened(entry: Entry, log_factor: float) -> Entry:
    low, high = entry if isinstance(entry, tuple) else (entry, entry)
    if high == 0:
        return 0.0
    found = _down(low * _down(exp(-log_factor))), min(1.0, _up(high * _up(exp(log_factor))))
    return found[0] if found[0] == found[1] else found


def _down(value: float) -> float:
    return nextafter(value, 0.0)


def _up(value: float) -> float:
    return nextafter(value, inf)
