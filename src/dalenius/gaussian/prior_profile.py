"""Hockey-stick divergences between a Gaussian answer given a secret and the same answer without it (Result 10.4).

P is the law of the answer given the secret, of mean m >= 0, and Q without it, of mean 0 and larger variance. P - CQ has
at most two changes of sign for any C, so that {log P/Q > ε} is an interval; both hockey-sticks grow with m.
"""

import math
from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.gaussian.density import log_density, log_density_error
from dalenius.gaussian.peak import highest_log_ratio
from dalenius.gaussian.profile import TINY, distribution
from dalenius.laws.law import Array
from dalenius.roots import brentq

NODES: Final = 20
AWAY: Final = 38.0
"""Deviations past which less than 1e-300 of a Gaussian law's mass lies."""
PANEL: Final = 0.5
"""Deviations of the narrower law."""
ELLIPSE: Final = 4.0
MOST_PANELS: Final = 20_000

Piece: TypeAlias = tuple[float, float]


def raised_under_gaussian(offset: float, explained: float, left: float, epsilon: float) -> Enclosure:
    """∫ max(p - e^ε q, 0) for P = N(m, 1 - ρ²), Q = N(0, 1): m = offset >= 0, ρ² = explained > 0,
    1 - ρ² = left > 0.

    log p/q = top - κ (u - c)², c = m/ρ², κ = ρ²/2(1 - ρ²), top = m²/2ρ² + ½ log 1/(1 - ρ²).
    """
    centre, steep, top = _parabola(offset, explained, left)
    if epsilon >= top:
        return Enclosure(0.0, TINY if epsilon < top * (1 + 64 * UNIT) else 0.0)
    half = math.sqrt((top - epsilon) / steep)
    deviation = math.sqrt(left)
    return _gaussian_integral([(centre - half, centre + half)], offset, deviation, centre, steep, half)


def lowered_under_gaussian(offset: float, explained: float, left: float, epsilon: float) -> Enclosure:
    """∫ max(q - e^ε p, 0) for the same two."""
    centre, steep, top = _parabola(offset, explained, left)
    half = math.sqrt(max(top + epsilon, 0.0) / steep)
    outside = [(-math.inf, centre - half), (centre + half, math.inf)]
    return _gaussian_integral(outside, 0.0, 1.0, centre, -steep, half)


def _parabola(offset: float, explained: float, left: float) -> tuple[float, float, float]:
    """c, κ and the largest log-ratio."""
    known = -math.log1p(-explained) if explained < 0.5 else -math.log(left)
    return offset / explained, explained / (2 * left), (offset**2 / explained + known) / 2


def _gaussian_integral(
    pieces: list[Piece], mean: float, deviation: float, centre: float, steep: float, half: float
) -> Enclosure:
    """∫ φ (1 - e^{-κ(h² - (u-c)²)}) over pieces where that is positive, φ the density N(mean, deviation²): Gauss's rule
    on panels. On the ellipse of a panel, which reaches τ into the complex plane, φ grows by at most e^{τ²/2σ²} and the
    exponential in size by e^{κτ²} at most; both are entire functions."""
    total, error = 0.0, TINY
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    reach = AWAY * deviation
    for low, high in ((max(low, mean - reach), min(high, mean + reach)) for low, high in pieces):
        if low >= high:
            continue
        width = PANEL * min(deviation, 1 / math.sqrt(2 * abs(steep)))
        count = min(max(math.ceil((high - low) / width), 1), MOST_PANELS)
        edges = np.linspace(low, high, count + 1)
        panel = (high - low) / count
        u = edges[:-1, None] + panel * (1 + nodes) / 2
        z = (u - mean) / deviation
        density = np.exp(-(z**2) / 2) / (deviation * math.sqrt(2 * math.pi))
        exponent = steep * ((u - centre) ** 2 - half**2)
        values = density * -np.expm1(np.minimum(exponent, 0.0))
        total += float(np.sum(values @ weights)) * panel / 2
        # The exponent is a difference of squares, each rounded, and its slope moves it with u.
        size = np.abs(steep) * ((u - centre) ** 2 + half**2)
        moved = density * (np.minimum(np.abs(exponent), 1.0) * (64 + 8 * z**2) + 16 * size * np.exp(exponent)) * UNIT
        error += float(np.sum(moved @ weights)) * panel / 2 + _beyond_gauss(edges, mean, deviation, steep, centre, half)
    return _probability(around(total, error))


