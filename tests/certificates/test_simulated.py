"""Certificates from moments against simulated sums: no interval tells two values apart by more."""

from math import exp, log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from dalenius import Moments
from dalenius.certificates import dependent_delta, independent_delta

RUNS = 200_000
SURE = 1e-9
"""The chance that a true certificate fails here."""


def worst_interval(one: NDArray[np.float64], other: NDArray[np.float64], epsilon: float) -> float:
    """The largest excess Pr[one in I] - e^epsilon Pr[other in I] over intervals I, of the two samples."""
    values = np.concatenate([one, other])
    gains = np.concatenate([np.full(one.size, 1 / one.size), np.full(other.size, -exp(epsilon) / other.size)])
    distinct, place = np.unique(values, return_inverse=True)
    walk = np.concatenate([[0.0], np.cumsum(np.bincount(place, weights=gains, minlength=distinct.size))])
    return float(np.max(walk - np.minimum.accumulate(walk)))


def slack(epsilon: float) -> float:
    """Both empirical laws are within sqrt(ln(4/SURE)/2·RUNS) of the true ones, twice each (Dvoretzky, Kiefer and
    Wolfowitz; Massart)."""
    return 2 * (1 + exp(epsilon)) * sqrt(log(4 / SURE) / (2 * RUNS))


@pytest.mark.parametrize(("n", "epsilon"), [(60, 0.0), (60, 0.3)])
def test_independent_records(n: int, epsilon: float) -> None:
    """Uniform on 0 .. 10; one of them is known to be 10, or 0."""
    generator = np.random.default_rng(n)
    others = sum(generator.integers(0, 11, size=RUNS).astype(np.float64) for _ in range(n - 1))
    again = sum(generator.integers(0, 11, size=RUNS).astype(np.float64) for _ in range(n - 1))
    third = float(np.mean(np.abs(np.arange(11) - 5.0) ** 3))
    certificate = independent_delta(Moments(n=n, variance=10.0, third=third, range=10), epsilon)
    seen = worst_interval(10 + np.asarray(others), np.asarray(again), epsilon)
    assert seen <= certificate.delta + slack(epsilon)
    assert seen > slack(epsilon)  # a promise of nothing would be refuted


def test_records_that_depend_on_their_neighbours() -> None:
    """X_j = C_j + C_(j+1) of fair coins: 1-dependent, neighbourhoods of three. Record 1 is known to be 2, or 0."""
    n, epsilon = 40_000, 0.1
    generator = np.random.default_rng(7)
    # Σ X_j = C_0 + 2 ΣC_j + C_n; given X_1 = 2 the first two coins are 1, given 0 they are 0.
    inner, last = (generator.binomial(count, 0.5, size=(2, RUNS)).astype(np.float64) for count in (n - 2, 1))
    high, low = 1 + 2 * (1 + inner[0]) + last[0], 2 * inner[1] + last[1]
    moments = Moments(n=n, neighbourhood=3, variance=(4 * (n - 1) + 2) / (4 * n), third=0.5, fourth=0.5, range=2)
    certificate = dependent_delta(moments, epsilon)
    seen = worst_interval(high, low, epsilon)
    assert 0 < seen <= certificate.delta + slack(epsilon)
