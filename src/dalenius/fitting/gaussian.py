"""Mean and covariance of numeric columns, and Mardia's tests of normality (Biometrika 57, 1970)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, pi, sqrt
from typing import Any, final

import numpy as np

from dalenius.errors import InputError
from dalenius.fitting.fit import WARNING, Statistic
from dalenius.fitting.values import Columns, as_values, check_rows
from dalenius.laws.law import Array


@final
@dataclass(frozen=True)
class GaussianFit:
    """model: the `gaussian` section, in the order of `columns`; the covariance's divisor is observations - 1.

    skewness: Mardia's, chi-squared under normality. kurtosis: Mardia's, as squares of a standard normal (1 degree).
    log_likelihood: of the rows under the model, in nats.
    """

    model: Mapping[str, Any]
    columns: tuple[str, ...]
    observations: int
    log_likelihood: float
    skewness: Statistic
    kurtosis: Statistic
    smoothing: None = None
    warning: str = WARNING

    def section(self) -> dict[str, Any]:
        return dict(self.model)

    def goodness(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "log_likelihood": self.log_likelihood,
            "skewness": self.skewness.shown(),
            "kurtosis": self.kurtosis.shown(),
        }


def fit_gaussian(columns: Columns) -> GaussianFit:
    """InputError where a column holds texts or one value only, or is determined by the others."""
    rows = check_rows(columns, 1, len(columns) + 2)
    data = np.stack([_numbers(name, cells) for name, cells in columns.items()], axis=1)
    mean = data.mean(axis=0)
    covariance = np.atleast_2d(np.cov(data, rowvar=False))
    scale = np.sqrt(np.diag(covariance))
    if np.linalg.eigvalsh(covariance / np.outer(scale, scale))[0] < 1e-10:
        raise InputError("columns", ", ".join(columns), "columns none of which is determined by the others")
    skewness, kurtosis = _mardia((data - mean) / scale)
    model = {"kind": "gaussian", "mean": mean.tolist(), "covariance": covariance.tolist()}
    return GaussianFit(model, tuple(columns), rows, _log_likelihood(data - mean, covariance), skewness, kurtosis)


def _numbers(name: str, cells: Any) -> Array:
    values = as_values(cells, f"column {name}")
    text = next((value for value in values if isinstance(value, str)), None)
    if text is not None:
        raise InputError(f"column {name}", text, "a number in every row")
    if len(set(values)) < 2:
        raise InputError(f"column {name}", values[0], "at least two different values")
    return np.array(values, dtype=np.float64)


def _log_likelihood(centred: Array, covariance: Array) -> float:
    factor = np.linalg.cholesky(covariance)
    white = np.linalg.solve(factor, centred.T)
    per_row = centred.shape[1] * log(2 * pi) / 2 + float(np.log(np.diag(factor)).sum())
    return float(-len(centred) * per_row - (white**2).sum() / 2)


def _mardia(centred: Array) -> tuple[Statistic, Statistic]:
    rows, width = centred.shape
    white = np.linalg.solve(np.linalg.cholesky(centred.T @ centred / rows), centred.T).T
    # Σ over triples of columns of (mean of z_a z_b z_c)², which is Mardia's double sum over rows.
    skew = sum(float((((white * white[:, [a]]).T @ white / rows) ** 2).sum()) for a in range(width))
    kurt = float(((white**2).sum(axis=1) ** 2).mean())
    apart = (kurt - width * (width + 2)) / sqrt(8 * width * (width + 2) / rows)
    return Statistic(rows * skew / 6, width * (width + 1) * (width + 2) // 6), Statistic(apart**2, 1)
