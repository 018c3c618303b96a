"""Mean and covariance, Mardia's statistics, and bounds on moments, against their definitions.

What no law is fitted to, and in which words that is said.
"""

from collections.abc import Callable
from functools import partial
from math import nan
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dalenius.arrays import Array
from dalenius.errors import TooLarge
from dalenius.fitting import GaussianFit, fit_chain, fit_epidemic, fit_gaussian, fit_households, fit_network
from dalenius.fitting.households import MOST_MEMBERS
from dalenius.fitting.moments import fit_moments
from dalenius.theorems import independent_delta
from tests.cases import Refusals, check_refused

MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[2.0, 0.8, 0.0], [0.8, 1.0, -0.3], [0.0, -0.3, 0.5]])


def fitted(data: Array) -> GaussianFit:
    return fit_gaussian({f"x{place}": column for place, column in enumerate(data.T)})


def ratio(data: Array, mean: Array, covariance: Array) -> float:
    """2 (likelihood of the best normal law - likelihood of this one): chi-squared with 9 degrees for 3 columns."""
    best = stats.multivariate_normal(data.mean(axis=0), np.cov(data, rowvar=False, ddof=0))
    return 2 * float((best.logpdf(data) - stats.multivariate_normal(mean, covariance).logpdf(data)).sum())


