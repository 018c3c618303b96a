"""The model of records whose joint law is a mixture of normal laws: one of several kinds of day, town or family.

One component is drawn for all records together, and the records are then jointly normal. So a record says which
component it is likely to be, and with it something of all others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, log, sqrt
from typing import Annotated, ClassVar, Final, Literal, Self, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.fields import Finite, Positive, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.gaussian.model import GaussianLaw, GaussianRecords, Row, Rows
from dalenius.joints.joint import Belief, Nature, Subject
from dalenius.models.model import Model
from dalenius.sentences.sentence import counted

_ONE: Final = 1e-9
"""How far the weights' sum may be from 1, as in a table that was rounded."""
_LEAST: Final = -600.0
"""The log of a component's chance, relative to the likeliest one, below which doubles are near their end."""


@final
@dataclass(frozen=True)
class MixtureLaw(Belief):
    """A mixture of normal laws of the same records.

    Attributes:
        weights: The components' probabilities, which sum to 1.
        components: The components' laws.
        doubt: Bounds the error of each weight's log, in nats: of weights that known records have moved.
    """

    nature: ClassVar[Nature] = Nature(
        "mixture of normal laws",
        "number",
        instead=("model.kind", "gaussian_mixture", "a model of finitely many values"),
    )

    weights: tuple[Fraction, ...]
    components: tuple[GaussianLaw, ...]
    doubt: float = 0.0

    @property
    def n(self) -> int:
        """The number of records."""
        return self.components[0].n

    @property
    def labels(self) -> tuple[str, ...]:
        """One public label per record."""
        return self.components[0].labels

    def subject_of(self, person: int, single: bool = False) -> Subject:
        if not 1 <= person <= self.n:
            raise InputError("secrets.people", person, f"a person's number from 1 to {self.n}")
        return Subject(person, 1, 0, (), np.zeros(0), self.n, f"record {person}")

    def labelled(self) -> dict[str, int]:
        return self.components[0].labelled()

    def given(self, known: Mapping[int, RecordValue]) -> "MixtureLaw":
        """Returns the law given known records: of each component, and by Bayes' rule of the component itself.

        Args:
            known: The values of known records by their numbers, from 1.

        Raises:
            InputError: A value is no finite number, known records determine another one, or leave a component hardly
                any chance.
        """
        if not known:
            return self
        laws = [_Given(law, log(float(weight))) for weight, law in zip(self.weights, self.components, strict=True)]
        for person, value in known.items():
            for law in laws:
                law.learn(person, value)
            most = max(law.log_weight for law in laws)
            if (least := min(law.log_weight - most for law in laws)) < _LEAST:
                wanted = "a value that leaves each component a chance (leave out one that it rules out)"
                raise InputError(f"adversary.known.{person}", value, f"{wanted}: one has e^{least:.4g}")
        chances = [Fraction(exp(law.log_weight - most)) for law in laws]
        doubt = max(law.doubt for law in laws) + 16 * UNIT * (1 - _LEAST)
        weights = tuple(chance / sum(chances) for chance in chances)
        return MixtureLaw(weights, tuple(law.law for law in laws), doubt)

    @property
    def moments(self) -> GaussianLaw:
        """The normal law with the mixture's means and covariances."""
        weights = [float(each) for each in self.weights]
        mean = sum(weight * each.mean for weight, each in zip(weights, self.components, strict=True))
        covariance = sum(
            weight * (each.covariance + np.outer(each.mean - mean, each.mean - mean))
            for weight, each in zip(weights, self.components, strict=True)
        )
        first = self.components[0]
        return GaussianLaw(np.asarray(mean), np.asarray(covariance), first.labels, first.bounds)


