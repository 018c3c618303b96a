"""How often Kolmogorov's distance counts: once for a half-line, twice for an interval, k times for k ends."""

from math import exp

import numpy as np
import pytest
from scipy.special import ndtr

from dalenius.certificates import Approximation


def _plain(near: Approximation, epsilon: float, ends: int) -> float:
    half, rest = near.range / near.deviation / 2, epsilon * near.deviation / near.range
    normal = ndtr(half - rest) - exp(epsilon) * ndtr(-half - rest)
    return float(normal + ends * (1 + exp(epsilon)) * near.distance)


def test_once_is_not_enough_for_an_interval() -> None:
    """F = Φ - d at x and Φ + d at x + h, by what is moved over each; mass d from there goes far above."""
    d, h, epsilon = 0.01, 0.3, 0.4
    x = epsilon / h - h / 2

    def cdf(y: float) -> float:
        below = ndtr(y)
        if y < x:
            return float(min(below, ndtr(x) - d))
        if y < x + h:
            return float(min(max(below, ndtr(x) - d), ndtr(x + h) + d)) if y > x else float(ndtr(x) - d)
        if y < 1e6:
            return float(min(max(below, ndtr(x + h) + d), 1 - d))
        return 1.0

    places = np.concatenate([np.linspace(-8, 8, 20_001), [x, x + h]])
    values = [cdf(y) for y in np.sort(places)]
    assert np.all(np.diff(values) >= 0)
    assert max(abs(cdf(y) - ndtr(y)) for y in places) <= d * (1 + 1e-9)
    far = 50.0
    told = (cdf(far) - cdf(x)) - exp(epsilon) * (cdf(far + h) - cdf(x + h))
    near = Approximation(1.0, d, h)
    normal = _plain(near, epsilon, 0)
    assert told == pytest.approx(normal + 2 * exp(epsilon) * d, rel=1e-9)
    assert told > normal + (1 + exp(epsilon)) * d
    assert told <= _plain(near, epsilon, 2)


def test_windows_of_dependent_records() -> None:
    """The normal part of two windows, by brute force over all intervals and directions, is at most that claimed."""
    places = np.linspace(-5, 5, 401)
    for size, width in ((2, 0.05), (3, 0.2), (5, 0.5)):
        claimed = Approximation(1.0, 0.0, width, size).delta(0.0, 2)
        slack = (size - 1) * width
        worst = 0.0
        for shift in (-width, 0.0, width):
            first, last = np.meshgrid(places, places)
            outer = np.where(last >= first, ndtr(last + slack - shift) - ndtr(first - shift), 0.0)
            inner = np.where(last - slack >= first, ndtr(last) - ndtr(first + slack), 0.0)
            worst = max(worst, float(np.max(outer - inner)))
        assert worst <= claimed * (1 + 1e-12)
        assert worst >= 0.98 * claimed
