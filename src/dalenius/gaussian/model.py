"""The model of jointly Gaussian records (incomes of relatives, one home's power day by day, sensors), and its law."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sqrt
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.fields import Finite, RecordValue
from dalenius.joints.joint import Belief, Nature, Subject
from dalenius.models.model import Model
from dalenius.sentences.sentence import Figure, counted, few_listed, said, semicolons

Long: TypeAlias = NDArray[np.longdouble]

_DETERMINED: Final = 1e-12
"""Known records determine a record whose variance, given them, falls to this part of itself."""
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


@final
@dataclass(frozen=True)
class GaussianLaw(Belief):
    """The law X ~ N(mean, covariance); a record of variance 0 is known to everybody and not a secret.

    Attributes:
        mean: The records' means (n,).
        covariance: Their covariance (n, n), symmetric and positive semi-definite.
        labels: One public label per record.
        bounds: The public range in which a record's value is a secret; None for all reals.
    """

    nature: ClassVar[Nature] = Nature(
        "normal law", "number", instead=("model.kind", "gaussian", "a model of records with finitely many values here")
    )

    mean: Array
    covariance: Array
    labels: tuple[str, ...]
    bounds: tuple[float, float] | None = None

    @cached_property
    def people(self) -> tuple[int, ...]:
        """The numbers, from 1, of the people whose records are secrets."""
        return tuple(int(i) + 1 for i in np.flatnonzero(np.diag(self.covariance) > 0))

    @property
    def n(self) -> int:
        """The number of records, known ones included."""
        return len(self.mean)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        if not 1 <= person <= self.n:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self.n}")
        dependents = int(np.count_nonzero(self.covariance[person - 1]))
        return Subject(person, 1, 0, (), np.zeros(0), max(dependents, 1), f"record {person}")

    @cached_property
    def firm(self) -> bool:
        """Whether the covariance is positive definite on the records of positive variance, despite rounding."""
        return bool(_least_eigenvalue(_correlations(self.covariance)) > 1e-13 * self.n)

    def labelled(self) -> dict[str, int]:
        return {label: self.labels.count(label) for label in dict.fromkeys(self.labels)}

    def given(self, known: Mapping[int, RecordValue]) -> "GaussianLaw":
        """Returns the law given known records, by the Schur complement, record by record.

        Args:
            known: The values of known records by their numbers, from 1. These records, and those that they determine,
                get variance 0.
        """
        mean = self.mean.astype(np.longdouble)
        covariance = self.covariance.astype(np.longdouble)
        for person, value in known.items():
            self.subject_of(person)
            if isinstance(value, str):
                raise InputError(f"adversary.known.{person}", value, "a number")
            self._learn(mean, covariance, person, float(value))
        rounded = covariance.astype(np.float64)
        return GaussianLaw(mean.astype(np.float64), (rounded + rounded.T) / 2, self.labels, self.bounds)

    def _learn(self, mean: Long, covariance: Long, person: int, value: float) -> None:
        """Conditions mean (n,) and covariance (n, n), in place, on one record's value.

        Raises:
            InputError: If the value is infinite, or records known before rule it out.
        """
        place = person - 1
        variance, first = float(covariance[place, place]), float(self.covariance[place, place])
        if not isfinite(value):  # a spec's inf or nan
            raise InputError(f"adversary.known.{person}", value, "a finite number")
        # A yearly total that the known months add up to may be known too, if its value agrees.
        if variance <= _DETERMINED * first:
            slack = 1e-5 * sqrt(first) + 1e-9 * abs(float(mean[place]))
            if abs(value - float(mean[place])) > slack:
                wanted = f"{float(mean[place]):.12g}, the only value it can have"
                raise InputError(f"adversary.known.{person}", value, wanted)
        else:
            gain = covariance[:, place] / covariance[place, place]
            mean += gain * (value - mean[place])
            covariance -= np.outer(gain, covariance[place])
            settled = np.diag(covariance) <= _DETERMINED * np.diag(self.covariance)
            covariance[settled] = 0
            covariance[:, settled] = 0
        covariance[place], covariance[:, place] = 0, 0
        mean[place] = value


def product_of_gaussians(parts: Sequence[GaussianLaw]) -> GaussianLaw:
    """Returns the law of independent Gaussian `parts` together; InputError where their bounds differ."""
    from scipy.linalg import block_diag

    bounds = {part.bounds for part in parts}
    # Because one range of secrets is for all records: incomes and temperatures do not fit into one model.
    if len(bounds) > 1:
        raise InputError("model.parts", str(sorted(map(str, bounds))), "gaussian parts of the same bounds")
    covariance = block_diag(*(part.covariance for part in parts))
    labels = tuple(label for part in parts for label in part.labels)
    return GaussianLaw(np.concatenate([part.mean for part in parts]), covariance, labels, parts[0].bounds)


def _correlations(covariance: Array) -> Array:
    """Returns the correlation matrix of the records of positive variance."""
    some = np.diag(covariance) > 0
    deviation = np.sqrt(np.diag(covariance)[some])
    scaled = covariance[np.ix_(some, some)] / deviation[:, None] / deviation
    np.fill_diagonal(scaled, 1.0)
    return scaled


def _least_eigenvalue(matrix: Array) -> float:
    return float(np.linalg.eigvalsh(matrix).min(initial=np.inf))


def _plain(given: Any) -> Any:
    return given.tolist() if isinstance(given, np.ndarray) else given


Row = Annotated[tuple[_Number, ...], BeforeValidator(_plain)]
Rows = Annotated[tuple[Row, ...], BeforeValidator(_plain)]


@final
class GaussianRecords(Model):
    """Records that are real numbers and jointly normal, X ~ N(mean, covariance); one record per person.

    Args:
        mean: The records' means (n,), in the records' unit.
        covariance: Their covariance (n, n), symmetric and positive semi-definite, in the square of that unit.
        bounds: The public range (lower, upper) of a record's secret value. None (the default) for all real numbers:
            between these no noise bounds the log-ratio, unless the answer does not depend on the record at all.
        labels: Public labels for queries, one per record; None (the default) for no labels.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        Two records have mean 0, variance 1 and covariance ½. Given that the second is 1, the first has mean .5 and
        variance ¾, and the second is a secret no longer.

        >>> import dalenius as dl
        >>> (law,) = dl.GaussianRecords(mean=(0.0, 0.0), covariance=((1.0, 0.5), (0.5, 1.0))).joints()
        >>> law.given({2: 1.0}).mean.tolist(), law.given({2: 1.0}).covariance.tolist(), law.given({2: 1.0}).people
        ([0.5, 1.0], [[0.75, 0.0], [0.0, 0.0]], (1,))
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
            raise ValueError(f"the lower bound before the upper (they are {self.bounds[0]} and {self.bounds[1]})")
        _check_covariance(np.array(self.covariance))
        return self

    @property
    def words(self) -> str:
        count, means = len(self.mean), list(dict.fromkeys(self.mean))
        deviations = list(dict.fromkeys(row[place] ** 0.5 for place, row in enumerate(self.covariance)))
        independent = all(value == 0 for i, row in enumerate(self.covariance) for j, value in enumerate(row) if i != j)
        listed_means = few_listed(Figure(f"{each:g}") for each in means)
        listed_deviations = few_listed(Figure(f"{each:.4g}") for each in deviations)
        return semicolons(
            [
                counted("normal_record", "normal_records", count, means=listed_means),
                said("deviations", deviations=listed_deviations),
                said("they_are_apart" if independent else "they_covary"),
            ]
        )

    def joints(self) -> tuple[GaussianLaw]:
        covariance = np.array(self.covariance)
        labels = self.labels if self.labels is not None else ("",) * len(self.mean)
        # A covariance that was computed elsewhere may have two halves that differ in the last digits.
        if not np.array_equal(covariance, covariance.T):
            covariance = (covariance + covariance.T) / 2
        return (GaussianLaw(np.array(self.mean), covariance, labels, self.bounds),)


