"""Mixtures of normal laws fitted to rows that were drawn from one: what comes out, its likelihood, and refusals."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.fitting import MixtureFit, fit_mixture

AWAY, THERE = np.array([1.0, 1.0]), np.array([6.0, 5.0])
NEAR, WIDE = np.diag([0.25, 0.5]), np.array([[4.0, 2.0], [2.0, 3.0]])


def drawn(rows: int = 4000, share: float = 0.3) -> Array:
    random = np.random.default_rng(7)
    first = random.random(rows) < share
    away, there = (random.multivariate_normal(*law, rows) for law in ((AWAY, NEAR), (THERE, WIDE)))
    return np.where(first[:, None], away, there)


def fitted(data: Array, components: int = 2) -> MixtureFit:
    return fit_mixture({f"x{place}": column for place, column in enumerate(data.T)}, components)


def test_components_are_recovered_in_the_order_of_their_means() -> None:
    first, second = fitted(drawn()).section()["components"]
    assert first["weight"] == pytest.approx(0.3, abs=0.03)
    assert first["weight"] + second["weight"] == pytest.approx(1)
    assert first["mean"] == pytest.approx(AWAY, abs=0.08)
    assert second["mean"] == pytest.approx(THERE, abs=0.15)
    assert np.array(first["covariance"]) == pytest.approx(NEAR, abs=0.08)
    assert np.array(second["covariance"]) == pytest.approx(WIDE, abs=0.3)


def test_the_likelihood_is_by_definition_and_no_near_lie_has_more() -> None:
    data = drawn(1500)
    fit = fitted(data)

    def likelihood(weights: Any, means: Any, covariances: Any) -> float:
        laws = zip(weights, means, covariances, strict=True)
        return float(np.log(sum(w * stats.multivariate_normal(m, c).pdf(data) for w, m, c in laws)).sum())

    parts = fit.section()["components"]
    weights, means = [each["weight"] for each in parts], [np.array(each["mean"]) for each in parts]
    covariances = [np.array(each["covariance"]) for each in parts]
    assert fit.log_likelihood == pytest.approx(likelihood(weights, means, covariances), rel=1e-9)
    assert fit.log_likelihood > likelihood([0.3, 0.7], [AWAY, THERE], [NEAR, WIDE])
    for moved in (0.01, -0.01):
        assert fit.log_likelihood > likelihood([weights[0] + moved, weights[1] - moved], means, covariances)
        assert fit.log_likelihood > likelihood(weights, [means[0], means[1] + moved], covariances)
        assert fit.log_likelihood > likelihood(weights, means, [covariances[0] * (1 + 3 * moved), covariances[1]])


def test_units_do_not_matter_and_runs_are_alike() -> None:
    data = drawn(800)
    one, again, grams = fitted(data), fitted(data), fitted(data * 1000)
    assert one == again
    assert grams.gain == pytest.approx(one.gain, rel=1e-6)
    for own, other in zip(one.section()["components"], grams.section()["components"], strict=True):
        assert other["mean"] == pytest.approx(1000 * np.array(own["mean"]), rel=1e-5)


@pytest.mark.lengthy
def test_rows_of_one_law_do_not_ask_for_two() -> None:
    data = np.random.default_rng(2).multivariate_normal(AWAY, WIDE, 2000)
    fit = fitted(data)
    assert fit.gain < 0
    assert fit.in_words.startswith("2 normal laws fit no better than one")
    assert fitted(drawn()).in_words.startswith("2 normal laws fit better than one")


@pytest.mark.parametrize(
    ("columns", "components", "said"),
    [
        ({"a": [1, 2, 3, 4, 5]}, 1, "components: 1, wanted at least 2 (model gaussian has one)"),
        ({"a": [1, 2, 3, 4]}, 2, "rows: 4, wanted at least 6, 3 for each of 2 components"),
        ({"a": [1, 2, 3, 4, 5, "x"]}, 2, "column a: a text in row 6, wanted a number in every row"),
        ({"a": [1] * 6}, 2, "column a: one value, wanted at least two different values"),
        (
            {"a": [1] * 10 + [2] * 10 + [3]},
            3,
            "components: 3, wanted fewer: one of them has shrunk to too few rows to fit it",
        ),
    ],
)
def test_what_no_mixture_is_fitted_to(columns: dict[str, list[Any]], components: int, said: str) -> None:
    with pytest.raises(InputError) as caught:
        fit_mixture(columns, components)
    assert str(caught.value) == said
