"""The brute force of Bayesian differential privacy against what can be seen by eye."""

from fractions import Fraction

import pytest

from tests.reference.bayesian import Knowing, bayesian, between, given, known_sets
from tests.reference.channel import Noise, mp
from tests.reference.joints import independent, table
from tests.reference.noises import geometric, laplace

HALF = Fraction(1, 2)
XOR = table([(a, b, a ^ b) for a in (0, 1) for b in (0, 1)], [Fraction(1, 4)] * 4)


def count(_: int, value: int) -> tuple[int]:
    return (value,)


@pytest.mark.parametrize("noise", [laplace(2), geometric(2)])
def test_independent_records_leak_their_own_only(noise: Noise) -> None:
    bits = independent([{0: HALF, 1: HALF}, {0: Fraction(1, 10), 1: Fraction(9, 10)}])
    assert abs(bayesian(Knowing(bits, count, noise)).leakage.value - HALF) < 1e-50


def test_who_knows_one_of_three_knows_the_others_are_equal_or_not() -> None:
    found = bayesian(Knowing(XOR, count, laplace(1)))
    assert abs(found.leakage.value - 2) < 1e-50
    assert len(found.known) == 1
    nothing_known = between(XOR, count, laplace(1), 0, {}, 0, 1)
    assert mp.nstr(nothing_known.value, 7) == "1.433781"  # Theory §12


def test_known_sets_that_cannot_be_are_left_out() -> None:
    assert len(list(known_sets(XOR, 0))) == 1 + 2 + 2 + 4
    pair = table([(0, 0), (1, 1)], [HALF, HALF])
    assert list(known_sets(pair, 0)) == [{}, {1: 0}, {1: 1}]
    assert given(pair, {1: 1}) == {(1, 1): 1}
