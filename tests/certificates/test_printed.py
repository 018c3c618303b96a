"""Errata E6 and E7: NP Theorem 2 as printed, and what may be said instead."""

from math import log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom

from dalenius.certificates import (
    certify,
    dependent_delta,
    fact_delta,
    gaussian_sum_delta,
    independent_delta,
    printed_delta,
    printed_formula,
    theorem_epsilon,
)
from dalenius.certificates.model import Moments
from dalenius.errors import InputError
from tests.reference.intervals import Array, of_all, of_intervals

MILLION = Moments(n=10**6, variance=0.25 * (1 - 1e-6), third=0.125, fourth=0.0625, range=1)
"""X1 of 0 or ½, of variance 1/16; all others fair bits."""


def half_bit(n: int) -> tuple[Array, Array]:
    """The laws of the sum on the half-integers, given X1 = 0 and X1 = ½."""
    bits = binom(n - 1, 0.5).pmf(np.arange(n))
    zero, half = np.zeros(2 * n), np.zeros(2 * n)
    zero[::2], half[1::2] = bits, bits
    return zero, half


def test_half_a_bit_is_seen_through() -> None:
    """E6: promised (.0074, .0030); the fraction of the sum is X1."""
    printed = printed_delta(MILLION)
    assert (printed.epsilon, printed.delta) == pytest.approx((0.0074, 0.00305), rel=1e-2)
    assert not printed.sound
    assert "E6" in printed.why
    zero, half = half_bit(10**6)
    assert of_all(zero, half, printed.epsilon) == pytest.approx(1.0, abs=1e-9)


def test_intervals_do_keep_it() -> None:
    zero, half = half_bit(10**6)
    ours = independent_delta(MILLION)
    assert ours.events == "intervals"
    for law, other in ((zero, half), (half, zero)):
        found = of_intervals(law, other, ours.epsilon)
        assert 0.3 * ours.delta < found <= ours.delta


def test_the_normal_part() -> None:
    """E7: Fact 1 makes it 5/(4√n); the printed 4/(5√n) is less; the exact one is below both while ε <= 1."""
    for n in (10, 100, 10**4, 10**6, 10**9):
        for spread in (0.5, 1.0, 2.0, 5.0, 50.0):
            epsilon = log(n) ** 0.5 / (spread * sqrt(n))
            if epsilon > 1:
                continue
            shift = 1 / (spread * sqrt(n))
            exact = gaussian_sum_delta(n * spread**2, 1.0, epsilon).delta
            assert exact <= 4 / (5 * sqrt(n)) < fact_delta(n)
            direct = ndtr(shift / 2 - epsilon / shift) - np.exp(epsilon) * ndtr(-shift / 2 - epsilon / shift)
            assert exact == pytest.approx(direct, rel=1e-6, abs=1e-15)
    assert theorem_epsilon(MILLION) == pytest.approx(sqrt(log(10**6) / (10**6 * MILLION.variance)), rel=1e-14)


def test_beyond_epsilon_one_the_printed_normal_part_is_too_small() -> None:
    """Few people, or little variance: nothing in the theorem says ε < 1."""
    n, spread = 10, 0.03
    epsilon = sqrt(log(n)) / (spread * sqrt(n))
    assert epsilon > 1
    assert gaussian_sum_delta(n * spread**2, 1.0, epsilon).delta > 4 / (5 * sqrt(n))


def test_the_moments_of_example_1_do_not_exist() -> None:
    with pytest.raises(InputError, match=r"third at least variance\^\(3/2\) = 8 \(Lyapunov; it is 3\)"):
        Moments(n=10_000, variance=4, third=3, range=30)
    epsilon = 30 * sqrt(log(10_000) / (10_000 * 4))
    assert epsilon == pytest.approx(0.4552, abs=1e-4)
    assert printed_formula(10_000, 4, 3, epsilon) == pytest.approx(0.0188, abs=1e-4)
    assert printed_formula(10_000, 4, 8, epsilon) == pytest.approx(0.0369, abs=1e-4)
    nearest = Moments(n=10_000, variance=4, third=8, range=30)
    assert independent_delta(nearest, epsilon).delta < 0.04


def test_neighbourhoods_are_not_enough_for_dependent_records() -> None:
    """R_k and R_k T depend on nobody else's vector, but the sum is (1 + T) Σ R_k: 0 half of the time.

    With one more record X0 of 0 or 1, the interval [½, 3/2] has probability ½ given X0 = 1, and 0 given X0 = 0. NP
    Definition 4 has D = 2, and what Stein's method would then claim is less.
    """
    pairs = 10_000_000
    moments = Moments(n=2 * pairs + 1, neighbourhood=2, variance=1 - 1e-6, third=1, fourth=1, range=2)
    claimed = dependent_delta(moments, 0.1)
    assert claimed.delta < 0.25
    assert "dependency graph" in claimed.hypotheses[0]
    small = 4
    signs = np.array(np.meshgrid(*[[-1, 1]] * (small + 1))).reshape(small + 1, -1)
    records = np.array([row for sign in signs[:-1] for row in (sign, sign * signs[-1])])
    assert np.mean(records.sum(axis=0) == 0) >= 0.5
    for row in range(len(records)):
        others = [each for each in range(len(records)) if each // 2 != row // 2]
        _assert_independent(records[row], records[others])


def _assert_independent(record: NDArray[np.int64], others: NDArray[np.int64]) -> None:
    """Of equally likely columns."""
    rows, counts = np.unique(others, axis=1, return_counts=True)
    for column, count in zip(rows.T, counts, strict=True):
        same = np.all(others == column[:, None], axis=0)
        assert 2 * np.count_nonzero(same & (record == 1)) == count


def test_certify_tells_each_theorem_or_why_not() -> None:
    found = {each.name: each for each in certify(MILLION, 0.1)}
    assert found["independent_sum"].certificate is not None
    assert found["local_dependence"].certificate is not None
    assert found["theorem_2_as_printed"].certificate is not None
    few = {each.name: each for each in certify(Moments(n=20, variance=0.25, range=1))}
    assert few["local_dependence"].certificate is None
    assert "model.n: 20, wanted more people" in few["local_dependence"].why
    linked = {each.name: each for each in certify(MILLION.model_copy(update={"neighbourhood": 2}))}
    assert "model.neighbourhood: 2, wanted 1" in linked["independent_sum"].why


def test_refused() -> None:
    for arguments, line in (((0.0, 1.0, 1.0), "^variance: 0.0"), ((1.0, float("inf"), 1.0), "^range: inf")):
        with pytest.raises(InputError, match=line):
            gaussian_sum_delta(*arguments)
