"""Mean and covariance, Mardia's statistics, and bounds on moments, against their definitions."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dalenius.certificates import independent_delta
from dalenius.certificates.fit import fit_moments
from dalenius.fitting import GaussianFit, fit_gaussian
from dalenius.laws.law import Array

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
