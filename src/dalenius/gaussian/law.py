"""Records that are real numbers and jointly Gaussian."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sqrt
from typing import ClassVar, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.joints.joint import Belief, Subject
from dalenius.laws.law import Array
from dalenius.schema import RecordValue

Long: TypeAlias = NDArray[np.longdouble]

DETERMINED: Final = 1e-12
"""A record whose variance given known records falls by this factor is determined by them."""


@final
@dataclass(frozen=True)
class GaussianLaw(Belief):
    """X ~ N(mean, covariance); mean (n,), covariance (n, n), symmetric and positive semi-definite.

    labels: one public label per record; bounds: the public range in which a record's value is a secret, None for all
    reals. A record of variance 0 is known to everybody and not a secret.
    """

    nature: ClassVar[str] = "normal law"

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
        return len(self.mean)

    def subject_of(self, person: int) -> Subject:
        if not 1 <= person <= self.n:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self.n}")
        dependents = int(np.count_nonzero(self.covariance[person - 1]))
        return Subject(person, 1, 0, (), np.zeros(0), max(dependents, 1), f"record {person}")

    @cached_property
    def firm(self) -> bool:
        """Whether the covariance is positive definite on the records of positive variance, despite rounding."""
        return is_positive(correlations(self.covariance), -1e-13 * self.n)

    def labelled(self) -> dict[str, int]:
        return {label: self.labels.count(label) for label in dict.fromkeys(self.labels)}

    def given(self, known: Mapping[int, RecordValue]) -> "GaussianLaw":
        """By the Schur complement, record by record. Known records, and those they determine, have variance 0."""
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
        place = person - 1
        variance, first = float(covariance[place, place]), float(self.covariance[place, place])
        if not isfinite(value):
            raise InputError(f"adversary.known.{person}", value, "a finite number")
        if variance <= DETERMINED * first:
            slack = 1e-5 * sqrt(first) + 1e-9 * abs(float(mean[place]))
            if abs(value - float(mean[place])) > slack:
                wanted = f"{float(mean[place]):.12g}, the only value it can have"
                raise InputError(f"adversary.known.{person}", value, wanted)
        else:
            gain = covariance[:, place] / covariance[place, place]
            mean += gain * (value - mean[place])
            covariance -= np.outer(gain, covariance[place])
            settled = np.diag(covariance) <= DETERMINED * np.diag(self.covariance)
            covariance[settled] = 0
            covariance[:, settled] = 0
        covariance[place], covariance[:, place] = 0, 0
        mean[place] = value


def product_of_gaussians(parts: Sequence[GaussianLaw]) -> GaussianLaw:
    """Independent Gaussian records as one law. InputError where their bounds differ."""
    bounds = {part.bounds for part in parts}
    if len(bounds) > 1:
        raise InputError("model.parts", str(sorted(map(str, bounds))), "gaussian parts of the same bounds")
    covariance = np.zeros((sum(part.n for part in parts),) * 2)
    first = 0
    for part in parts:
        covariance[first : first + part.n, first : first + part.n] = part.covariance
        first += part.n
    labels = tuple(label for part in parts for label in part.labels)
    return GaussianLaw(np.concatenate([part.mean for part in parts]), covariance, labels, parts[0].bounds)


def correlations(covariance: Array) -> Array:
    """The correlation matrix of the records of positive variance."""
    some = np.diag(covariance) > 0
    deviation = np.sqrt(np.diag(covariance)[some])
    scaled = covariance[np.ix_(some, some)] / deviation[:, None] / deviation
    np.fill_diagonal(scaled, 1.0)
    return scaled


def is_positive(matrix: Array, shift: float) -> bool:
    """Whether matrix + shift · 1 has a Cholesky factor."""
    try:
        np.linalg.cholesky(matrix + shift * np.eye(len(matrix)))
    except np.linalg.LinAlgError:
        return False
    return True
