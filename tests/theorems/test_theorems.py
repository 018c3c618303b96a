"""What may be said instead of NP Theorem 2 as printed: intervals, grids, moments that make sense.

Theorem 1 against the exact δ of a binomial count, and the inequalities of its proof.
"""

from itertools import product
from math import log, sqrt

import mpmath
import numpy as np
import pytest
from mpmath import mp
from scipy.special import ndtr

import dalenius as dl
from dalenius.errors import InputError
from dalenius.gaussian.quantities import of_gaussian
from dalenius.theorems import (
    Approximation,
    approximation_of,
    bernoulli_delta,
    bernoulli_epsilon,
    bernoulli_formula,
    certify,
    most_thresholds,
    theorem_epsilon,
)
from dalenius.theorems.moment_model import Moments
from papers.noiseless.bits import chernoff_formula
from tests.conformance.comparison import assert_contains, enclosure
from tests.reference.intervals import bits_delta

MILLION = Moments(n=10**6, variance=0.25 * (1 - 1e-6), third=0.125, fourth=0.0625, range=1)
"""X1 of 0 or ½, of variance 1/16; all others fair bits."""


def test_the_normal_part() -> None:
    """E7: Fact 1 makes it 5/(4√n); the printed 4/(5√n) is less; the exact one is below both while ε <= 1."""
    for n in (10, 100, 10**4, 10**6, 10**9):
        for spread in (0.5, 1.0, 2.0, 5.0, 50.0):
            epsilon = log(n) ** 0.5 / (spread * sqrt(n))
            if epsilon > 1:
                continue
            shift = 1 / (spread * sqrt(n))
            exact = of_gaussian(1 / (spread * sqrt(n)), epsilon).upper
            assert exact <= 4 / (5 * sqrt(n)) < 5 / (4 * sqrt(n))
            direct = ndtr(shift / 2 - epsilon / shift) - np.exp(epsilon) * ndtr(-shift / 2 - epsilon / shift)
            assert exact == pytest.approx(direct, rel=1e-6, abs=1e-15)
    assert theorem_epsilon(MILLION) == pytest.approx(sqrt(log(10**6) / (10**6 * MILLION.variance)), rel=1e-14)


def test_certify_tells_each_theorem_or_why_not() -> None:
    found = {each.name: each for each in certify(MILLION, 0.1)}
    assert found["independent_sum"].certificate is not None
    assert found["local_dependence"].certificate is not None
    few = {each.name: each for each in certify(Moments(n=20, variance=0.25, range=1))}
    assert few["local_dependence"].certificate is None
    assert "model.n: 20, wanted more people" in few["local_dependence"].why
    linked = {each.name: each for each in certify(MILLION.model_copy(update={"neighbourhood": 2}))}
    assert "model.neighbourhood: 2, wanted 1" in linked["independent_sum"].why


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


def test_moments_that_attain_the_inequalities_are_kept() -> None:
    assert Moments(n=10, variance=4, third=8, fourth=16, range=4).third_moment == 8
    assert Moments(n=10, variance=0.3 * 0.3, third=0.3**3, range=1)
    assert Moments(n=10, neighbourhood=4, variance=1, third=0.125, fourth=0.0625, range=1)


def test_what_the_range_allows() -> None:
    """The worst third and fourth moments, over all laws of two values a range apart."""
    model = Moments(n=10, variance=1, range=2)
    chances = [step / 1000 for step in range(1, 1000)]
    third = max(p * (1 - p) * (p**2 + (1 - p) ** 2) * 8 for p in chances)
    fourth = max(p * (1 - p) * (p**3 + (1 - p) ** 3) * 16 for p in chances)
    assert third <= model.third_moment <= third * 1.001
    assert fourth <= model.fourth_moment <= fourth * 1.001
    assert Moments(n=10, variance=1, third=1.0, range=2).fourth_moment <= fourth * 1.001
    assert Moments(n=10, variance=0.1, third=0.1, range=2).fourth_moment == pytest.approx(0.2)
    assert Moments(n=10, variance=0.1, fourth=0.1, range=2).third_moment == pytest.approx(0.1**0.75)


BITS = Moments(n=10**6, variance=0.25, third=0.125, fourth=0.0625, range=1)


def test_the_finest_grid_of_a_promise() -> None:
    near = approximation_of(BITS)
    most = most_thresholds(near, 0.1, 0.02)
    assert near.delta(0.1, most) <= 0.02 < near.delta(0.1, most + 1)
    assert most_thresholds(near, 0.1, 1e-9) == 0
    for epsilon, delta, line in (
        (-1, 0.1, "^epsilon: -1, wanted a finite number"),
        (0.1, 0, "^delta: 0, wanted a number above"),
    ):
        with pytest.raises(InputError, match=line):
            most_thresholds(near, epsilon, delta)


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


SIZES = [1, 2, 3, 5, 10, 30, 100, 300, 1000, 5000, 30_000, 200_000, 1_000_000]
CHANCES = [1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.41, 0.5, 0.7, 0.95, 0.999]
EPSILONS = [1e-3, 0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0]
GRID = list(product(SIZES, CHANCES, EPSILONS))


@pytest.mark.slow
def test_never_below_the_exact_delta() -> None:
    assert len(GRID) >= 2000
    for n, p, epsilon in GRID:
        exact = bits_delta(n, p, epsilon)
        assert bernoulli_formula(n, p, epsilon) >= exact, (n, p, epsilon)
        assert chernoff_formula(n, p, epsilon) >= bernoulli_formula(n, p, epsilon)


@pytest.mark.slow
def test_a_larger_exponent_would_be_wrong() -> None:
    wrong = [(n, p, e) for n, p, e in GRID if 2 * (bernoulli_formula(n, p, e) / 2) ** 4 < bits_delta(n, p, e)]
    assert wrong


def test_the_reference_by_enumeration() -> None:
    """The likelihood ratio's crossing is where mpmath, summing all counts, finds it."""
    for n, p, epsilon in [(7, 0.3, 0.2), (60, 0.05, 1.0), (400, 0.8, 0.1)]:
        with mpmath.workdps(40):
            chance, ratio = mpmath.mpf(p), mpmath.exp(epsilon)
            rest = [mpmath.binomial(n - 1, k) * chance**k * (1 - chance) ** (n - 1 - k) for k in range(n)]
            one, zero = [mpmath.mpf(0), *rest], [*rest, mpmath.mpf(0)]
            both = [
                sum(max(a - ratio * b, 0) for a, b in zip(x, y, strict=True)) for x, y in ((one, zero), (zero, one))
            ]
        assert bits_delta(n, p, epsilon) == pytest.approx(float(max(both)), rel=1e-10)


def test_refused_in_one_line() -> None:
    for call, line in (
        (lambda: bernoulli_epsilon(100, 0.95, 0.01), r"^delta: 0.01, wanted above 2 exp.* s = .*0.162.*"),
        (lambda: bernoulli_epsilon(100, 0.5, 1.0), "^delta: 1.0, wanted a number above 0 and below 1"),
        (lambda: bernoulli_delta(10, 1.0, 1.0), "^p: 1.0, wanted a probability above 0 and below 1"),
        (lambda: bernoulli_delta(10, 0.5, -1.0), "^epsilon: -1.0, wanted a finite number"),
        (lambda: bernoulli_delta(10, 0.01, 1.0), "^n: 10, wanted more people.* delta 1.9.*says nothing"),
    ):
        with pytest.raises(InputError, match=line) as caught:
            call()  # type: ignore[no-untyped-call]
        assert "\n" not in str(caught.value)
