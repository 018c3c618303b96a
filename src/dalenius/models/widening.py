"""Rows of probabilities, each off by a factor."""

from collections.abc import Sequence
from math import exp, inf, nextafter
from typing import TypeAlias

Entry: TypeAlias = float | Sequence[float]
"""A probability, or the two ends of its interval."""


def widened_row(row: Sequence[Entry], log_factor: float) -> tuple[tuple[float, float], ...]:
    """[lo e^-log_factor, min(1, hi e^log_factor)] of each, rounded outwards; as they are at a factor of 1."""
    return tuple(_widened(entry, log_factor) for entry in row)


def _widened(entry: Entry, log_factor: float) -> tuple[float, float]:
    low, high = entry if isinstance(entry, list | tuple) else (entry, entry)
    if log_factor == 0:
        return low, high
    return _down(low * _down(exp(-log_factor))), min(1.0, _up(high * _up(exp(log_factor))))


def _down(value: float) -> float:
    return nextafter(value, 0.0)


def _up(value: float) -> float:
    return nextafter(value, inf) if value else 0.0
