"""Entropy and Fisher information of g_r (`density`), with the error of the quadrature bounded.

Given y, the Gaussian part over r has a density strongly log-concave with constant 1, so its central moments are at most
those of a standard Gaussian (Brascamp and Lieb 1976). Hence for complex ζ with |ζ| = kr

    g_r(y + ζ) = g_r(y) e^{l'(y) ζ - ζ²/2r²} (1 + θ),    |θ| <= 2e^{k²/2} Φ(k) - 1 - k √(2/π) < 1 for k <= 1,

which has no zero in the disc: -g log g and g'²/g are analytic there and bounded, and a Gauss rule on a panel of width
r/2 converges like 7^{-2·NODES} (Trefethen 2008). Beyond r² + 10 r the density is e^{r²/2 - y}/2 to e^{-50}.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.gaussian.density import fall_error, log_density, log_density_error, slope
from dalenius.laws.law import Array
from dalenius.special import ndtr

NODES: Final = 20
RADIUS: Final = 0.9
INNER: Final = 0.7
FAR: Final = 30.0
"""Where r > 20, g_r is below e^{-390} of its peak beyond 30 r."""


@lru_cache(maxsize=4096)
def entropy(deviation: float) -> Enclosure:
    """-∫ g_r log g_r in nats; 1 + log 2 at r = 0."""
    if deviation == 0:
        return around(1 + math.log(2), 2 * UNIT)
    end = _end(deviation)
    value, error = _over_panels(deviation, end, _surprise, _surprise_bound)
    tail = float(log_density(end, deviation))
    # Beyond the end g is e^{-(y - end)} g(end) to 1e-20: ∫ -g log g = g(end) (1 - log g(end)).
    rest = math.exp(tail) * (1 - tail) if end > deviation**2 else 0.0
    return around(2 * (value + rest), 2 * (error + 64 * UNIT * rest) + 1e-150)


@lru_cache(maxsize=4096)
def fisher_information(deviation: float) -> Enclosure:
    """∫ g_r'²/g_r; 1 at r = 0. Cramér and Rao: at least 1/(r² + 2); Blachman and Stam: at most 1/(r² + 1)."""
    if deviation == 0:
        return Enclosure(1.0, 1.0)
    end = _end(deviation)
    value, error = _over_panels(deviation, end, _squared_slope, _squared_slope_bound)
    rest = math.exp(float(log_density(end, deviation))) if end > deviation**2 else 0.0
    found = around(2 * (value + rest), 2 * (error + 64 * UNIT * rest) + 1e-150)
    least, most = (1 - 4 * UNIT) / (deviation**2 + 2), (1 + 4 * UNIT) / (deviation**2 + 1)
    return Enclosure(max(found.lower, least), min(found.upper, most))


def information(inner: float, outer: float, spread: float) -> Enclosure:
    """h(g_R) - h(g_r) in nats, R² = r² + κ², κ² = spread > 0: the mutual information of output and Gaussian secret.

    Small differences are taken from de Bruijn's identity, ½ ∫ J(√ρ) dρ over ρ from r² to R²: J falls and is convex
    along the heat flow (Cheng and Geng 2015), so the middle and the ends bound it (Hermite and Hadamard).
    """
    high, low = entropy(outer), entropy(inner)
    middle = fisher_information(math.sqrt(inner**2 + spread / 2))
    ends = fisher_information(inner).upper + fisher_information(outer).upper
    lower = max(high.lower - low.upper - 8 * UNIT, spread / 2 * middle.lower * (1 - 8 * UNIT), 0.0)
    upper = min(high.upper - low.lower + 8 * UNIT, spread / 4 * ends * (1 + 8 * UNIT))
    return Enclosure(lower, upper)


def _end(deviation: float) -> float:
    return deviation * min(deviation + 10, FAR)


Value = Callable[[Array, float], tuple[Array, Array]]
Bound = Callable[[float, float, float], float]


def _over_panels(deviation: float, end: float, height: Value, bound: Any) -> tuple[float, float]:
    """∫ from 0 to end by panels of width r/2 at most, and how far it may be off."""
    panels = max(1, math.ceil(2 * end / deviation))
    width = end / panels
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    starts = np.arange(panels) * width
    y = starts[:, None] + width * (1 + nodes) / 2
    values, errors = height(y, deviation)
    total = float(np.sum(values * weights) * width / 2)
    rounding = float(np.sum(errors * weights) * width / 2) + 32 * UNIT * float(np.sum(np.abs(values) * weights)) * width
    axis = 4 * RADIUS if bound is _surprise_bound else 4 * INNER
    rate = axis + math.sqrt(axis**2 - 1)
    most = float(np.sum(bound(starts + width / 2, deviation)))
    return total, rounding + 64 / 15 * most * rate ** (-2 * NODES) / (1 - rate**-2) * width / 2


def _surprise(y: Array, deviation: float) -> tuple[Array, Array]:
    logs = log_density(y, deviation)
    mass = np.exp(logs)
    return -mass * logs, mass * (1 + np.abs(logs)) * (log_density_error(y, deviation) + 4 * UNIT * (1 + np.abs(logs)))


def _squared_slope(y: Array, deviation: float) -> tuple[Array, Array]:
    logs, steep = log_density(y, deviation), slope(y, deviation)
    mass = np.exp(logs)
    relative = log_density_error(y, deviation) + 4 * UNIT * (2 + np.abs(logs))
    moved = fall_error(y, deviation) / 2
    return mass * steep**2, mass * (steep**2 * relative + moved * (2 * np.abs(steep) + moved))


def _surprise_bound(middle: Array, deviation: float) -> Array:
    """|g log g| in the disc around the middle of a panel."""
    moved = RADIUS * deviation * np.abs(slope(middle, deviation)) + RADIUS**2 / 2 + _winding(RADIUS)
    logs = log_density(middle, deviation)
    return np.asarray(np.exp(logs + moved) * (np.abs(logs) + moved))


def _squared_slope_bound(middle: Array, deviation: float) -> Array:
    """|g'²/g| in the disc: there |l'| <= |l'(middle)| + |ζ|/r² + what Cauchy's estimate gives for log(1 + θ)."""
    steep = np.abs(slope(middle, deviation))
    moved = INNER * deviation * steep + INNER**2 / 2 + _winding(INNER)
    largest = steep + (INNER + _winding(RADIUS) / (RADIUS - INNER)) / deviation
    return np.asarray(np.exp(log_density(middle, deviation) + moved) * largest**2)


def _winding(radius: float) -> float:
    """|log(1 + θ)| is at most -log(1 - |θ|)."""
    size = 2 * math.exp(radius**2 / 2) * float(ndtr(radius)) - 1 - radius * math.sqrt(2 / math.pi)
    return -math.log(1 - size)
