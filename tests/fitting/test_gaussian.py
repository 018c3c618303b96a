"""Mean and covariance, and Mardia's statistics, against their definitions."""

import numpy as np
import pytest
from scipy import stats

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
