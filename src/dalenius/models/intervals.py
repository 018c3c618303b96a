"""Probabilities that a spec may give as intervals [lower, upper] (Theory §16)."""

from collections.abc import Sequence
from math import fsum, isfinite
from numbers import Real
from typing import Annotated, Any, Final, TypeAlias

import numpy as np
from pydantic import AfterValidator, BeforeValidator

from dalenius.laws.imprecise.rows import tightened
from dalenius.laws.law import Array
from dalenius.schema import distribution

SLACK: Final = 1e-9
"""By how much ends of intervals may miss a law, as decimals do."""


def _entry(given: Any) -> Any:
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple):
        return _number(given)
    if len(given) != 2:
        raise ValueError("a probability, or an interval [lower, upper]")
    low, high = (_number(each) for each in given)
    for end in (low, high):
        if not (isfinite(end) and 0 <= end <= 1):
            raise ValueError(f"an interval [lower, upper] within 0 and 1 (it is [{low}, {high}])")
    if low > high:
        raise ValueError(f"an interval [lower, upper] with its lower end first (it is [{low}, {high}])")
    return low if low == high else (low, high)


def _number(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, Real):
        raise ValueError("a probability, or an interval [lower, upper]")
    return float(given)


Chance: TypeAlias = Annotated[float | tuple[float, float], BeforeValidator(_entry)]
"""A probability, or an interval of them."""


def _row(given: tuple[float | tuple[float, float], ...]) -> tuple[float | tuple[float, float], ...]:
    points = [each for each in given if not isinstance(each, tuple)]
    if len(points) == len(given):
        return distribution(tuple(points))
    for place, value in enumerate(given, 1):
        if not isinstance(value, tuple) and not (isfinite(value) and 0 <= value <= 1):
            raise ValueError(f"probabilities from 0 to 1 (number {place} is {value})")
    low, high = (fsum(ends) for ends in zip(*map(ends_of, given), strict=True))
    if low > 1 + SLACK:
        raise ValueError(f"intervals with a law inside: the lower ends sum to at most 1 (these sum to {low:.12g})")
    if high < 1 - SLACK:
        raise ValueError(f"intervals with a law inside: the upper ends sum to at least 1 (these sum to {high:.12g})")
    return given


Chances: TypeAlias = Annotated[tuple[Chance, ...], AfterValidator(_row)]
"""A law of several values, any of whose probabilities may be an interval."""


def ends_of(chance: float | tuple[float, float]) -> tuple[float, float]:
    """Both ends; a number's twice."""
    return chance if isinstance(chance, tuple) else (chance, chance)


def is_point(rows: Sequence[Sequence[float | tuple[float, float]]]) -> bool:
    """Whether no probability of these rows is an interval."""
    return not any(isinstance(each, tuple) for row in rows for each in row)


def box_of(row: Sequence[float | tuple[float, float]]) -> Array:
    """The lower and the upper ends (2, k), each of which some law inside attains."""
    low, high = np.array([ends_of(each) for each in row]).T
    return np.stack(tightened(low, high))


def points_of(row: Sequence[float | tuple[float, float]]) -> tuple[float, ...]:
    """The row, none of whose entries is an interval."""
    return tuple(float(each) for each in row if not isinstance(each, tuple))
