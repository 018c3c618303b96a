"""Probabilities of being the absent one, and ε: both ways, never beyond what any table lets through."""

from collections.abc import Callable
from fractions import Fraction
from math import log

import pytest
from hypothesis import given, strategies as st

from dalenius import epsilon_for_identifiability, epsilon_for_posterior, identifiability_at, posterior_at
from dalenius.errors import InputError
from tests.cases import in_turn
from tests.reference.absent import extremes

PRIORS = st.floats(1e-9, 0.5)
EPSILONS = st.floats(1e-3, 8)


def test_nobody_above_one_in_five() -> None:
    """Ten people: odds of 1 to 9 may become 1 to 4."""
    assert epsilon_for_posterior(0.2, 0.1) == pytest.approx(log(9 / 4), rel=1e-15)
    assert posterior_at(log(9 / 4), 0.1) == pytest.approx(0.2, rel=1e-15)
    assert epsilon_for_posterior(0.2, 0.1, steps=2) == pytest.approx(log(9 / 4) / 2, rel=1e-15)


@given(prior=PRIORS, epsilon=EPSILONS, steps=st.sampled_from([0.5, 1, 2]))
def test_there_and_back(prior: float, epsilon: float, steps: float) -> None:
    rho = posterior_at(epsilon, prior, steps)
    assert epsilon_for_posterior(rho, prior, steps) == pytest.approx(epsilon, rel=1e-6)
    alpha, beta = identifiability_at(epsilon, prior, steps)
    assert epsilon_for_identifiability(alpha, beta, prior, steps) == pytest.approx(epsilon, rel=1e-6)
    assert epsilon_for_identifiability(alpha / 2, beta, prior, steps) < epsilon
    assert epsilon_for_identifiability(alpha, beta / 2, prior, steps) < epsilon


@in_turn(
    {
        "prior": [Fraction(1, 2), Fraction(1, 5), Fraction(1, 100)],
        "epsilon": [Fraction(1, 10), Fraction(1), Fraction(3)],
    }
)
def test_attained_by_a_table_of_two_answers(prior: Fraction, epsilon: Fraction) -> None:
    """One person on one side, everybody else on the other, Θ/λ = ε."""
    highest = extremes([Fraction(0), Fraction(1)], [prior, 1 - prior], 1 / epsilon)
    assert posterior_at(float(epsilon), float(prior)) <= float(highest[2]) * (1 + 1e-12)
    alpha, beta = identifiability_at(float(epsilon), float(min(prior, 1 - prior)))
    assert 1 + beta == pytest.approx(float(highest[0]), rel=1e-12)
    assert 1 - alpha == pytest.approx(float(highest[1]), rel=1e-12)


def test_refusals() -> None:
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: posterior_at(0.0, 0.1), "epsilon"),
        (lambda: posterior_at(1.0, 1.0), "prior"),
        (lambda: epsilon_for_posterior(0.1, 0.1), "rho"),
        (lambda: epsilon_for_posterior(0.5, 0.1, steps=0.0), "steps"),
        (lambda: epsilon_for_identifiability(1.0, 1.0, 0.1), "alpha"),
        (lambda: epsilon_for_identifiability(0.5, 0.0, 0.1), "beta"),
    ]
    for call, key in calls:
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.key == key