def _beyond_gauss(edges: Array, mean: float, deviation: float, steep: float, centre: float, half: float) -> float:
    """Trefethen's bound of Gauss's rule: 64/15 M ρ^{-2n}/(1 - ρ^{-2}) per half panel, M the largest size on the
    ellipse of sum of half axes ρ."""
    radius = (edges[1] - edges[0]) / 2
    along, across = radius * (ELLIPSE + 1 / ELLIPSE) / 2, radius * (ELLIPSE - 1 / ELLIPSE) / 2
    middle = (edges[1:] + edges[:-1]) / 2
    near = np.maximum(np.abs(middle - mean) - along, 0.0) / deviation
    density = np.exp(-(near**2) / 2 + (across / deviation) ** 2 / 2) / (deviation * math.sqrt(2 * math.pi))
    ends = [(np.abs(middle - centre) + side * along) ** 2 - half**2 for side in (-1, 1)]
    highest = np.maximum(*(steep * end for end in ends)) + abs(steep) * across**2
    size = 1 + np.exp(np.minimum(highest, 50.0))
    bound = 64 / 15 * float(np.sum(density * size)) * ELLIPSE ** (-2 * NODES) / (1 - ELLIPSE**-2)
    return float(bound * radius)


def raised_under_laplace(shift: float, inner: float, outer: float, spread: float, epsilon: float) -> Enclosure:
    """∫ max(p - e^ε q, 0) for a Gaussian answer under Laplace noise of scale 1: p = g_r(y - m), q = g_R(y); m = shift
    >= 0, r = inner, R = outer, R² = r² + spread."""
    top, peak = highest_log_ratio(shift, inner, outer, spread)
    if epsilon >= top.upper:
        return Enclosure(0.0, 0.0)
    ends = _ends(_LogRatio(shift, inner, outer), peak, epsilon)
    inside = [(ends[0][1], ends[1][1])]
    own, prior = _mass(inside, shift, inner), _mass(inside, 0.0, outer)
    return _difference(own, prior, epsilon, ends, shift, inner)


def lowered_under_laplace(shift: float, inner: float, outer: float, spread: float, epsilon: float) -> Enclosure:
    """∫ max(q - e^ε p, 0) for the same two: where log p/q < -ε."""
    _, peak = highest_log_ratio(shift, inner, outer, spread)
    ends = _ends(_LogRatio(shift, inner, outer), peak, -epsilon)
    outside = [(-math.inf, ends[0][1]), (ends[1][1], math.inf)]
    own, prior = _mass(outside, 0.0, outer), _mass(outside, shift, inner)
    return _difference(own, prior, epsilon, ends, 0.0, outer)


End: TypeAlias = tuple[float, float, float]
"""A crossing of the log-ratio: a place surely before it, about where it is, and a place surely after it."""


def _difference(
    own: Enclosure, other: Enclosure, epsilon: float, ends: tuple[End, End], shift: float, deviation: float
) -> Enclosure:
    """own - e^ε other, and above it what the true ends may add: between the sure places the two densities differ by
    rounding only, so at most twice the law's own mass there."""
    factor = math.exp(min(epsilon, 700.0))
    lower = own.lower - factor * (1 + 4 * UNIT * (1 + epsilon)) * other.upper
    upper = own.upper - factor * (1 - 4 * UNIT * (1 + epsilon)) * other.lower
    doubtful = sum(_mass([(low, high)], shift, deviation).upper for low, _, high in ends if low < high)
    return _probability(Enclosure(lower, max(upper, lower) + 2 * doubtful))


