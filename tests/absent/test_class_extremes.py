"""What one answer can do to the belief in each class, against all outputs; and the closed forms of DI Thm 2 and 3."""

from math import log, log1p

import pytest
from hypothesis import given, strategies as st
from mpmath import mp

from dalenius.absent.odds_bounds import identifiable_scale, odds_ratio_bound


@given(st.floats(1e-6, 0.999), st.floats(1e-6, 50), st.floats(0, 0.499))
def test_the_reach_is_the_paper_s(alpha: float, beta: float, least: float) -> None:
    with mp.workdps(40):
        a, b, p = mp.mpf(alpha), mp.mpf(beta), mp.mpf(least)
        first = mp.log((1 + p * (a - 1)) / ((1 - a) * (1 - p)))
        second = mp.log((1 + b) * (1 - p) / (1 - p * (1 + b))) if p * (1 + b) < 1 - mp.mpf("1e-9") else mp.inf
        truth = min(first, second)
        assert 3 / truth <= identifiable_scale(3.0, alpha, beta, least) <= 3 / truth * (1 + 1e-5)
    if least * (1 + beta) < 0.9:
        assert odds_ratio_bound(log1p(beta), -log1p(-alpha), least) == pytest.approx(float(truth), rel=1e-12)


def test_without_a_prior_it_is_theorem_2() -> None:
    assert identifiable_scale(5.0, 0.5, 1.0) == pytest.approx(5 / log(2))
    assert identifiable_scale(5.0, 0.2, 1.0) == pytest.approx(-5 / log(0.8))


def test_the_published_scale() -> None:
    """Sum of hours per week of 32,561 people: Θ = 98 at α = β = .008 (DI Fig 1d)."""
    assert identifiable_scale(98.0, 0.008, 0.008, 1 / 32561) == pytest.approx(12298.6, abs=0.1)
