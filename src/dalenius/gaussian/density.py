"""Densities of a normal record's answer under noise, far into their tails.

Under Laplace noise: g_r, the density of a Gaussian variable of deviation r plus Laplace noise of scale 1. With z = (r -
y/r)/√2 (the near side) and z' = (r + y/r)/√2 (the far side), for y >= 0 and r > 0,

    g_r(y) = ¼ e^{-y²/2r²} [erfcx(z) + erfcx(z')] = ¼ e^{r²/2 - y} [erfc(z) + e^{2y} erfc(z')],

the first form for z >= 0, where the Gaussian variable makes the output large, the second for z < 0, where noise does.
g_r is even and log-concave, and (log g_r)' = -(1 - ρ)/(1 + ρ) with ρ = erfcx(z')/erfcx(z): its slope is in (-1, 1).

Under Gaussian noise: a record's δ against its prior, by Gauss's rule on panels (Result 10.4). P is the law of the
answer given the secret, of mean m >= 0, and Q without it, of mean 0 and larger variance. P - CQ has at most two changes
of sign for any C, so that {log P/Q > ε} is an interval; both hockey-sticks grow with m.
"""

import math
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.laws.law import Array
from dalenius.special_functions import erfc, erfcx

ROOT2: Final = math.sqrt(2)
_QUARTER: Final = -2 * math.log(2)
SPECIAL: Final = 16 * UNIT
"""The relative error of erfcx(z) and erfc(-z) for z >= 0, at most."""


def _log_erfcx(z: Any) -> Any:
    """log of e^{z²} erfc(z), whatever the sign of z."""
    inside = np.log(erfcx(np.maximum(z, 0.0)))
    return np.where(z >= 0, inside, np.square(np.minimum(z, 0.0)) + np.log(erfc(np.minimum(z, 0.0))))


def log_fall(y: Any, deviation: float) -> Any:
    """log ρ: the log-odds, given the output y, of negative against positive noise."""
    near, far = _sides(y, deviation)
    return _log_erfcx(far) - _log_erfcx(near)


def fall_error(y: Any, deviation: float) -> Any:
    """|computed - true| of `log_fall` is at most this."""
    near, _ = _sides(y, deviation)
    beyond = np.minimum(near, 0.0)
    # z² moves by 2|z| times the rounding of z.
    return 2 * _side_error(y, deviation) + 8 * UNIT * np.abs(beyond) * (np.abs(beyond) + deviation + y / deviation)


def log_density(y: Any, deviation: float) -> Any:
    """log g_r(y), y >= 0; r = 0 is the noise alone."""
    if deviation == 0:
        return -math.log(2) - y
    parts = _parts(y, deviation)
    return _QUARTER + np.where(parts.beyond, deviation**2 / 2 - y, -np.square(y / deviation) / 2) + parts.rest


def log_density_error(y: Any, deviation: float) -> Any:
    """|computed - true| of `log_density` is at most this."""
    if deviation == 0:
        return 4 * UNIT * (1 + y)
    return _side_error(y, deviation) + 8 * UNIT * np.minimum(np.square(y / deviation), y + deviation**2)


def _side_error(y: Any, deviation: float) -> Any:
    """What rounding does to log erfcx(z) for z >= 0, whose slope is at most min(1.2, 1/z), and to log erfc(z) for
    z < 0, whose slope is at most 1.2 e^{-z²}. The logarithms themselves are below 40 for r < 1e15."""
    near, _ = _sides(y, deviation)
    steep = np.where(near >= 0, 1 / np.maximum(near, 0.8), 1.2 * np.exp(-np.square(np.minimum(near, 0.0))))
    logs = np.abs(np.log(erfcx(np.maximum(near, 0.0)))) + math.log(3 + deviation)
    return 2 * SPECIAL + 4 * UNIT * (logs + (steep + 1) * 1.0) + 4 * UNIT * steep * (deviation + y / deviation)


@final
@dataclass(frozen=True)
class _LogRatio:
    """log g_r(y - m)/g_R(y) for 0 <= m <= y and R² = r² + κ²; value ± error."""

    value: float
    error: float