class _LogRatio:
    """h(y) = log g_r(y - m)/g_R(y), and how far rounding may put it off."""

    def __init__(self, shift: float, inner: float, outer: float) -> None:
        self.shift, self.inner, self.outer = shift, inner, outer

    def at(self, y: float) -> float:
        return float(log_density(abs(y - self.shift), self.inner) - log_density(abs(y), self.outer))

    def error(self, y: float) -> float:
        near, far = abs(y - self.shift), abs(y)
        moved = 4 * UNIT * (abs(y) + self.shift)  # the slope of a log-density is at most 1
        return float(log_density_error(near, self.inner) + log_density_error(far, self.outer)) + moved


def _ends(ratio: _LogRatio, peak: float, level: float) -> tuple[End, End]:
    """Where h, which rises up to the peak and falls after it, crosses the level on either side."""
    return _end(ratio, peak, level, -1), _end(ratio, peak, level, 1)


def _end(ratio: _LogRatio, peak: float, level: float, side: int) -> End:
    """Past `far` h has reached its limit but for rounding: if it is above the level there, the crossing is at ∞."""
    far = abs(peak) + ratio.shift + ratio.outer * (ratio.outer + 40) + 40
    step = max(ratio.inner, 1e-3 * ratio.outer, 1e-9)
    out = peak + side * step
    while ratio.at(out) > level and abs(out) < far:
        step *= 2
        out = peak + side * step
    if ratio.at(out) > level:
        sure = ratio.at(out) - ratio.error(out) > level
        return _ordered(side, side * math.inf if sure else out, side * math.inf, side * math.inf)
    if ratio.at(peak) <= level:
        place = peak
    else:
        low, high = min(peak, out), max(peak, out)
        place = float(brentq(lambda y: ratio.at(y) - level, low, high, xtol=1e-15 * max(1.0, abs(out)), rtol=1e-14))
    inner = _sure(lambda y: ratio.at(y) - ratio.error(y) > level, place, peak, -side)
    outer = _sure(lambda y: ratio.at(y) + ratio.error(y) < level, place, side * math.inf, side)
    return _ordered(side, inner, place, outer)


def _ordered(side: int, inner: float, place: float, outer: float) -> End:
    return (inner, place, outer) if side > 0 else (outer, place, inner)


def _sure(holds: Callable[[float], bool], place: float, last: float, side: int) -> float:
    """The first place tried, from `place` towards `last` in growing steps, where it holds; `last` if none does."""
    step = 1e-15 * max(abs(place), 1e-3)
    while step < 1e9 * (1 + abs(place)):
        found = place + side * step
        if (found - last) * side >= 0:
            return last
        if holds(found):
            return found
        step *= 4
    return last


def _mass(pieces: list[Piece], shift: float, deviation: float) -> Enclosure:
    """Of g_r(· - m) on the pieces, each taken on the side where its ends are in the lower tail."""
    lower, upper = 0.0, 0.0
    for low, high in ((low - shift, high - shift) for low, high in pieces):
        if low >= high:
            continue
        parts = [(low, high)] if high <= 0 else [(-high, -low)] if low >= 0 else [(low, 0.0), (-high, 0.0)]
        for start, end in parts:
            ends = distribution(end, deviation), distribution(start, deviation)
            moved = 4 * UNIT * (abs(shift) + (abs(start) if start > -math.inf else 0.0)) * ends[0].upper
            lower += max(ends[0].lower - ends[1].upper - moved, 0.0)
            upper += ends[0].upper - ends[1].lower + moved
    return Enclosure(lower, upper)


def _probability(value: Enclosure) -> Enclosure:
    return Enclosure(min(max(value.lower, 0.0), 1.0), min(max(value.upper, 0.0), 1.0))
