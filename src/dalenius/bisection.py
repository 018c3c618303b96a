"""Searches by halving, for everybody who looks for a threshold: they know no notion and no model.

`bisected` finds where a condition that changes once begins to hold, `bisected_all` does so for arrays, and
`least_epsilon` finds where a decreasing curve of enclosures reaches a bound.
"""

from collections.abc import Callable
from functools import cache
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import Enclosure
from dalenius.special_functions import brentq

Floats = NDArray[np.float64]


def bisected(
    holds: Callable[[float], bool], inside: float, outside: float, *, relative: float = 0.0, absolute: float = 0.0
) -> tuple[float, float]:
    """Returns two numbers as near to each other as is asked: the condition holds at the first, and not at the second.

    No number is tried twice: the search ends at the latest where no double lies between the two.

    Args:
        holds: The condition, which changes once between the ends.
        inside: A number at which the condition holds; it may be the larger or the smaller end.
        outside: A number at which the condition does not hold.
        relative: The distance to reach, as a share of the larger of the two numbers in size.
        absolute: The distance to reach, in the unit of the numbers.

    >>> inside, outside = bisected(lambda place: place**2 <= 2, 0.0, 2.0, absolute=1e-3)
    >>> f"{inside:.4f} {outside:.4f}"
    '1.4141 1.4150'
    """
    while abs(outside - inside) > absolute + relative * max(abs(inside), abs(outside)):
        middle = inside + (outside - inside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside


def bisected_all(
    holds: Callable[[Floats], NDArray[np.bool_]], inside: Floats, outside: Floats, times: int
) -> tuple[Floats, Floats]:
    """Returns the two ends of many intervals (n,) after the given number of halvings.

    Args:
        holds: The condition for all n numbers at once, so that one call serves them all; returns (n,).
        inside: Numbers (n,) at which the condition holds.
        outside: Numbers (n,) at which the condition does not hold.
        times: How often each interval is halved.
    """
    for _ in range(times):
        middle = (inside + outside) / 2
        kept = holds(middle)
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    return inside, outside


def least_epsilon(curve: Callable[[float], Enclosure], delta: float, end: float) -> Enclosure:
    """Returns an enclosure of the least ε, in nats, at which the decreasing curve δ(ε) is at most delta.

    The enclosure includes the curve's own width. Where δ(ε) is e^-ε, δ = .1 is kept from ln 10 on:

    >>> from math import exp
    >>> found = least_epsilon(lambda epsilon: Enclosure(exp(-epsilon), exp(-epsilon)), 0.1, inf)
    >>> f"{found.lower:.6f} {found.upper:.6f}"
    '2.302585 2.302585'

    Args:
        curve: Encloses δ at an ε in nats.
        delta: The probability to reach.
        end: An ε, in nats, at which the curve is known to be at most delta; inf where none is known.
    """
    # Because ends of brackets are looked at again and again, and each look may take a tenth of a second.
    curve = cache(curve)
    if curve(0.0).upper <= delta:
        return Enclosure(0.0, 0.0)
    # The case where no ε without delta is known: the end is doubled until the curve is below delta.
    if end == inf:
        end, least = 1.0, 0.0
        while (found := curve(end)).upper > delta:
            least = end if found.lower > delta else least
            if end > 700:
                # Because e^end overflows past this: whether the curve reaches delta cannot be decided.
                return Enclosure(least, inf)
            end *= 2
    near, half = _centred(curve, delta, _crossing(curve, delta, end), end)
    # Because the curve has two sides: from Brent's root down and up, until each is on its side of delta for certain.
    below = _first_beyond(lambda place: curve(place).lower > delta, near, 0.0, half)
    return Enclosure(below, _first_beyond(lambda place: curve(place).upper <= delta, near, end, half))


def _centred(curve: Callable[[float], Enclosure], delta: float, near: float, end: float) -> tuple[float, float]:
    """Returns a place nearer to where the curve's middle is delta, and a distance.

    The distance says about how far from that place the curve's two sides are delta; it is 0 where they are next to
    it.
    """
    there = curve(near)
    gap = (there.upper - there.lower) / 2
    # The usual case: one answer, whose curve is known to a rounding.
    if gap <= 1e-10 * there.upper:
        return near, 0.0
    # So that the fall of the middle is seen beside the doubt about it.
    fall = (there.middle - curve(near + 1e-3 * (1 + near)).middle) / (1e-3 * (1 + near))
    if fall <= 0:
        return near, 0.0
    half = gap / fall
    moved = (there.middle - delta) / fall
    return (near if abs(moved) > half else min(max(near + moved, 0.0), end)), half


def _first_beyond(holds: Callable[[float], bool], near: float, end: float, guess: float = 0.0) -> float:
    """Returns a place from which on, towards `end`, the condition holds; `end` where it holds nowhere before.

    The place is at most a third further from `near` than it need be. guess: about how far that is; 0 where nothing is
    known.
    """
    if near == end or holds(near):
        return near
    room, side = abs(end - near), 1 if end > near else -1
    # Because each look may take seconds where the curve's sides are far apart (small noise, long law): in strides.
    step, failed, stride = 1e-13 * (1 + near), 0.0, 32.0
    if 0 < 0.9 * guess < room:
        step, stride = 0.9 * guess, 1.3
        # Because a guess may be too far by more than a third: it is halved until it is not.
        while holds(near + side * step / 1.3) and step > 1e-13 * (1 + near):
            step /= 2
        failed = step / 1.3
    while step < room and not holds(near + side * step):
        failed, step, stride = step, stride * step, min(2 * stride, 32.0)
    if failed and step > 1.3 * failed * (1 + 1e-9):
        step, _ = bisected(lambda each: holds(near + side * each), min(step, room), failed, relative=0.25)
    return near + side * step if step < room else end


def _crossing(curve: Callable[[float], Enclosure], delta: float, end: float) -> float:
    """Returns the ε between 0 and end at which the curve's middle meets delta.

    Any ε at which the curve's enclosure includes delta and is narrow will do. The search is in logs, as δ falls over
    many powers of ten.
    """

    def gap(epsilon: float) -> float:
        found = curve(epsilon)
        # So that no step is taken within the curve's own doubt: each evaluation may take long.
        if found.lower <= delta < found.upper <= found.lower + 0.01 * delta:
            return 0.0
        return log(max(found.middle, 1e-320)) - log(delta)

    if gap(0.0) <= 0:
        return 0.0
    return end if gap(end) >= 0 else float(brentq(gap, 0.0, end, xtol=1e-13, rtol=1e-13))
