"""The density g_r of a Gaussian variable of deviation r plus Laplace noise of scale 1, far into its tails.

With z = (r - y/r)/√2 (the near side) and z' = (r + y/r)/√2 (the far side), for y >= 0 and r > 0,

    g_r(y) = ¼ e^{-y²/2r²} [erfcx(z) + erfcx(z')] = ¼ e^{r²/2 - y} [erfc(z) + e^{2y} erfc(z')],

the first form for z >= 0, where the Gaussian variable makes the output large, the second for z < 0, where noise does.
g_r is even and log-concave, and (log g_r)' = -(1 - ρ)/(1 + ρ) with ρ = erfcx(z')/erfcx(z): its slope is in (-1, 1).
"""

import math
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.special import erfc, erfcx

ROOT2: Final = math.sqrt(2)
QUARTER: Final = -2 * math.log(2)
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


def slope(y: Any, deviation: float) -> Any:
    """(log g_r)' at y >= 0, in (-1, 0]."""
    return np.tanh(log_fall(y, deviation) / 2)


def log_density(y: Any, deviation: float) -> Any:
    """log g_r(y), y >= 0; r = 0 is the noise alone."""
    if deviation == 0:
        return -math.log(2) - y
    parts = _parts(y, deviation)
    return QUARTER + np.where(parts.beyond, deviation**2 / 2 - y, -np.square(y / deviation) / 2) + parts.rest


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
class LogRatio:
    """log g_r(y - m)/g_R(y) for 0 <= m <= y and R² = r² + κ²; value ± error."""

    value: float
    error: float


def log_ratio(y: float, shift: float, inner: float, outer: float, spread: float) -> LogRatio:
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
    return LogRatio(math.fsum(terms), error + 8 * UNIT * sum(map(abs, terms)))


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
