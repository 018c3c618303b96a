"""Fits a joint normal law to data, and tests whether the data are normal."""

from dataclasses import dataclass
from math import log, pi, sqrt
from typing import Any, final

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.fitting.fit import (
    Columns,
    Fit,
    Statistic,
    as_values,
    check_rows,
    judged,
)


@final
@dataclass(frozen=True)
class GaussianFit(Fit):
    """A fitted normal law; the covariance's divisor is observations - 1.

    Attributes:
        columns: The columns, in the order of the section's records.
        log_likelihood: That of the rows under the model, in nats.
        skewness: Mardia's, chi-squared under normality.
        kurtosis: Mardia's, as squares of a standard normal (1 degree).
    """

    columns: tuple[str, ...]
    log_likelihood: float
    skewness: Statistic
    kurtosis: Statistic

    @property
    def in_words(self) -> str:
        skewed = judged(
            self.skewness,
            "the rows are as symmetric as normal ones",
            "the rows are hardly symmetric, as normal ones would be",
            "the rows are not symmetric, so a normal law does not fit",
        )
        tails = judged(
            self.kurtosis,
            "their tails are as heavy as normal ones",
            "their tails are hardly those of a normal law",
            "their tails are not those of a normal law, so it does not fit",
        )
        return f"{skewed}; {tails}"


def fit_gaussian(columns: Columns) -> GaussianFit:
    """Fits the normal law with the means and covariances of the `columns`, with Mardia's two tests of normality.

    A column 1, 2, 3, 4, 6 has mean 3.2 and variance 3.7. InputError where a column holds texts or one value only, or is
    determined by the others, and for fewer rows than two more than columns.
    """
    data = numbers_of(columns)
    rows = len(data)
    mean = data.mean(axis=0)
    covariance = np.atleast_2d(np.cov(data, rowvar=False))
    scale = np.sqrt(np.diag(covariance))
    # Because the law has no density if a sum stands beside its parts, or one column twice in other units.
    if np.linalg.eigvalsh(covariance / np.outer(scale, scale))[0] < 1e-10:
        raise InputError("columns", ", ".join(columns), "columns that do not determine each other")
    model = {"kind": "gaussian", "mean": mean.tolist(), "covariance": covariance.tolist()}
    score = _log_likelihood(data - mean, covariance)
    return GaussianFit(model, rows, None, tuple(columns), score, *_mardia((data - mean) / scale))


def numbers_of(columns: Columns) -> Array:
    """Returns the table as doubles (rows, columns), at least two more rows than columns.

    InputError where a column holds texts or does not vary, and for fewer rows.
    """
    check_rows(columns, 1, len(columns) + 2)
    return np.stack([_numbers(name, cells) for name, cells in columns.items()], axis=1)


def _numbers(name: str, cells: Any) -> Array:
    """Returns the column as doubles; InputError for a text, and for a column that does not vary."""
    values = as_values(cells, f"column {name}")
    text = next((row for row, value in enumerate(values, 1) if isinstance(value, str)), None)
    if text is not None:
        raise InputError(f"column {name}", f"a text in row {text}", "a number in every row")
    # Because a constant has no variance, and no normal law with a density.
    if len(set(values)) < 2:
        raise InputError(f"column {name}", "one value", "at least two different values")
    return np.array(values, dtype=np.float64)


def _log_likelihood(centred: Array, covariance: Array) -> float:
    """Returns the log-likelihood, in nats, of rows (n, columns) less their means, under a normal law."""
    factor = np.linalg.cholesky(covariance)
    white = np.linalg.solve(factor, centred.T)
    per_row = centred.shape[1] * log(2 * pi) / 2 + float(np.log(np.diag(factor)).sum())
    return float(-len(centred) * per_row - (white**2).sum() / 2)


def _mardia(centred: Array) -> tuple[Statistic, Statistic]:
    """Returns Mardia's skewness and kurtosis of rows (n, columns), whitened by the covariance with divisor n.

    Under normality, and many rows, both have the chi-squared law (Biometrika 57, 1970).
    """
    rows, width = centred.shape
    white = np.linalg.solve(np.linalg.cholesky(centred.T @ centred / rows), centred.T).T
    # Because Σ over triples of columns of (mean of z_a z_b z_c)² is Mardia's double sum over rows.
    skew = sum(float((((white * white[:, [a]]).T @ white / rows) ** 2).sum()) for a in range(width))
    kurt = float(((white**2).sum(axis=1) ** 2).mean())
    deviation = (kurt - width * (width + 2)) / sqrt(8 * width * (width + 2) / rows)
    return Statistic(rows * skew / 6, width * (width + 1) * (width + 2) // 6), Statistic(deviation**2, 1)
