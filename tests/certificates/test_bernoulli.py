"""Theorem 1 against the exact δ of a binomial count, and the inequalities of its proof."""

from itertools import product
from math import log, sqrt

import mpmath
import pytest

from dalenius.certificates import (
    bernoulli_delta,
    bernoulli_epsilon,
    bernoulli_formula,
    chernoff_delta,
    chernoff_formula,
)
from dalenius.errors import InputError
from tests.reference.intervals import bits_delta

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


def test_published_number() -> None:
    assert bernoulli_delta(5000, 0.95, 0.5).delta == pytest.approx(5.28e-2, rel=1e-2)
    assert bits_delta(5000, 0.95, 0.5) == pytest.approx(2.3e-13, rel=1e-2)


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


def test_both_ways_are_inverses() -> None:
    for n, p, epsilon in GRID:
        delta = bernoulli_formula(n, p, epsilon)
        if 1e-300 < delta < 1 and sqrt(log(2 / delta) / (2 * n)) < min(p, 1 - p) * (1 - 1e-6):
            found = bernoulli_epsilon(n, p, delta).epsilon
            assert found == pytest.approx(epsilon, rel=1e-6)
            assert bernoulli_formula(n, p, found) <= delta * (1 + 1e-9)


def test_underflow_is_not_zero() -> None:
    assert bernoulli_delta(10**9, 0.5, 1.0).delta > 0


def test_refused_in_one_line() -> None:
    for call, line in (
        (
            lambda: bernoulli_epsilon(100, 0.95, 0.01),
            r"^delta: 0.01, wanted above 2 exp.* s = .*0.162.*",
        ),
        (lambda: bernoulli_epsilon(100, 0.5, 1.0), "^delta: 1.0, wanted a number above 0 and below 1"),
        (lambda: bernoulli_delta(10, 1.0, 1.0), "^p: 1.0, wanted a probability above 0 and below 1"),
        (lambda: bernoulli_delta(10, 0.5, -1.0), "^epsilon: -1.0, wanted a finite number"),
        (lambda: bernoulli_delta(10, 0.01, 1.0), "^n: 10, wanted more people.* delta 1.9.*says nothing"),
        (lambda: chernoff_delta(5000, 0.95, 0.5), "certificate chernoff has delta 1.057"),
    ):
        with pytest.raises(InputError, match=line) as caught:
            call()  # type: ignore[no-untyped-call]
        assert "\n" not in str(caught.value)
