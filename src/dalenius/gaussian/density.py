"""Densities of a normal record's answer under noise, far into their tails.

Under Laplace noise the density is g_r, that of a Gaussian variable of deviation r plus Laplace noise of scale 1. With z
= (r - y/r)/√2 (the near side) and z' = (r + y/r)/√2 (the far side), for y >= 0 and r > 0,

    g_r(y) = ¼ e^{-y²/2r²} [erfcx(z) + erfcx(z')] = ¼ e^{r²/2 - y} [erfc(z) + e^{2y} erfc(z')],

the first form for z >= 0, where the Gaussian variable makes the output large, the second for z < 0, where noise does.
g_r is even and log-concave, and (log g_r)' = -(1 - ρ)/(1 + ρ) with ρ = erfcx(z')/erfcx(z): its slope is in (-1, 1).

From them follows the most that such an answer says of a secret, the largest log(posterior/prior) (Result 10.2). With r
= 1 the density at 0 is .262. A secret that shifts the answer by 1, of a record that adds variance 1, is raised by .590
nats at y = 2.62.

>>> found, place = highest_log_ratio(shift=1.0, inner=1.0, outer=math.sqrt(2), spread=1.0)
>>> round(math.exp(log_density(0.0, 1.0)), 3), round(found.upper, 3), round(place, 2)
(0.262, 0.59, 2.62)
"""

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.special_functions import brentq, erfc, erfcx

ROOT2: Final = math.sqrt(2)
_QUARTER: Final = -2 * math.log(2)
SPECIAL: Final = 16 * UNIT
"""The relative error of erfcx(z) and erfc(-z) for z >= 0, at most."""


def _log_erfcx(z: Any) -> Any:
    """Returns log of e^{z²} erfc(z), whatever the sign of z."""
    inside = np.log(erfcx(np.maximum(z, 0.0)))
    return np.where(z >= 0, inside, np.square(np.minimum(z, 0.0)) + np.log(erfc(np.minimum(z, 0.0))))


def log_fall(y: Any, deviation: float) -> Any:
    """Returns log ρ: the log-odds, given the output y, of negative against positive noise.

    Args:
        y: The output, at least 0, in scales of the noise; a number or an array.
        deviation: r, the Gaussian variable's deviation in the same unit, above 0.
    """
    near, far = _sides(y, deviation)
    return _log_erfcx(far) - _log_erfcx(near)


def fall_error(y: Any, deviation: float) -> Any:
    """Bounds |computed - true| of `log_fall`, for the same y and deviation."""
    near, _ = _sides(y, deviation)
    beyond = np.minimum(near, 0.0)
    # z² moves by 2|z| times the rounding of z.
    return 2 * _side_error(y, deviation) + 8 * UNIT * np.abs(beyond) * (np.abs(beyond) + deviation + y / deviation)


def log_density(y: Any, deviation: float) -> Any:
    """Returns log g_r(y).

    Args:
        y: The output, at least 0, in scales of the noise; a number or an array.
        deviation: r, the Gaussian variable's deviation in the same unit; 0 for the noise alone.
    """
    # Where everybody else's record is known, nothing but noise is added to the one in question.
    if deviation == 0:
        return -math.log(2) - y
    parts = _parts(y, deviation)
    return _QUARTER + np.where(parts.near < 0, deviation**2 / 2 - y, -np.square(y / deviation) / 2) + parts.rest


def log_density_error(y: Any, deviation: float) -> Any:
    """Bounds |computed - true| of `log_density`, for the same y and deviation."""
    if deviation == 0:
        return 4 * UNIT * (1 + y)
    return _side_error(y, deviation) + 8 * UNIT * np.minimum(np.square(y / deviation), y + deviation**2)


