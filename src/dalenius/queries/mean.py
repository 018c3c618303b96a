"""The mean of the records' values; how many there are is public."""

from fractions import Fraction
from typing import Literal, final

from pydantic import model_validator

from dalenius.queries.query import Query, exact_number
from dalenius.queries.sum import check_bounds, clipped
from dalenius.schema import Finite, RecordValue


@final
class Mean(Query):
    """lower, upper: each value is clipped to them first. Per label, the mean over that label's people."""

    kind: Literal["mean"] = "mean"
    lower: Finite | None = None
    upper: Finite | None = None

    @model_validator(mode="after")
    def _check(self) -> "Mean":
        check_bounds(self.lower, self.upper)
        return self

    def score(self, value: RecordValue, asked: int) -> Fraction:
        return clipped(exact_number(value, self.kind), self.lower, self.upper) / asked

    def check(self, values: frozenset[RecordValue]) -> None:
        for value in values:
            exact_number(value, self.kind)
