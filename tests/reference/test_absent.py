"""The brute force of who is absent, against what can be worked out by hand."""

from fractions import Fraction

from tests.reference.absent import bounded_extremes, channel, extremes, posterior, vertices
from tests.reference.channel import mp
from tests.reference.leakages import information
from tests.reference.noises import laplace

HALF = Fraction(1, 2)


def test_two_people_far_apart() -> None:
    first, second = posterior([Fraction(0), Fraction(1)], [HALF, HALF], Fraction(0), laplace(1))
    assert abs(first - 1 / (1 + mp.exp(-1))) < mp.mpf("1e-50")
    assert abs(first + second - 1) < mp.mpf("1e-50")


def test_e5_after_one_answer() -> None:
    """E5's λ: exactly (1 - α, 1 + β) = (½, 3/2) of two people, by DI Thm 3."""
    most, least, highest = extremes([Fraction(0), Fraction(1)], [HALF, HALF], 1 / Fraction(str(mp.log(3))))
    assert abs(most - mp.mpf("1.5")) < mp.mpf("1e-40")
    assert abs(least - mp.mpf("0.5")) < mp.mpf("1e-40")
    assert abs(highest - mp.mpf("0.75")) < mp.mpf("1e-40")


def test_the_channel_says_the_same() -> None:
    answers, prior = [Fraction(n) for n in (1, 2, 2, 5)], [Fraction(n, 10) for n in (1, 2, 3, 4)]
    most, _, _ = extremes(answers, prior, Fraction(3))
    assert abs(information(channel(answers, prior, laplace(3))).value - mp.log(most)) < mp.mpf("1e-50")


def test_vertices_are_priors() -> None:
    found = list(vertices(4, Fraction(1, 10), HALF))
    assert all(sum(prior) == 1 and min(prior) >= Fraction(1, 10) and max(prior) <= HALF for prior in found)
    assert [HALF, Fraction(1, 10), Fraction(1, 10), Fraction(3, 10)] in found


def test_no_prior_within_the_bounds_is_worse_than_a_vertex() -> None:
    answers, low, high = [Fraction(n) for n in (0, 1, 3)], Fraction(1, 10), Fraction(6, 10)
    most, least, highest = bounded_extremes(answers, low, high, Fraction(2))
    for first in range(10, 61, 10):
        for second in range(10, 61, 10):
            prior = [Fraction(first, 100), Fraction(second, 100), Fraction(100 - first - second, 100)]
            if low <= prior[2] <= high:
                up, down, top = extremes(answers, prior, Fraction(2))
                assert up <= most and least <= down and top <= highest  # noqa: PT018
