"""The belief about who is missing: Bayes' rule to the last digits, answer by answer, however unlikely people become."""

from fractions import Fraction
from math import log

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import InputError
from dalenius.composition import Belief, prior_belief, uniform_belief
from dalenius.tallies import LeftOut, left_out_of
from tests.reference import belief as reference

Step = tuple[list[int], int, Fraction]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[int], list[Step]]:
    """Prior weights, and steps of (answers by person, output, scale)."""
    people = draw(st.integers(2, 6))
    weights = draw(
        st.lists(st.integers(0, 50), min_size=people, max_size=people).filter(lambda w: np.count_nonzero(w) > 1)
    )
    answers = st.lists(st.integers(-9, 9), min_size=people, max_size=people)
    scales = st.fractions(Fraction(1, 4), 40, max_denominator=8)
    steps = st.lists(st.tuples(answers, st.integers(-30, 30), scales), min_size=1, max_size=5)
    return weights, draw(steps)


@pytest.mark.slow
@given(histories())
def test_every_update_is_bayes_rule(history: tuple[list[int], list[Step]]) -> None:
    weights, steps = history
    first = truth = [mpmath.mpf(w) / sum(weights) for w in weights]
    believed = prior_belief(np.array(weights) / sum(weights))
    for answers, output, scale in steps:
        truth = reference.posterior(truth, answers, output, scale)
        believed = believed.after(left_out_of(answers), output, float(scale))
        check(believed, first, truth)
    assert believed.answers == len(steps)


def check(believed: Belief, first: list[mpmath.mpf], truth: list[mpmath.mpf]) -> None:
    possible = [(f, t) for f, t in zip(first, truth, strict=True) if f > 0]
    ratios = [mpmath.log(t / f) for f, t in possible]
    found = believed.log_ratio[believed.possible]
    assert believed.error < 1e-11
    assert all(abs(mine - theirs) <= believed.error for mine, theirs in zip(found, ratios, strict=True))
    assert believed.raised.lower <= max(ratios) <= believed.raised.upper
    assert believed.lowered.lower <= -min(ratios) <= believed.lowered.upper
    assert believed.least.lower <= min(t for _, t in possible) <= believed.least.upper
    assert believed.greatest.lower <= max(truth) <= believed.greatest.upper
    assert believed.posterior == pytest.approx([float(t) for t in truth], rel=1e-10)


def test_nobody_underflows() -> None:
    """After a hundred answers of little noise the second person's probability is e^-4000, and its log is right."""
    believed = uniform_belief(2)
    for _ in range(100):
        believed = believed.after(left_out_of([0, 1]), 0, 0.025)
    assert believed.log_posterior[1] == pytest.approx(-4000, rel=1e-12)
    assert believed.posterior[0] == 1
    for _ in range(100):
        believed = believed.after(left_out_of([0, 1]), 1, 0.025)
    assert believed.posterior == pytest.approx([0.5, 0.5], abs=believed.error)
    assert believed.error < 1e-9


def test_small_differences_of_large_answers_count() -> None:
    """Means over a million people differ in the seventh digit: subtracting doubles would lose the answer."""
    apart = Fraction(1, 10**15)
    believed = uniform_belief(2).after(left_out_of([Fraction(10**9), 10**9 + apart]), 10**9 + apart, 1e-15)
    assert believed.posterior[1] == pytest.approx(1 / (1 + float(mpmath.exp(-1))), rel=1e-12)


def test_a_float_is_the_decimal_it_is_written_as() -> None:
    first, second = (uniform_belief(2).after(left_out_of([0, 1]), output, 1.0) for output in (0.1, Fraction(1, 10)))
    assert (first.log_ratio == second.log_ratio).all()


def test_people_of_prior_0_stay_at_0_and_are_no_secrets() -> None:
    believed = prior_belief([0.5, 0.5, 0.0]).after(left_out_of([0, 1, 9]), 9, 1.0)
    assert believed.posterior[2] == 0
    assert believed.least.lower == pytest.approx(1 / (1 + float(mpmath.e)))
    assert believed.raised.upper == pytest.approx(log(2 / (1 + float(mpmath.exp(-1)))))


def test_what_is_refused() -> None:
    pair = left_out_of([0, 1])
    counted = LeftOut(Fraction(0), np.array([0.0, 1.0]), np.array([1, 1]))
    for call, said in (
        (lambda: uniform_belief(1), "prior: 1, wanted two people or more"),
        (lambda: prior_belief([1.0]), "prior: [1.0], wanted a probability each of two people or more"),
        (lambda: prior_belief([1.0, 0.0]), "prior: [1.0, 0.0], wanted nobody at 1: who is absent is known already"),
        (lambda: prior_belief([0.5, 0.4]), "prior: sums to 0.9, wanted probabilities that sum to 1"),
        (lambda: prior_belief([float("nan"), 0.5]), "prior: [nan, 0.5], wanted probabilities of at least 0"),
        (lambda: uniform_belief(2).after(pair, 0, 0.0), "noise.scale: 0.0, wanted a finite number above 0"),
        (lambda: uniform_belief(2).after(pair, float("nan"), 1.0), "output: nan, wanted a finite number"),
        (
            lambda: uniform_belief(2).after(left_out_of([0, 1, 2]), 0, 1.0),
            "left_out.whose: 3 people, wanted the same 2 people as the belief",
        ),
        (lambda: uniform_belief(2).after(counted, 0, 1.0), "left_out.whose: missing, wanted the class of each person"),
    ):
        with pytest.raises(InputError) as refused:
            call()  # type: ignore[no-untyped-call]
        assert str(refused.value).startswith(said)