class _Given:
    """One component while records of it become known: its law, and the log of its chance, but for a common term."""

    def __init__(self, law: GaussianLaw, log_weight: float) -> None:
        self.law = law
        self.log_weight = log_weight
        self.doubt = 0.0

    def learn(self, person: int, value: RecordValue) -> None:
        before, place = self.law, person - 1
        self.law = before.given({person: value})
        # Because a record that is determined in one component, and not in another, would be a secret of some only.
        if set(before.people) - set(self.law.people) != {person}:
            raise InputError(f"adversary.known.{person}", value, "records that determine no other one")
        variance = float(before.covariance[place, place])
        turns = (float(value) - float(before.mean[place])) / sqrt(variance)
        self.log_weight -= turns**2 / 2 + log(variance) / 2
        # Because means and variances given known records are rounded, in parts of the first ones.
        size = (abs(float(value)) + abs(float(before.mean[place]))) / sqrt(variance)
        self.doubt += 64 * UNIT * (1 + turns**2 + abs(turns) * size + abs(log(variance)))


@final
class NormalComponent(Frozen):
    """One component of a mixture.

    Attributes:
        weight: Its probability.
        mean: The records' means (n,), in the records' unit.
        covariance: Their covariance (n, n), in the square of that unit; all variances are above 0.
    """

    weight: Positive
    mean: Row = Field(min_length=1)
    covariance: Rows = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.records(None, None)
        if any(row[place] <= 0 for place, row in enumerate(self.covariance)):
            raise ValueError("variances above 0 (records that are known have no part in a mixture)")
        return self

    def records(self, bounds: tuple[float, float] | None, labels: tuple[str, ...] | None) -> GaussianRecords:
        """Returns the component as a model of its own.

        Args:
            bounds: The public range (lower, upper) of a record's value, in the records' unit; None for none.
            labels: Public labels for queries, one per record; None for no labels.

        Raises:
            ValueError: If the component's covariance is not the covariance matrix of any law.
        """
        try:
            return GaussianRecords(mean=self.mean, covariance=self.covariance, bounds=bounds, labels=labels)
        except InputError as error:
            raise ValueError(error.wanted) from None


@final
class GaussianMixture(Model):
    """Records that are real numbers, jointly normal given a component that is drawn for all of them together.

    Args:
        components: The components, each with `weight`, `mean` and `covariance`; the weights sum to 1.
        bounds: The public range (lower, upper) of a record's value, for `differential`; None (the default) for none.
        labels: Public labels for queries, one per record; None (the default) for no labels.
        confidence: The confidence that the true law is the model's, where it was fitted to other data; None (the
            default) where the law is assumed.

    Example:
        Two readings of one home, which is away for one day in five:

        >>> import dalenius as dl
        >>> away = {"weight": 0.2, "mean": [1, 1], "covariance": [[0.1, 0], [0, 0.1]]}
        >>> there = {"weight": 0.8, "mean": [5, 5], "covariance": [[4, 2], [2, 4]]}
        >>> home = dl.GaussianMixture(components=[away, there])
        >>> release = dl.Release(home, dl.Sum(), dl.Laplace(scale=5.0), secrets=dl.Secrets(pairs=[(1.0, 5.0)]))
        >>> found = dl.InferentialPrivacy().leakage(release)
        >>> round(found.lower, 6), round(found.upper, 6)
        (1.613216, 1.613216)

    Notes:
        Secrets are pairs of values (`[secrets] pairs`): the worst pair of a whole range has no formula here.
    """

    kind: Literal["gaussian_mixture"] = "gaussian_mixture"
    components: Annotated[tuple[NormalComponent, ...], Field(min_length=1)]
    bounds: tuple[Finite, Finite] | None = None
    labels: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if abs(fsum(each.weight for each in self.components) - 1) > _ONE:
            raise ValueError(f"weights that sum to 1 (they sum to {fsum(each.weight for each in self.components):.9g})")
        sizes = {len(each.mean) for each in self.components}
        if len(sizes) > 1:
            raise ValueError(f"components of as many records each (they have {', '.join(map(str, sorted(sizes)))})")
        self.components[0].records(self.bounds, self.labels)
        return self

    @property
    def words(self) -> str:
        laws = counted("normal_law", "normal_laws", len(self.components))
        return counted("mixture_record", "mixture_records", len(self.components[0].mean), laws=laws)

    def joints(self) -> tuple[MixtureLaw]:
        weights = [Fraction(str(each.weight)) for each in self.components]
        total = sum(weights, Fraction(0))
        laws = tuple(each.records(self.bounds, self.labels).joints()[0] for each in self.components)
        return (MixtureLaw(tuple(each / total for each in weights), laws),)