def _side_error(y: Any, deviation: float) -> Any:
    """Bounds what rounding does to the logs of both sides.

    For z >= 0 the slope of log erfcx(z) is at most min(1.2, 1/z); for z < 0 that of log erfc(z) is at most 1.2 e^{-z²}.
    The logarithms themselves are below 40 for r < 1e15.
    """
    near, _ = _sides(y, deviation)
    steep = np.where(near >= 0, 1 / np.maximum(near, 0.8), 1.2 * np.exp(-np.square(np.minimum(near, 0.0))))
    logs = np.abs(np.log(erfcx(np.maximum(near, 0.0)))) + math.log(3 + deviation)
    return 2 * SPECIAL + 4 * UNIT * (logs + (steep + 1) * 1.0) + 4 * UNIT * steep * (deviation + y / deviation)


def log_ratio(y: float, shift: float, inner: float, outer: float, spread: float) -> Enclosure:
    """Returns log g_r(y - m)/g_R(y) for 0 <= m <= y and R² = r² + κ².

    Terms that both densities share cancel by hand:

        -(y-m)²/2r² + y²/2R² = (2ym - m²)/2R² - κ²(y-m)²/2r²R²,      (r²/2 - (y-m)) - (R²/2 - y) = m - κ²/2.

    Args:
        y: The output, in scales of the noise.
        shift: m, how far the secret moves the answer, in the same unit.
        inner: r, the answer's deviation given the secret, above 0.
        outer: R, the answer's deviation over all secrets.
        spread: κ², the variance that the record adds.
    """
    one, other = _parts(y - shift, inner), _parts(y, outer)
    error = float(_side_error(y - shift, inner) + _side_error(y, outer))
    # The Gaussian variable makes the output large in both densities; else noise does in at least one.
    if one.near >= 0 and other.near >= 0:
        drawn = [(2 * y - shift) * shift / (2 * outer**2), -spread * ((y - shift) / (inner * outer)) ** 2 / 2]
        rests = [float(one.rest), -float(other.rest)]
    else:
        drawn = [shift, -spread / 2]
        rests = [float(one.past), -float(other.past)]
        error += 8 * UNIT * float(one.squared(y - shift, inner) + other.squared(y, outer))
    terms = drawn + rests
    return around(math.fsum(terms), error + 8 * UNIT * sum(map(abs, terms)))


class _Parts(NamedTuple):
    """The two sides of a density at an output.

    Attributes:
        near: z, of the near side.
        past: log of erfc(z) + e^{2y} erfc(z').
        rest: `past`, times e^{z²} where z >= 0.
    """

    near: Any
    past: Any
    rest: Any

    def squared(self, y: float, deviation: float) -> Any:
        """Returns how far z² of `past` moves, over 2^-53, if z at y and this deviation is off by its rounding."""
        return np.maximum(self.near, 0.0) * (deviation + y / deviation)


def _parts(y: Any, deviation: float) -> _Parts:
    near, _ = _sides(y, deviation)
    added = np.log1p(np.exp(log_fall(y, deviation)))
    outside = np.log(erfc(np.minimum(near, 0.0))) + added
    inside = _log_erfcx(np.maximum(near, 0.0)) + added
    return _Parts(near, np.where(near < 0, outside, inside - np.square(near)), np.where(near < 0, outside, inside))


def _sides(y: Any, deviation: float) -> tuple[Any, Any]:
    """Returns z of the near side and z' of the far one."""
    return (deviation - y / deviation) / ROOT2, (deviation + y / deviation) / ROOT2


