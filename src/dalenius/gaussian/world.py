"""One Gaussian law of the records and its channel under a linear query."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from dalenius.channel.adversary import number_of
from dalenius.channel.channel import Channel
from dalenius.channel.question import Question
from dalenius.channel.secrets import Secrets
from dalenius.channel.world import World
from dalenius.errors import InputError
from dalenius.gaussian.channel import GaussianChannel
from dalenius.gaussian.law import GaussianLaw
from dalenius.gaussian.record import gaussian_records
from dalenius.noise import Noise
from dalenius.queries import Query


@final
class GaussianWorld(World):
    """records: the law; query: has to be linear. InputError where it is not, or a secret is not a real number.

    Sensitivities need the model's bounds; a group is a connected component of the graph of non-zero covariances.
    """

    real: ClassVar[bool] = True

    def __init__(self, records: GaussianLaw, query: Query, secrets: Secrets) -> None:
        self.records = records
        self._answers = query.linear(records.labels)
        secrets.check_of_records("model gaussian")
        self._pairs = None if secrets.pairs is None else [_numbers(*each) for each in enumerate(secrets.pairs, 1)]
        if secrets.stage is not None:
            raise InputError("secrets.stage", secrets.stage, "a model with stages (kind linked)")
        people = secrets.people
        numbers = None if people is None else [number_of(records, person, "secrets.people") for person in people]
        self._people = None if numbers is None else sorted(set(numbers) & set(records.people))

    @classmethod
    def of(cls, belief: GaussianLaw, question: Question) -> "GaussianWorld":
        return cls(belief, question.asked, question.secrets)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(answer.name for answer in self._answers)

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        weights = [answer.of for answer in self._answers]
        yield GaussianChannel(gaussian_records(self.records, weights, noise, self.names, self._pairs, self._people))

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [("closed form", "records that are jointly normal")]

    @property
    def reach(self) -> Fraction:
        weights = np.array([[float(weight) for weight in answer.of] for answer in self._answers])
        variances = np.einsum("ki,ij,kj->k", weights, self.records.covariance, weights)
        return Fraction(float(np.sqrt(np.maximum(variances, 0.0)).sum())) or Fraction(1)

    @property
    def sensitivity(self) -> Fraction:
        return max(self._moves)

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        if self.group_size > 1:
            wanted = "records that do not depend on each other: those of others are real numbers without bounds"
            raise InputError("model.covariance", f"groups of up to {self.group_size} records", wanted)
        return self.sensitivity, 1

    @property
    def group_size(self) -> int:
        from scipy.sparse.csgraph import connected_components

        _, group = connected_components(self.records.covariance != 0, directed=False)
        return int(np.bincount(group).max())

    @cached_property
    def _moves(self) -> list[Fraction]:
        """How far each record can move the answer (L1)."""
        if self.records.bounds is None:
            raise InputError("model.bounds", "missing", "the range of a record, since without one it moves any answer")
        low, high = (Fraction(str(end)) for end in self.records.bounds)
        rows = zip(*(answer.of for answer in self._answers), strict=True)
        return [sum(map(abs, row), Fraction(0)) * (high - low) for row in rows]


def _numbers(row: int, pair: tuple[int | float | str, int | float | str]) -> tuple[float, float]:
    for value in pair:
        if isinstance(value, str):
            raise InputError(f"secrets.pairs row {row}", value, "two numbers, since the records are real numbers")
    return float(pair[0]), float(pair[1])
