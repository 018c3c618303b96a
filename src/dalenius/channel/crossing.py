"""Where a decreasing curve of enclosures reaches a bound."""

from collections.abc import Callable
from math import inf, log

from dalenius.bounds import Enclosure
from dalenius.roots import brentq


def least_epsilon(curve: Callable[[float], Enclosure], delta: float, largest_epsilon: float) -> Enclosure:
    """The least ε at which the decreasing curve δ(ε) is at most delta; its enclosure includes the curve's own."""
    if curve(0.0).upper <= delta:
        return Enclosure(0.0, 0.0)
    end = largest_epsilon
    if end == inf:
        end, least = 1.0, 0.0
        while (found := curve(end)).upper > delta:
            least = end if found.lower > delta else least
            if end > 700:
                # Past this e^end overflows: whether the curve reaches delta cannot be decided.
                return Enclosure(least, inf)
            end *= 2
    near = _crossing(curve, delta, end)
    step = 1e-13 * (1 + near)
    above, below = near, near
    while curve(above).upper > delta and above < end:
        above, step = min(above + step, end), 2 * step
    step = 1e-13 * (1 + near)
    while below > 0 and curve(below).lower <= delta:
        below, step = max(below - step, 0.0), 2 * step
    return Enclosure(below, above)


def _crossing(curve: Callable[[float], Enclosure], delta: float, end: float) -> float:
    def gap(epsilon: float) -> float:
        return _log_ratio(curve(epsilon).middle, delta)

    if gap(0.0) <= 0:
        return 0.0
    return end if gap(end) >= 0 else float(brentq(gap, 0.0, end, xtol=1e-13, rtol=1e-13))


def _log_ratio(value: float, delta: float) -> float:
    return log(max(value, 1e-320)) - log(delta)