def test_moments_are_recovered_and_near_lies_are_not() -> None:
    data = np.random.default_rng(1).multivariate_normal(MEAN, COVARIANCE, 5000)
    fit = fitted(data)
    section = fit.section()
    np.testing.assert_allclose(section["mean"], data.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(section["covariance"], np.cov(data, rowvar=False), rtol=1e-10)
    assert section["kind"] == "gaussian"
    assert (fit.observations, fit.columns, fit.smoothing) == (5000, ("x0", "x1", "x2"), None)
    limit = stats.chi2.ppf(0.999, 9)
    assert ratio(data, np.array(section["mean"]), np.array(section["covariance"])) < 1e-2
    assert ratio(data, MEAN, COVARIANCE) < limit
    assert ratio(data, MEAN + np.array([0.1, 0, 0]), COVARIANCE) > limit
    assert ratio(data, MEAN, COVARIANCE * 1.15) > limit
    law = stats.multivariate_normal(section["mean"], section["covariance"])
    assert fit.log_likelihood == pytest.approx(float(law.logpdf(data).sum()))


def test_mardia_by_its_double_sum() -> None:
    data = np.random.default_rng(2).exponential(size=(60, 3))
    centred = data - data.mean(axis=0)
    products = centred @ np.linalg.inv(np.cov(data, rowvar=False, ddof=0)) @ centred.T
    fit = fitted(data)
    assert fit.skewness.statistic == pytest.approx(60 * (products**3).mean() / 6)
    assert fit.skewness.degrees_of_freedom == 3 * 4 * 5 // 6
    kurtosis = ((np.diag(products) ** 2).mean() - 15) / np.sqrt(8 * 15 / 60)
    assert fit.kurtosis.statistic == pytest.approx(kurtosis**2)


Draw: TypeAlias = Callable[[np.random.Generator, int], NDArray[np.float64]]

LAWS: dict[str, tuple[Draw, float, float, float]] = {
    "uniform": (lambda random, m: random.random(m), 1 / 12, 1 / 32, 1 / 80),
    "rare": (lambda random, m: (random.random(m) < 0.02).astype(float), 0.0196, 0.0196 * 0.9608, 0.0196 * 0.9412),
    "fair": (lambda random, m: random.integers(0, 2, m).astype(float), 0.25, 0.125, 0.0625),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_bounds_hold_together_with_their_confidence(name: str) -> None:
    draw, variance, third, fourth = LAWS[name]
    random = np.random.default_rng(5)
    kept = naive = 0
    for _ in range(200):
        found = fit_moments(draw(random, 4000), 0, 1, confidence=0.9)
        model, own = found.model, found.estimates
        kept += model.variance <= variance and model.third_moment >= third * 0.999999 and model.fourth_moment >= fourth
        naive += own["variance"] <= variance and own["third"] >= third and own["fourth"] >= fourth
    assert kept >= 180
    assert naive < 180


def test_bounds_come_close_with_many_rows() -> None:
    random = np.random.default_rng(6)
    model = fit_moments(random.random(400_000) * 10, 0, 10, n=5000).model
    assert model.n == 5000
    assert model.variance == pytest.approx(100 / 12, rel=0.05)
    assert model.third_moment == pytest.approx(1000 / 32, rel=0.05)
    assert model.fourth_moment == pytest.approx(10_000 / 80, rel=0.05)
    assert independent_delta(model, 0.5).delta < 0.05


TWO: Any = {"a": [0, 1] * 10, "b": [0, 0, 1, 1] * 5}
HOMES: Any = {(2, 1): 5, (2, 0): 9}
STATES: Any = [0, 1, 1, 0]
LEVEL = "wanted a number above 0 and below 1"
REFUSED: Refusals = [
    (partial(fit_households, {(1, 0): 1}), "households: 1, wanted at least 2 households"),
    (
        partial(fit_households, {(1, 2): 3}),
        "households (1, 2): 3, wanted 0 to size infected, and a count of at least 0",
    ),
    (partial(fit_households, HOMES, 0.0), "smoothing: 0.0, wanted a finite number above 0"),
    *(
        (partial(fit, given, confidence=confidence), f"confidence: {confidence}, {LEVEL}")
        for fit, given, confidence in ((fit_households, HOMES, 95.0), (fit_chain, STATES, nan), (fit_network, TWO, 0.0))
    ),
    (partial(fit_chain, []), "sequences: none, wanted at least one sequence of at least 2 records"),
    (partial(fit_chain, [[0], [1]]), "sequences: one record in each, wanted a sequence of at least 2 records"),
    (partial(fit_chain, [3, 3, 3]), "value: one value, wanted at least two different values"),
    (partial(fit_chain, [0.0, nan]), "value: another cell in row 2, wanted a finite number or a text in every row"),
    (partial(fit_chain, [0, None]), "value: another cell in row 2, wanted a finite number or a text in every row"),
    (
        partial(fit_chain, range(257)),
        "value: 257 different values, wanted at most 256: group them first (limit fitting.values)",
    ),
    (partial(fit_network, {"a": [0, 1]}), "columns: a, wanted at least 2 columns"),
    (partial(fit_network, {"a": [0], "b": [1]}), "rows: 1, wanted at least 2 rows"),
    (
        partial(fit_network, {"a": [0, 1], "b": [0, 1, 1]}),
        "column b: 3 cells, wanted 2, as many as the first column has",
    ),
    (partial(fit_network, {"a": [0, 1], "b": [7, 7]}), "column b: one value, wanted at least two different values"),
    (partial(fit_gaussian, {}), "columns: none, wanted at least 1 columns"),
    (partial(fit_gaussian, {"a": ["x", "y", "z"]}), "column a: a text in row 1, wanted a number in every row"),
    (
        partial(fit_gaussian, {"a": [1, 2, 3, 5, 8], "b": [2, 4, 6, 10, 16]}),
        "columns: a, b, wanted columns that do not determine each other",
    ),
    (
        partial(fit_moments, [0, 2, 1], 0, 1),
        "value: another cell in row 2, wanted a number from 0 to 1, the public range, in every row",
    ),
    (partial(fit_moments, [0, 1], 1, 1), "range: [1, 1], wanted two finite ends…"),
    (
        partial(fit_moments, [0, 1] * 5, 0, 1),
        "rows: 10, wanted more, or less range: their deviation 0.527046 may be 0…",
    ),
]


def test_what_has_no_fit_is_refused() -> None:
    check_refused(REFUSED)


def test_what_is_too_large_is_refused() -> None:
    counts = {(MOST_MEMBERS + 1, 0): 3, (2, 1): 1}
    assert fit_households(counts).epidemic is None
    said = r"^an epidemic: a household of 31 is too large, fit households of at most 30 \(limit fitting.members: "
    with pytest.raises(TooLarge, match=said):
        fit_epidemic(counts)
