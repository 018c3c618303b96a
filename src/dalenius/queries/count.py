"""How many records have a value."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

from pydantic import Field

from dalenius.queries.query import Column, Kind, Query, by_label, check_values
from dalenius.schema import RecordValue


@final
class Count(Query):
    """values: those that count; 1 by default, so that it counts the bits that are set.

    labels: only people so labelled count; per_label: one answer for each label, in order, instead of one for all.
    """

    kind: Literal["count"] = "count"
    values: tuple[RecordValue, ...] = Field(default=(1,), min_length=1)
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        check_values(strata, self.values, "query.values")
        return by_label(strata, self.labels, self.per_label, lambda value, people: Fraction(int(value in self.values)))
