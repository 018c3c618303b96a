"""Brent's root finder, as scipy has it (Brent 1973, ch 4): the same steps, and so the same digits.

Written out because scipy's takes a third of a second to import, which is more than most roots take to find.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, isnan
from typing import Final, final

MOST_STEPS: Final = 100


@final
@dataclass(frozen=True)
class _Point:
    x: float
    value: float


def brentq(function: Callable[[float], float], low: float, high: float, *, xtol: float, rtol: float = 2**-50) -> float:
    """Where the function crosses 0 between low and high, at which its signs differ (else ValueError), to within
    xtol + rtol·|root|. ValueError where it is NaN, RuntimeError where it is not found in MOST_STEPS."""

    def at(x: float) -> _Point:
        value = float(function(x))
        if isnan(value):
            raise ValueError(f"the function is NaN at {x}")
        return _Point(x, value)

    before, now = at(low), at(high)
    if 0 in (before.value, now.value):
        return low if before.value == 0 else high
    if not _differ(before, now):
        raise ValueError("the function's signs at both ends are the same")
    across, last, step = before, 0.0, 0.0
    for _ in range(MOST_STEPS):
        if before.value != 0 != now.value and _differ(before, now):
            across, last, step = before, now.x - before.x, now.x - before.x
        if abs(across.value) < abs(now.value):
            before, now, across = now, across, now
        delta, half = (xtol + rtol * abs(now.x)) / 2, (across.x - now.x) / 2
        if now.value == 0 or abs(half) < delta:
            return now.x
        tried = _interpolated(before, now, across) if abs(last) > delta and abs(now.value) < abs(before.value) else None
        short = tried is not None and 2 * abs(tried) < min(abs(last), 3 * abs(half) - delta)
        last, step = (step, tried) if tried is not None and short else (half, half)
        before, now = now, at(now.x + (step if abs(step) > delta else copysign(delta, half)))
    raise RuntimeError(f"no root was found in {MOST_STEPS} steps: the function is near 0 at {now.x}")


def _differ(one: _Point, other: _Point) -> bool:
    return copysign(1, one.value) != copysign(1, other.value)


def _interpolated(before: _Point, now: _Point, across: _Point) -> float | None:
    """The step to where the line through two points crosses 0, or the inverse quadratic through three; None where
    rounding leaves none."""
    try:
        if before.x == across.x:
            return -now.value * (now.x - before.x) / (now.value - before.value)
        one = (before.value - now.value) / (before.x - now.x)
        other = (across.value - now.value) / (across.x - now.x)
        beside = other * one * (across.value - before.value)
        return -now.value * (across.value * other - before.value * one) / beside
    except ZeroDivisionError:
        return None
