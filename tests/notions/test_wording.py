"""What is said in words is kept by its epsilon and by no greater double, and what epsilon says is implied by it."""

from collections.abc import Callable
from decimal import localcontext
from fractions import Fraction
from math import inf, nextafter
from typing import Any, Final

from hypothesis import assume, example, given, strategies as st
from mpmath import mp, mpf, workdps

from dalenius.notions import wording

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


WORDS: dict[str, Callable[[], str]] = {
    "2": lambda: wording.folds(0.6931471805599453),
    "2.719": lambda: wording.folds(1.0),
    "4.852e+8": lambda: wording.folds(20.0),
    "e^200000": lambda: wording.folds(2e5),
    "2 %": lambda: wording.percent(0.02),
    "99.995 %": lambda: wording.percent(0.99995),
    "1.00e-7 %": lambda: wording.percent(1e-9),
    "5.44 %": lambda: wording.percent(wording.raised(0.02, 1.0)),
    "a chance may become certainty": lambda: wording.sentence(False, inf),
    "the odds between two values change without bound": lambda: wording.sentence(True, inf),
    "no chance grows": lambda: wording.sentence(False, 0.0),
    "no chance grows more than 22030-fold, one of 0.001 % stays at or below 22.1 %": lambda: wording.sentence(
        False, 10.0, 0.5
    ),
}


def test_words() -> None:
    for words, said in WORDS.items():
        assert said() == words


def test_the_example() -> None:
    """The last bits of a prior probability do not show, and what is as good as certain is no example."""
    shown = {None: 0.01, 0.07000000000000002: 0.07, 0.1875: 0.188, 0.0: 0.01, 1.0: 0.01, 0.99951: 0.99951}
    for chance, said in shown.items():
        assert wording.example(chance) == said


def test_whatever_context_the_caller_has() -> None:
    before = wording.epsilon_of_factor(2.0), wording.folds(1e-9), wording.percent(0.123456)
    with localcontext() as context:
        context.prec = 3
        assert (wording.epsilon_of_factor(2.0), wording.folds(1e-9), wording.percent(0.123456)) == before
