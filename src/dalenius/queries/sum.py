"""The sum of the records' values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, Literal, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.queries.query import Column, Kind, Query, Weights, asked, by_label, exact_number
from dalenius.schema import Finite, RecordValue

UNCLIPPED: Final = "no bounds: what is clipped is not linear in records that are real numbers"


@final
class Sum(Query):
    """lower, upper: each value is clipped to them before it is added.

    labels: only people so labelled count; per_label: one answer for each label, in order, instead of one for all.
    weights: by label, what each value is multiplied by after clipping; 1 by default.
    """

    kind: Literal["sum"] = "sum"
    lower: Finite | None = None
    upper: Finite | None = None
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)
    weights: Mapping[str, Finite] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Sum":
        check_bounds(self.lower, self.upper)
        return self

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        columns = by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value))
        slots = [stratum.label for stratum in strata for _ in stratum.values]
        return columns if self.weights is None else tuple(self._weighted(column, slots) for column in columns)

    def _weighted(self, column: Column, labels: Sequence[str]) -> Column:
        scores = zip(column.scores, labels, strict=True)
        return replace(column, scores=tuple(None if s is None else s * self._weight(label) for s, label in scores))

    def _weight(self, label: str) -> Fraction:
        if self.weights is None:
            return Fraction(1)
        if label not in self.weights:
            raise InputError("query.weights", str(sorted(self.weights)), f"also a weight for label {label!r}")
        return Fraction(str(self.weights[label]))

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        if (self.lower, self.upper) != (None, None):
            raise InputError("query.lower" if self.lower is not None else "query.upper", "given", UNCLIPPED)
        return tuple(
            Weights(name, tuple(self._weight(label) if label in among else Fraction(0) for label in labels))
            for name, among in asked(set(labels), self.labels, self.per_label)
        )

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
