"""Promises with a delta where two answers are hundreds of nats apart: what is beyond doubles is bounded, in silence."""

import pytest
from mpmath import mp

import dalenius as dl
from dalenius.certificates.theorems import printed_formula
from tests.conformance.comparison import assert_contains, enclosure


def least_epsilon(scale: float, delta: float) -> mp.mpf:
    """Of normal noise on a bit that is the answer: δ(ε) = Φ(1/2σ - εσ) - e^ε Φ(-1/2σ - εσ)."""
    sigma = mp.mpf(scale)

    def gap(epsilon: mp.mpf) -> mp.mpf:
        near, far = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        return mp.ncdf(near) - mp.exp(epsilon) * mp.erfc(-far / mp.sqrt(2)) / 2 - delta

    return mp.findroot(gap, 1 / (2 * sigma**2) + 3 / sigma)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.035, 0.012])
def test_normal_noise_far_smaller_than_what_it_hides(scale: float) -> None:
    release = dl.Release(dl.Independent(n=1, probabilities=[0.5]), dl.Sum(), dl.Gaussian(scale=scale))
    found = dl.InferentialPrivacy(delta=1e-3).leakage(release)
    with mp.workdps(60):
        assert_contains(enclosure(found), least_epsilon(scale, 1e-3))
    if scale >= 0.035:
        assert found.upper - found.lower <= 1e-6
    else:
        assert found.lower >= 500


def test_the_printed_theorem_says_nothing_past_doubles() -> None:
    assert printed_formula(1000, 1e-9, 1e-9, 2628.0) == mp.inf
