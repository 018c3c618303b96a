"""The least scale at which a falling function comes down to a bound. Knows no model and no notion."""

from collections.abc import Callable
from math import exp, log
from typing import Final

from dalenius.errors import DaleniusError
from dalenius.roots import brentq

Curve = Callable[[float], float]
"""Nats by scale."""

TOLERANCE: Final = 1e-11
FURTHEST: Final = 200


def least_scale(leakage: Callable[[float], float], bound: float, start: float) -> float:
    """From above: a scale b with leakage(b) <= bound, a factor of about 1 + TOLERANCE from the least such.

    leakage: falls as the scale grows; may be infinite. start: any scale, best one that keeps the bound. The result is
    always a scale at which leakage was evaluated and found to keep the bound. DaleniusError where none is found.
    """
    high = start
    for _ in range(FURTHEST):
        if leakage(high) <= bound:
            break
        high *= 2
    else:
        raise DaleniusError(f"no scale up to {high:g} brings the leakage down to {bound:g} nats")
    low = high / 2
    for _ in range(FURTHEST):
        if leakage(low) > bound:
            break
        low, high = low / 2, low
    else:
        return high
    return _last_steps(leakage, bound, _root(leakage, bound, low, high), high)


def least_scale_by_worst(look: Callable[[float], tuple[float, Curve]], bound: float, start: float) -> float:
    """The same, for a leakage that is the largest of many falling curves, looked at rarely.

    look: the leakage at a scale, and the curve that is largest there, alone. The least scale of each curve is below the
    least of all; the next to look at is that of the curve which leaks most at the last, until none leaks too much.
    """
    scale, step = start, TOLERANCE / 2
    _, curve = look(scale)
    scale = least_scale(curve, bound, scale)
    for _ in range(FURTHEST):
        leakage, curve = look(scale)
        if leakage <= bound:
            return scale
        higher = least_scale(curve, bound, scale)
        if higher <= scale * (1 + TOLERANCE):  # the same curve again, but for rounding
            higher, step = scale * (1 + step), 2 * step
        scale = higher
    raise DaleniusError(f"no scale up to {scale:g} was seen to bring the leakage down to {bound:g} nats")


def _root(leakage: Callable[[float], float], bound: float, low: float, high: float) -> float:
    def gap(log_scale: float) -> float:
        # A scale that just keeps the bound counts as above the root, so that the search goes on to the least one.
        return min(max(log(max(leakage(exp(log_scale)), 1e-300) / bound), -50.0), 50.0) or -1e-12

    # An end may lie within a rounding of the root, on either side of it once its log is taken.
    if gap(log(low)) <= 0:
        return low
    if gap(log(high)) >= 0:
        return high
    return exp(float(brentq(gap, log(low), log(high), xtol=TOLERANCE / 2, rtol=1e-14)))


def _last_steps(leakage: Callable[[float], float], bound: float, near: float, safe: float) -> float:
    """Upwards from the root in growing steps, to the first scale that was seen to keep the bound."""
    step = TOLERANCE / 2
    while near < safe:
        if leakage(near) <= bound:
            return near
        near *= 1 + step
        step *= 2
    return safe
