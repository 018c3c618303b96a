"""What a Gaussian answer under Laplace noise of scale 1 can leak: the largest log(posterior/prior) of a secret (Result
10.2), and privacy profiles ∫ max(g(y) - e^ε g(y - t), 0) dy of a shifted density, Gaussian with or without that noise.

For a log-concave g the ratio g(y)/g(y - t) falls with y for t > 0, so the integral is F(u) = G(u) - e^ε G(u - t) at the
one place u where the ratio is e^ε, the largest of all F(u): it grows with t. Tails keep their relative accuracy.
"""

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.gaussian.density import (
    ROOT2,
    SPECIAL,
    TINY,
    fall_error,
    log_density,
    log_density_error,
    log_fall,
    log_ratio,
    probability,
)
from dalenius.special_functions import brentq, erfc, erfcx

_PIECES: Final = 256
_NODES: Final = 16
_NARROW: Final = 0.25
AWAY: Final = 38.0
"""Deviations past which less than 1e-300 of a Gaussian law's mass lies."""


def highest_log_ratio(shift: float, inner: float, outer: float, spread: float) -> tuple[Enclosure, float]:
    """sup over y of h(y) = log g_r(y - m)/g_R(y), and where it is; m = shift >= 0, R² = r² + κ², κ² = spread > 0.

    N(m, r²) - C N(0, R²) changes sign at most twice, outside negative, since its log-ratio is a concave parabola; the
    Laplace density is a Pólya frequency function, and smoothing by it adds no sign change (Karlin 1968, ch. 5). So
    {h > log C} is an interval for every C: h rises to one peak and falls. The peak is at y >= m, as left of it the
    numerator still rises, and h' has the sign of ρ_r(y - m) - ρ_R(y) (`density`). At r = 0 it is m itself.
    As a supremum of functions -log g_R(x + m), convex in m, it grows with |m|.
    """
    if inner == 0:
        value = -math.log(2) - float(log_density(shift, outer))
        return around(value, float(log_density_error(shift, outer)) + 4 * UNIT * shift), shift
    if shift == 0:
        ratio = log_ratio(0.0, 0.0, inner, outer, spread)
        return around(ratio.value, ratio.error), 0.0

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
    upper = max(start.value + start.error + _climbed(low, high, shift, inner, outer), ratio.value + ratio.error)
    limit = around(shift - spread / 2, 8 * UNIT * (shift + spread) + 1e-25)
    if high == last:
        upper = max(upper, limit.upper)
    # Without the Gaussian variable an output leaks more: adding it is post-processing.
    bare = highest_log_ratio(shift, 0.0, math.sqrt(spread), spread)[0].upper
    return Enclosure(max(ratio.value - ratio.error, limit.lower), math.nextafter(min(upper, bare), math.inf)), peak


def _climbed(low: float, high: float, shift: float, inner: float, outer: float) -> float:
    """How much h may rise from low to high: on each subinterval its slope is at most l_r'(left - m) - l_R'(right), both
    falling; 1 + l' = 2ρ/(1 + ρ), without the cancellation."""
    cuts = np.linspace(low, high, _PIECES + 1)
    left, right = cuts[:-1], cuts[1:]
    first, second = (np.exp(log_fall(y, r)) for y, r in ((np.maximum(left - shift, 0.0), inner), (right, outer)))
    wrong = fall_error(np.maximum(left - shift, 0.0), inner) * first + fall_error(right, outer) * second
    steep = 2 * first / (1 + first) - 2 * second / (1 + second) + 2 * wrong + 8 * UNIT * (first + second)
    return float(np.sum(np.maximum(steep, 0.0) * (right - left))) * (1 + 8 * UNIT)


def _around_peak(
    rising: Callable[[float], float], peak: float, last: float, shift: float, inner: float, outer: float
) -> tuple[float, float]:
    """Around the peak, two places where the computed sign of h' is certain, or m, left of which it is positive, or
    `last`, right of which it is negligible."""

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


def of_gaussian(separation: float, epsilon: float) -> Enclosure:
    """t = `separation` standard deviations, no other noise: Φ(t/2 - ε/t) - e^ε Φ(-t/2 - ε/t) (Balle and Wang 2018).

    e^ε φ(x + t) = φ(x) at x = ε/t - t/2, so both terms share the factor e^{-x²/2}.
    """
    if separation == 0:
        return Enclosure(0.0, 0.0)
    near, far = (epsilon / separation + sign * separation / 2 for sign in (-1, 1))
    shared = math.exp(-(near**2) / 2)
    if separation <= _NARROW:
        drop, doubt = _drop(near / ROOT2, separation / ROOT2)
        moved = (SPECIAL + 8 * UNIT * (1 + far * (abs(near) + 1))) * drop
        return probability(around(shared * drop / 2, shared * (doubt + moved) + TINY))
    first = float(erfc(near / ROOT2)) if near < 0 else shared * float(erfcx(near / ROOT2))
    second = shared * float(erfcx(far / ROOT2))
    moved = 4 * UNIT * far * (abs(near) + 1)
    error = (2 * SPECIAL + 4 * UNIT * near**2) * (first + second) / 2 + moved * (shared + first)
    return probability(around((first - second) / 2, error))


def _drop(start: float, width: float) -> tuple[float, float]:
    """erfcx(z) - erfcx(z + w) for z > -0.1 and small w, without the cancellation, and a bound on the error: the
    integral of 2/√π - 2z erfcx(z) = (4/√π) ∫ u e^{-u² - 2zu} du by Gauss's rule, exact to 20^{-2·NODES}."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    z = start + width * (1 + nodes) / 2
    heights = 2 / math.sqrt(math.pi) - 2 * z * erfcx(z)
    return float(heights @ weights) * width / 2, 4 * SPECIAL * width
