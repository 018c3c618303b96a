"""The sum of the records' values."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

from pydantic import Field, model_validator

from dalenius.queries.query import Column, Kind, Query, by_label, exact_number
from dalenius.schema import Finite, RecordValue


@final
class Sum(Query):
    """lower, upper: each value is clipped to them before it is added.

    labels: only people so labelled count; per_label: one answer for each label, in order, instead of one for all.
    """

    kind: Literal["sum"] = "sum"
    lower: Finite | None = None
    upper: Finite | None = None
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _check(self) -> "Sum":
        check_bounds(self.lower, self.upper)
        return self

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value))

    def _clipped(self, value: RecordValue) -> Fraction:
        return clipped(exact_number(value, self.kind), self.lower, self.upper)


def check_bounds(lower: float | None, upper: float | None) -> None:
    """ValueError unless lower < upper, where both are given."""
    if lower is not None and upper is not None and not lower < upper:
        raise ValueError(f"lower below upper (they are {lower} and {upper})")


def clipped(number: Fraction, lower: float | None, upper: float | None) -> Fraction:
    """The number, brought into [lower, upper]."""
    if lower is not None:
        number = max(number, Fraction(str(lower)))
    return number if upper is None else min(number, Fraction(str(upper)))
