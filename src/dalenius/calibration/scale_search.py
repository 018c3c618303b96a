"""The search for the least scale at which a leakage, which falls as the scale grows, keeps a bound.

It knows no model and no notion. A leakage of 3/scale comes down to 1 at scale 3:

>>> least_scale(lambda scale: 3 / scale, bound=1.0, start=2.0)
3.0
"""

from collections.abc import Callable
from decimal import Context, Decimal
from functools import cache
from math import exp, log
from typing import Final

from dalenius.bounds import up_to_digits
from dalenius.errors import DaleniusError
from dalenius.noise.noise import SCALE_DIGITS
from dalenius.special_functions import brentq

Curve = Callable[[float], float]
"""Returns the leakage in nats at a scale."""

_FURTHEST: Final = 200
"""Most halvings or steps of a search."""
_DOUBLINGS: Final = 100
"""Most doublings of the starting scale: noise of 2^100 times the scale that hides a group hides no more."""
_FLAT: Final = 20
"""Most doublings in a row that leave a leakage as it was, such as an infinite bound: more of them would too.

A start that hides only one record comes to hide a million people's in as many.
"""
_HARDLY: Final = 1 - 1e-6
"""Factor by which a leakage must fall to have moved at all."""
_FEW: Final = 4
"""Number of steps of the last digit that are tried singly, before steps grow."""


def least_scale(leakage: Callable[[float], float], bound: float, start: float) -> float:
    """Returns the least scale b of SCALE_DIGITS significant digits with leakage(b) <= bound, whatever the start.

    Where the search is cut short (hundreds of halvings, enclosures that leave it open), it is one that keeps the bound
    and is near it. The result is always a scale at which leakage was evaluated and found to keep the bound.
    DaleniusError where none is found.

    Args:
        leakage: The leakage by scale; it falls as the scale grows, and may be infinite.
        bound: The bound, in the unit of the leakage.
        start: Any scale, best one that keeps the bound.

    >>> least_scale(lambda scale: 3 / scale, bound=1.0, start=2.0)
    3.0
    """
    leakage = cache(leakage)
    high, level, flat = start, 0, 0
    for _ in range(_DOUBLINGS):
        # Because a leakage below 1e-9 nats that doublings leave where it was is rounding only.
        if leakage(high) <= bound or level == 3 or flat == _FLAT:
            break
        # Because a leakage that so many doublings leave may be only the precision of its computation.
        level = level + 1 if 0.9 * leakage(high) < leakage(2 * high) < 1e-9 else 0
        # Because a part of the answer may go out without noise: as many doublings at once as would show it.
        if not level and leakage(2 * high) >= _HARDLY * leakage(high) and leakage(far := high * 2.0**_FLAT) > bound:
            high, flat = far, _FLAT if leakage(far) >= _HARDLY * leakage(high) else 0
            continue
        flat = flat + 1 if leakage(2 * high) >= leakage(high) else 0
        high *= 2
    if not leakage(high) <= bound:
        why = ": more noise no longer lowers what is known of it" if flat == _FLAT else ""
        raise DaleniusError(f"no scale up to {high:g} brings the leakage down to {bound:g} nats{why}")
    low = _below(high, leakage(high), bound)
    # Because the least scale lies between the last two, go downwards to a scale that leaks too much.
    for _ in range(_FURTHEST):
        if leakage(low) > bound:
            break
        low, high = _below(low, leakage(low), bound), low
    # The case of a leakage that never exceeds the bound, however little noise: the last scale is as good as none.
    else:
        return high
    return _last_steps(leakage, bound, _root(leakage, bound, low, high), high)


def least_scale_by_worst(look: Callable[[float], tuple[float, Curve]], bound: float, start: float) -> float:
    """Returns the least scale for a leakage that is the largest of many falling curves, evaluated rarely.

    Each curve's least scale is at most that of their maximum: the next scale is that of the curve that leaks most at
    the last, until none leaks too much. A curve that is largest under much noise may keep the bound without any; then
    less noise is tried.

    Args:
        look: Returns the leakage at a scale, and the curve that is largest there, alone.
        bound: The leakage to keep, in nats.
        start: The first scale that is tried.
    """
    scale = start
    leakage, curve = look(scale)
    for _ in range(_FURTHEST):
        # Because this multiple of a scale is as good as no noise.
        if leakage > bound or curve(scale * 2.0**-60) > bound:
            break
        scale /= 2
        leakage, curve = look(scale)
    else:
        return scale
    scale, again = least_scale(curve, bound, scale), 0
    for _ in range(_FURTHEST):
        leakage, curve = look(scale)
        if leakage <= bound:
            return scale
        higher = least_scale(curve, bound, scale)
        if higher <= scale:  # the same curve again, up to rounding
            higher, again = _further(scale, again), again + 1
        scale = higher
    raise DaleniusError(f"no scale up to {scale:g} was seen to bring the leakage down to {bound:g} nats")


def _below(scale: float, leakage: float, bound: float) -> float:
    """Returns a scale between 1/2 and 1/64 of this one.

    There a leakage that goes with one over the scale would just exceed the bound.
    """
    # So that the leakage there exceeds the bound, a guess lies a tenth below the scale it aims at, and is divided by 64
    # at most.
    return scale * min(max(leakage / bound * 0.9, 1 / 64), 0.5)


def _root(leakage: Callable[[float], float], bound: float, low: float, high: float) -> float:
    """Returns where the leakage is the bound, to a rounding.

    It uses Brent's method on the logs of both, nearly a straight line.
    """
    ends = {log(low): low, log(high): high}

    @cache
    def gap(log_scale: float) -> float:
        # So that the search goes on to the least scale, one that just keeps the bound counts as above the root.
        scale = ends.get(log_scale) or exp(log_scale)
        return min(max(log(max(leakage(scale), 1e-300) / bound), -50.0), 50.0) or -1e-12

    # Because an end may lie within a rounding of the root, on either side of it once its log is taken.
    if gap(log(low)) <= 0:
        return low
    if gap(log(high)) >= 0:
        return high
    # Because the last digits are then tried one by one, the root has this precision in the log of the scale.
    return exp(float(brentq(gap, log(low), log(high), xtol=1e-11 / 2, rtol=1e-14)))


def _last_steps(leakage: Callable[[float], float], bound: float, near: float, safe: float) -> float:
    """Goes from the root to the least scale of SCALE_DIGITS digits that keeps the bound.

    It tries the next above, and those below it; else upwards, in growing steps where it is not among the first few, to
    one that was verified to keep the bound.
    """
    scale = up_to_digits(near, SCALE_DIGITS)
    if leakage(scale) <= bound:
        for _ in range(_FEW):
            below = float(Context(prec=SCALE_DIGITS).next_minus(Decimal(repr(scale))))
            if leakage(below) > bound:
                break
            scale = below
        return scale
    # The case of a root that is a little too low, because of roundings of the leakage.
    for step in range(_FURTHEST):
        scale = _further(scale, step)
        if scale >= safe:
            break
        if leakage(scale) <= bound:
            return scale
    return safe


def _further(scale: float, before: int) -> float:
    """Goes one step of the last digit further; after _FEW steps each is twice the one before."""
    exact = Decimal(repr(scale))
    step = Decimal(1).scaleb(exact.adjusted() - SCALE_DIGITS + 1)
    return up_to_digits(float(exact + 2 ** max(before - _FEW, 0) * step), SCALE_DIGITS)
