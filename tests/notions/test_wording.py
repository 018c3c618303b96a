"""What is said in words is kept by its epsilon and by no greater double, and what epsilon says is implied by it."""

from collections.abc import Callable
from decimal import localcontext
from fractions import Fraction
from math import inf, nextafter
from typing import Any, Final

import pytest
from hypothesis import assume, example, given, strategies as st
from mpmath import mp, mpf, workdps

from dalenius.notions.phrases import wording

TIMES = st.floats(1, 1e300, exclude_min=True) | st.floats(1, 1 + 1e-9, exclude_min=True) | st.sampled_from([2.0, 3.0])
CHANCES = st.floats(0, 1, exclude_min=True, exclude_max=True) | st.sampled_from([0.1, 0.2, 0.3, 0.5, 1e-300, 5e-324])
NATS = st.floats(0, 700) | st.floats(0, 1e-9) | st.sampled_from([0.0, 1.0, 0.6931471805599453])
PLACES: Final = 400  # the least double above 0, added to 1, is still seen


def exact(number: float) -> Any:
    """The decimal as written."""
    return mpf(repr(number))


def just_below(epsilon: float, truth: Any) -> None:
    assert mpf(epsilon) <= truth < mpf(nextafter(nextafter(epsilon, inf), inf))


@given(TIMES)
def test_factor(factor: float) -> None:
    with workdps(50):
        just_below(wording.epsilon_of_factor(factor), mp.log(exact(factor)))


@pytest.mark.parametrize("factor", [2.0, 2.5, 3.0, 10.0])
def test_rounded_down_by_less_than_one_double(factor: float) -> None:
    epsilon = wording.epsilon_of_factor(factor)
    with workdps(50):
        assert mp.exp(mpf(epsilon)) <= exact(factor) < mp.exp(mpf(nextafter(epsilon, inf)))


@given(CHANCES, CHANCES)
def test_from_to(start: float, end: float) -> None:
    assume(start < end)
    with workdps(PLACES):
        low, high = exact(start), exact(end)
        just_below(wording.epsilon_of_chances(start, end), mp.log(high / low))
        just_below(wording.epsilon_of_odds(start, end), mp.log(high / (1 - high) / (low / (1 - low))))


@given(CHANCES, st.floats(0, 0.999) | st.just(0.0))
def test_advantage(advantage: float, delta: float) -> None:
    epsilon = wording.epsilon_of_advantage(advantage, delta)
    if advantage <= delta:
        assert epsilon == 0
        return
    with workdps(PLACES):
        most, slack = exact(advantage), exact(delta)
        just_below(epsilon, mp.log((1 + most - 2 * slack) / (1 - most)))
        power = mp.exp(mpf(epsilon))
        assert (power - 1 + 2 * slack) / (power + 1) <= most * (1 + mpf(10) ** -45)
        if delta == 0:
            assert mp.tanh(mpf(epsilon) / 2) <= most


def test_randomised_response_attains_the_advantage() -> None:
    """Right with probability e^ε/(1 + e^ε): so that a guess that believes the answer has advantage tanh(ε/2)."""
    epsilon = wording.epsilon_of_advantage(0.05)
    with workdps(50):
        truth = mp.exp(mpf(epsilon)) / (1 + mp.exp(mpf(epsilon)))
        assert 0 <= mpf("0.525") - truth < 1e-15


@given(advantage=st.floats(0.01, 0.99), share=st.floats(0, 0.99))
def test_two_laws_attain_the_advantage_at_a_delta(advantage: float, share: float) -> None:
    """Randomised response that gives the secret away with probability delta: all within (ε, δ), and no less apart."""
    delta = share * advantage
    with workdps(50):
        power, slack = mp.exp(mpf(wording.epsilon_of_advantage(advantage, delta))), exact(delta)
        answers = (power / (1 + power), 1 / (1 + power))
        one = [slack, *((1 - slack) * each for each in answers), mpf(0)]
        other = one[::-1]
        excess = sum(max(a - power * b, 0) for a, b in zip(one, other, strict=True))
        assert abs(excess - slack) < mpf(10) ** -45
        variation = sum(max(a - b, 0) for a, b in zip(one, other, strict=True))
        assert 0 <= exact(advantage) - variation < mpf(10) ** -13


