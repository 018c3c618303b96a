"""The mean of the records' values; how many there are is public."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.queries.query import Column, Kind, Query, Weights, asked, by_label, exact_number
from dalenius.queries.sum import UNCLIPPED, check_bounds, clipped
from dalenius.schema import Finite, RecordValue


@final
class Mean(Query):
    """lower, upper: each value is clipped to them first.

    labels: the mean over people so labelled; per_label: one answer for each label, in order, instead of one for all.
    """

    kind: Literal["mean"] = "mean"
    lower: Finite | None = None
    upper: Finite | None = None
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _check(self) -> "Mean":
        check_bounds(self.lower, self.upper)
        return self

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, self._share)

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        if (self.lower, self.upper) != (None, None):
            raise InputError("query.lower" if self.lower is not None else "query.upper", "given", UNCLIPPED)
        found = []
        for name, among in asked(set(labels), self.labels, self.per_label):
            people = sum(label in among for label in labels)
            found.append(Weights(name, tuple(Fraction(int(label in among), people) for label in labels)))
        return tuple(found)

    def _share(self, value: RecordValue, people: int) -> Fraction:
        return clipped(exact_number(value, self.kind), self.lower, self.upper) / people
