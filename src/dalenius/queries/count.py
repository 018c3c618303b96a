"""How many records have a value."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

from pydantic import Field

from dalenius.queries.counted import counted, counted_worst
from dalenius.queries.query import (
    Column,
    Kind,
    Query,
    among,
    asked_alone,
    by_label,
    check_unlabelled,
    check_values,
    said,
)
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.schema import RecordValue
from dalenius.tallies.leave_one_out import LeftOut
from dalenius.tallies.tally import Tally


@final
class Count(Query):
    """values: those that count; 1 by default, so that it counts the bits that are set.

    labels: only people so labelled count; per_label: one answer for each label, in order, instead of one for all.
    """

    kind: Literal["count"] = "count"
    values: tuple[RecordValue, ...] = Field(default=(1,), min_length=1)
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @property
    def asks_labels(self) -> bool:
        return self.per_label

    @property
    def words(self) -> str:
        return among(f"how many records are {said(self.values)}", self.labels, self.per_label)

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        check_values(strata, self.values, "query.values")
        return by_label(strata, self.labels, self.per_label, lambda value, people: Fraction(int(value in self.values)))

    def left_out(self, tally: Tally) -> LeftOut:
        labels = asked_alone(tally.labels, self.labels, self.per_label)
        return counted(tally, tally.having(self.values, "query.values") & tally.labelled(labels))

    def worst_case(self, universe: Universe) -> Sensitivities:
        check_unlabelled(self.labels)
        return counted_worst(universe, self.values, "query.values")
