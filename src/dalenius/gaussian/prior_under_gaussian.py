"""A normal record's δ beside its prior under Gaussian noise, by Gauss's rule on panels (Result 10.4).

P is the law of the answer given the secret, of mean m >= 0, and Q without it, of mean 0 and larger variance. P - CQ has
at most two changes of sign for any C, so that {log P/Q > ε} is an interval; both hockey-sticks grow with m.
"""

import math
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.laws.law import Array

NODES: Final = 20
AWAY: Final = 38.0
"""Deviations past which less than 1e-300 of a Gaussian law's mass lies."""
PANEL: Final = 0.5
"""Deviations of the narrower law."""
ELLIPSE: Final = 4.0
MOST_PANELS: Final = 20_000
TINY: Final = 1e-300
"""Underflow is below this."""

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


def _probability(value: Enclosure) -> Enclosure:
    return Enclosure(min(max(value.lower, 0.0), 1.0), min(max(value.upper, 0.0), 1.0))