def log_ratio(y: float, shift: float, inner: float, outer: float, spread: float) -> _LogRatio:
    """LogRatio at y with m = shift, r = inner > 0, R = outer, κ² = spread. Terms both densities share cancel by hand:

    -(y-m)²/2r² + y²/2R² = (2ym - m²)/2R² - κ²(y-m)²/2r²R²,      (r²/2 - (y-m)) - (R²/2 - y) = m - κ²/2.
    """
    one, other = _parts(y - shift, inner), _parts(y, outer)
    error = float(_side_error(y - shift, inner) + _side_error(y, outer))
    if not one.beyond and not other.beyond:
        drawn = [(2 * y - shift) * shift / (2 * outer**2), -spread * ((y - shift) / (inner * outer)) ** 2 / 2]
        rests = [float(one.rest), -float(other.rest)]
    else:
        drawn = [shift, -spread / 2]
        rests = [float(one.past), -float(other.past)]
        error += 8 * UNIT * float(one.squared(y - shift, inner) + other.squared(y, outer))
    terms = drawn + rests
    return _LogRatio(math.fsum(terms), error + 8 * UNIT * sum(map(abs, terms)))


@final
@dataclass(frozen=True)
class _Parts:
    """near: z; past: log of erfc(z) + e^{2y} erfc(z'); rest: the same, times e^{z²} where z >= 0."""

    near: Any
    past: Any
    rest: Any

    @property
    def beyond(self) -> Any:
        return self.near < 0

    def squared(self, y: float, deviation: float) -> Any:
        """What z² of `past` moves by, over 2^-53, when z is off by its rounding."""
        return np.maximum(self.near, 0.0) * (deviation + y / deviation)


def _parts(y: Any, deviation: float) -> _Parts:
    near, _ = _sides(y, deviation)
    beyond = near < 0
    inside = _log_erfcx(np.maximum(near, 0.0))
    outside = np.log(erfc(np.minimum(near, 0.0)))
    added = np.log1p(np.exp(log_fall(y, deviation)))
    rest = np.where(beyond, outside, inside) + added
    past = np.where(beyond, outside, inside - np.square(near)) + added
    return _Parts(near, past, rest)


def _sides(y: Any, deviation: float) -> tuple[Any, Any]:
    return (deviation - y / deviation) / ROOT2, (deviation + y / deviation) / ROOT2


_NODES: Final = 20
_ELLIPSE: Final = 4.0
TINY: Final = 1e-300
"""Underflow is below this."""

_Piece: TypeAlias = tuple[float, float]


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
    pieces: list[_Piece], mean: float, deviation: float, centre: float, steep: float, half: float
) -> Enclosure:
    """∫ φ (1 - e^{-κ(h² - (u-c)²)}) over pieces where that is positive, φ the density N(mean, deviation²): Gauss's rule
    on panels. On the ellipse of a panel, which reaches τ into the complex plane, φ grows by at most e^{τ²/2σ²} and the
    exponential in size by e^{κτ²} at most; both are entire functions."""
    total, error = 0.0, TINY
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    # Deviations past which less than 1e-300 of a Gaussian law's mass lies.
    reach = 38.0 * deviation
    for low, high in ((max(low, mean - reach), min(high, mean + reach)) for low, high in pieces):
        if low >= high:
            continue
        # Deviations of the narrower law.
        width = 0.5 * min(deviation, 1 / math.sqrt(2 * abs(steep)))
        count = min(max(math.ceil((high - low) / width), 1), 20_000)
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
    return probability(around(total, error))


def _beyond_gauss(edges: Array, mean: float, deviation: float, steep: float, centre: float, half: float) -> float:
    """Trefethen's bound of Gauss's rule: 64/15 M ρ^{-2n}/(1 - ρ^{-2}) per half panel, M the largest size on the
    ellipse of sum of half axes ρ."""
    radius = (edges[1] - edges[0]) / 2
    along, across = radius * (_ELLIPSE + 1 / _ELLIPSE) / 2, radius * (_ELLIPSE - 1 / _ELLIPSE) / 2
    middle = (edges[1:] + edges[:-1]) / 2
    near = np.maximum(np.abs(middle - mean) - along, 0.0) / deviation
    density = np.exp(-(near**2) / 2 + (across / deviation) ** 2 / 2) / (deviation * math.sqrt(2 * math.pi))
    ends = [(np.abs(middle - centre) + side * along) ** 2 - half**2 for side in (-1, 1)]
    highest = np.maximum(*(steep * end for end in ends)) + abs(steep) * across**2
    size = 1 + np.exp(np.minimum(highest, 50.0))
    bound = 64 / 15 * float(np.sum(density * size)) * _ELLIPSE ** (-2 * _NODES) / (1 - _ELLIPSE**-2)
    return float(bound * radius)


def probability(value: Enclosure) -> Enclosure:
    """The part of it in [0, 1]: what rounding adds beyond is no probability."""
    return Enclosure(min(max(value.lower, 0.0), 1.0), min(max(value.upper, 0.0), 1.0))