def highest_log_ratio(shift: float, inner: float, outer: float, spread: float) -> tuple[Enclosure, float]:
    """Finds the supremum over y of h(y) = log g_r(y - m)/g_R(y), and where it is.

    N(m, r²) - C N(0, R²) changes sign at most twice, outside negative, since its log-ratio is a concave parabola; the
    Laplace density is a Pólya frequency function, and smoothing by it adds no sign change (Karlin 1968, ch. 5). So {h >
    log C} is an interval for every C: h rises to one peak and falls. The peak is at y >= m, as left of it the numerator
    still rises, and h' has the sign of ρ_r(y - m) - ρ_R(y) (`density`). At r = 0 it is m itself. As a supremum of
    functions -log g_R(x + m), convex in m, it grows with |m|.

    Args:
        shift: m, how far the secret moves the answer, at least 0, in scales of the noise.
        inner: r, the answer's deviation given the secret; 0 where the record alone decides the answer.
        outer: R, the answer's deviation over all secrets.
        spread: κ² = R² - r², the variance that the record adds, above 0.

    Returns:
        The supremum in nats, and the output y that attains it.
    """
    # The record alone decides the answer, for instance where everybody else is known.
    if inner == 0:
        value = -math.log(2) - float(log_density(shift, outer))
        return around(value, float(log_density_error(shift, outer)) + 4 * UNIT * shift), shift
    # For a secret at the record's own mean h is even, so that its one peak is at 0.
    if shift == 0:
        return log_ratio(0.0, 0.0, inner, outer, spread), 0.0

    def rising(y: float) -> float:
        return float(log_fall(y - shift, inner) - log_fall(y, outer))

    last = shift + outer * (outer + 12)  # beyond, z < -8 for both: h is m - κ²/2 to e^{-60}
    end = min(2 * shift + outer, last)
    while rising(end) >= 0 and end < last:
        end = min(2 * end, last)
    peak = shift if rising(shift) <= 0 else end
    if rising(shift) > 0 > rising(end):
        peak = float(brentq(rising, shift, end, xtol=1e-14 * shift, rtol=1e-13))
    low, high = _around_peak(rising, peak, last, shift, inner, outer)
    ratio, start = (log_ratio(y, shift, inner, outer, spread) for y in (peak, low))
    upper = max(start.upper + _climbed(low, high, shift, inner, outer), ratio.upper)
    limit = around(shift - spread / 2, 8 * UNIT * (shift + spread) + 1e-25)
    # Under much noise h rises for ever towards its limit, which no output attains.
    if high == last:
        upper = max(upper, limit.upper)
    # Without the Gaussian variable an output leaks more: adding it is post-processing.
    bare = highest_log_ratio(shift, 0.0, math.sqrt(spread), spread)[0].upper
    return Enclosure(max(ratio.lower, limit.lower), math.nextafter(min(upper, bare), math.inf)), peak


def _climbed(low: float, high: float, shift: float, inner: float, outer: float) -> float:
    """Bounds how much h may rise from low to high.

    On each subinterval its slope is at most l_r'(left - m) - l_R'(right), both falling; 1 + l' = 2ρ/(1 + ρ), without
    the cancellation.
    """
    # Subintervals around a peak, on each of which a bound says how much further h may rise.
    cuts = np.linspace(low, high, 257)
    left, right = cuts[:-1], cuts[1:]
    first, second = (np.exp(log_fall(y, r)) for y, r in ((np.maximum(left - shift, 0.0), inner), (right, outer)))
    wrong = fall_error(np.maximum(left - shift, 0.0), inner) * first + fall_error(right, outer) * second
    steep = 2 * first / (1 + first) - 2 * second / (1 + second) + 2 * wrong + 8 * UNIT * (first + second)
    return float(np.sum(np.maximum(steep, 0.0) * (right - left))) * (1 + 8 * UNIT)


def _around_peak(
    rising: Callable[[float], float], peak: float, last: float, shift: float, inner: float, outer: float
) -> tuple[float, float]:
    """Finds two places around the peak where the computed sign of h' is certain.

    The lower may be m, left of which h' is positive; the upper may be `last`, right of which h' is negligible. Steps
    away from the peak grow fourfold.
    """

    def doubt(y: float) -> float:
        return float(fall_error(y - shift, inner) + fall_error(y, outer))

    step = 1e-13 * peak
    low = peak
    while low > shift and rising(low) <= doubt(low):
        low, step = max(peak - step, shift), 4 * step
    step = 1e-13 * peak
    high = peak
    while high < last and -rising(high) <= doubt(high):
        high, step = min(peak + step, last), 4 * step
    return low, high
