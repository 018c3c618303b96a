"""The least of the records' values."""

from collections.abc import Sequence
from typing import Literal, final

from pydantic import Field, model_validator

from dalenius.queries.query import Column, Kind, Query, by_label, exact_number
from dalenius.queries.sum import check_bounds, clipped
from dalenius.schema import Finite


@final
class Min(Query):
    """lower, upper: each value is clipped to them first.

    labels: only people so labelled are asked; per_label: one answer for each label, in order, instead of one for all.
    """

    kind: Literal["min"] = "min"
    lower: Finite | None = None
    upper: Finite | None = None
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _check(self) -> "Min":
        check_bounds(self.lower, self.upper)
        return self

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(
            strata,
            self.labels,
            self.per_label,
            lambda value, people: clipped(exact_number(value, self.kind), self.lower, self.upper),
            combine="min",
        )