def close(value: Fraction, truth: Any) -> None:
    shown = mpf(value.numerator) / mpf(value.denominator)
    assert truth * (1 - mpf(10) ** -45) <= shown <= truth * (1 + mpf(10) ** -30)


@given(CHANCES, NATS)
def test_what_epsilon_says(chance: float, epsilon: float) -> None:
    with workdps(PLACES):
        power, start = mp.exp(mpf(epsilon)), exact(chance)
        close(wording.raised(chance, epsilon), min(start * power, mpf(1)))
        close(wording.raised_by_odds(chance, epsilon), start * power / (1 - start + start * power))


@given(NATS, st.floats(0, 0.999))
def test_right_guess(epsilon: float, delta: float) -> None:
    with workdps(50):
        power, slack = mp.exp(mpf(epsilon)), exact(delta)
        close(wording.right_guess(epsilon, delta), (1 + (power - 1 + 2 * slack) / (power + 1)) / 2)


@given(st.floats(0, 30), CHANCES)
@example(0.0, 0.0963)  # neither it nor a hundred times it is a number of so many digits
def test_printed_numbers_are_not_below(epsilon: float, chance: float) -> None:
    assert Fraction(wording.percent(chance).removesuffix(" %")) >= 100 * Fraction(repr(chance))
    with workdps(60):
        assert mpf(wording.folds(epsilon)) >= mp.exp(mpf(epsilon))
        assert mpf(wording.folds(epsilon)) <= mp.exp(mpf(epsilon)) * mpf("1.0011")


@given(CHANCES, CHANCES)
def test_back_again(start: float, end: float) -> None:
    """The promise in words implies epsilon, and epsilon the promise."""
    assume(1e-300 < start < end)
    written = Fraction(repr(end))
    for there, back in (
        (wording.epsilon_of_chances, wording.raised),
        (wording.epsilon_of_odds, wording.raised_by_odds),
    ):
        epsilon = there(start, end)
        assert back(start, epsilon) <= written * (1 + Fraction(1, 10**30))
        assert back(start, nextafter(nextafter(epsilon, inf), inf)) >= written


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (lambda: wording.folds(0.6931471805599453), "2"),
        (lambda: wording.folds(1.0), "2.719"),
        (lambda: wording.folds(0.01), "1.0101"),
        (lambda: wording.folds(20.0), "4.852e+8"),
        (lambda: wording.folds(2e5), "e^200000"),
        (lambda: wording.percent(0.02), "2 %"),
        (lambda: wording.percent(0.055), "5.5 %"),
        (lambda: wording.percent(0.99995), "99.995 %"),
        (lambda: wording.percent(1e-9), "1.00e-7 %"),
        (lambda: wording.percent(wording.raised(0.02, 1.0)), "5.44 %"),
        (lambda: wording.sentence(False, inf), "a chance may become certainty"),
        (lambda: wording.sentence(True, inf), "the odds between two values change without bound"),
        (lambda: wording.sentence(False, 0.0), "no chance grows"),
        (lambda: wording.sentence(True, 0.0), "the odds between two values do not change"),
        (
            lambda: wording.sentence(False, 10.0, 0.5),
            "no chance grows more than 22030-fold, one of 0.001 % stays at or below 22.1 %",
        ),
        (
            lambda: wording.sentence(True, 1.0, 0.02),
            "the odds between two values change at most 2.719-fold, a chance of 2 % stays at or below 5.26 %",
        ),
    ],
)
def test_words(said: Callable[[], str], words: str) -> None:
    assert said() == words


@pytest.mark.parametrize(
    ("chance", "shown"),
    [(None, 0.01), (0.07000000000000002, 0.07), (0.1875, 0.188), (0.0, 0.01), (1.0, 0.01), (0.99951, 0.99951)],
)
def test_the_example(chance: float | None, shown: float) -> None:
    """The last bits of a prior probability do not show, and what is as good as certain is no example."""
    assert wording.example(chance) == shown


def test_whatever_context_the_caller_has() -> None:
    before = wording.epsilon_of_factor(2.0), wording.folds(1e-9), wording.percent(0.123456)
    with localcontext() as context:
        context.prec = 3
        assert (wording.epsilon_of_factor(2.0), wording.folds(1e-9), wording.percent(0.123456)) == before
