"""Sums over outputs when part of every likelihood is left out (Result 20.13)."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.arrays import Array
from dalenius.laws.integrals.convex_functionals import Functional, HockeyStick, Information, Vulnerability
from dalenius.laws.integrals.expected_gain import ExpectedGain, Quadratic
from tests.pace import draws

GUESSES = np.log(np.array([[1.0, 0.5, 1e-9], [0.1, 1.0, 0.3], [0.2, 0.2, 1.0]]))
FUNCTIONALS: dict[str, Callable[[Array], Functional]] = {
    "information": Information,
    "vulnerability": Vulnerability,
    "gain": lambda prior: ExpectedGain(prior, GUESSES[:, : len(prior)]),
    "gini": Quadratic,
    "stick 0": lambda prior: HockeyStick(0, 1, 0.0),
    "stick 2": lambda prior: HockeyStick(1, 0, 2.0),
}
MASSES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1e-12, 1.0]), min_size=15, max_size=15)


def likelihoods(drawn: list[float], secrets: int) -> Array:
    found = np.array(drawn).reshape(3, 5)[:secrets] + 1e-30
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def total(functional: Functional, masses: Array) -> float:
    with np.errstate(divide="ignore"):
        return float(np.sum(functional.at(np.log(masses))))


@pytest.mark.parametrize("name", FUNCTIONALS)
@given(
    MASSES, MASSES, st.sampled_from([1e-12, 1e-6, 0.01, 0.3]), st.sampled_from([0.5, 0.9, 0.999999]), st.integers(2, 3)
)
@example([1.0, 0, 0, 0, 0] * 3, [0, 1.0, 0, 0, 0] + [0.0] * 10, 0.3, 0.5, 2)
@example([1.0, 0, 0, 0, 0] * 3, [0, 1.0, 0, 0, 0, 0, 0, 1.0, 0, 0] + [0.0] * 5, 0.01, 0.9, 2)  # by secret
@draws(200)
def test_what_is_left_out_is_counted(
    name: str, kept: list[float], out: list[float], share: float, likely: float, secrets: int
) -> None:
    """Different shares of the secrets, so that what is left out says something of them."""
    prior = np.log(np.array([likely, 1 - likely] if secrets == 2 else [likely / 2, likely / 2, 1 - likely]))
    lost = share * np.linspace(0.2, 1.0, secrets)
    inside = likelihoods(kept, secrets) * (1 - lost[:, None])
    functional = FUNCTIONALS[name](prior)
    less, more = functional.without(lost)
    found, true = total(functional, inside), total(functional, inside + likelihoods(out, secrets) * lost[:, None])
    assert found - less - 1e-13 <= true <= found + more + 1e-13