def _check_covariance(covariance: Array) -> None:
    """Checks that it is symmetric to 1e-9 and positive semi-definite to 1e-12, in units of the deviations."""
    variance = np.diag(covariance)
    if np.any(variance < 0):
        place = int(np.argmin(variance))
        raise ValueError(f"variances of at least 0 (row {place + 1} has {variance[place]:.6g})")
    scale = np.sqrt(variance)[:, None] * np.sqrt(variance)
    # So that a covariance that was computed elsewhere may be off a little, in units of the deviations.
    unsymmetric = np.abs(covariance - covariance.T) > 1e-9 * scale
    if np.any(unsymmetric):
        row, column = (int(i) + 1 for i in np.argwhere(unsymmetric)[0])
        one, other = covariance[row - 1, column - 1], covariance[column - 1, row - 1]
        raise ValueError(f"a symmetric covariance (row {row}, column {column} is {one:.6g}, the reverse {other:.6g})")
    # A record that is constant cannot vary with another one.
    if np.any((scale == 0) & (covariance != 0)):
        row = int(np.argwhere((scale == 0) & (covariance != 0))[0][0]) + 1
        raise ValueError(f"covariances of 0 with a record of variance 0 (see row {row})")
    scaled = _correlations((covariance + covariance.T) / 2)
    # Correlations rounded to two digits, as papers print them, may belong to no law at all.
    if (least := _least_eigenvalue(scaled)) < -1e-12 * len(scaled):
        raise ValueError(f"a positive semi-definite covariance (its correlations' least eigenvalue is {least:.6g})")
