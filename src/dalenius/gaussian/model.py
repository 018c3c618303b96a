"""Records that are real numbers and jointly Gaussian: incomes of relatives, one home's power day by day, sensors."""

from typing import Annotated, Any, Literal, final

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from dalenius.gaussian.law import GaussianLaw, correlations, is_positive
from dalenius.laws.law import Array
from dalenius.models.model import Model, listed, plural
from dalenius.schema import Finite

SYMMETRY = 1e-9
ROUNDING = 1e-12


def _plain(given: Any) -> Any:
    return given.tolist() if isinstance(given, np.ndarray) else given


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Row = Annotated[tuple[Number, ...], BeforeValidator(_plain)]
Rows = Annotated[tuple[Row, ...], BeforeValidator(_plain)]


@final
class GaussianRecords(Model):
    """X ~ N(mean, covariance), one record per person.

    bounds: the public range of a record's secret value; by default all real numbers, between which no noise bounds the
    log-ratio, unless the answer does not depend on the record at all.
    labels: one public label per record.
    """

    kind: Literal["gaussian"] = "gaussian"
    mean: Row = Field(min_length=1)
    covariance: Rows = Field(min_length=1)
    bounds: tuple[Finite, Finite] | None = None
    labels: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "GaussianRecords":
        n = len(self.mean)
        if len(self.covariance) != n or any(len(row) != n for row in self.covariance):
            raise ValueError(f"a covariance of {n} rows and columns, as many as mean has numbers")
        if self.labels is not None and len(self.labels) != n:
            raise ValueError(f"as many labels as mean has numbers (there are {len(self.labels)} and {n})")
        if self.bounds is not None and not self.bounds[0] < self.bounds[1]:
            raise ValueError(f"bounds of which the first is the lower (they are {self.bounds[0]} and {self.bounds[1]})")
        _check_covariance(np.array(self.covariance))
        return self

    @property
    def words(self) -> str:
        count, means = len(self.mean), list(dict.fromkeys(self.mean))
        deviations = list(dict.fromkeys(row[place] ** 0.5 for place, row in enumerate(self.covariance)))
        alone = all(value == 0 for i, row in enumerate(self.covariance) for j, value in enumerate(row) if i != j)
        told = (
            f"means {listed(f'{each:g}' for each in means)}; deviations {listed(f'{each:.4g}' for each in deviations)}"
        )
        how = "do not depend on each other" if alone else "depend on each other as the given covariances say"
        return f"{plural(count, 'normal record')}, {told}; they {how}"

    def joints(self) -> tuple[GaussianLaw]:
        covariance = np.array(self.covariance)
        labels = self.labels if self.labels is not None else ("",) * len(self.mean)
        if not np.array_equal(covariance, covariance.T):
            covariance = (covariance + covariance.T) / 2
        return (GaussianLaw(np.array(self.mean), covariance, labels, self.bounds),)


def _check_covariance(covariance: Array) -> None:
    """ValueError unless it is symmetric to 1e-9 and positive semi-definite to 1e-12, in units of the deviations."""
    variance = np.diag(covariance)
    if np.any(variance < 0):
        place = int(np.argmin(variance))
        raise ValueError(f"variances of at least 0 (row {place + 1} has {variance[place]:.6g})")
    scale = np.sqrt(variance)[:, None] * np.sqrt(variance)
    apart = np.abs(covariance - covariance.T) > SYMMETRY * scale
    if np.any(apart):
        row, column = (int(i) + 1 for i in np.argwhere(apart)[0])
        one, other = covariance[row - 1, column - 1], covariance[column - 1, row - 1]
        raise ValueError(f"a symmetric covariance (row {row}, column {column} is {one:.6g}, the reverse {other:.6g})")
    if np.any((scale == 0) & (covariance != 0)):
        row = int(np.argwhere((scale == 0) & (covariance != 0))[0][0]) + 1
        raise ValueError(f"covariances of 0 with a record of variance 0 (see row {row})")
    scaled = correlations((covariance + covariance.T) / 2)
    if not is_positive(scaled, ROUNDING * len(scaled)):
        least = float(np.linalg.eigvalsh(scaled)[0])
        if least < -ROUNDING * len(scaled):
            raise ValueError(f"a positive semi-definite covariance (its correlations' least eigenvalue is {least:.6g})")
