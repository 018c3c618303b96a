"""The sum of the records' values."""

from fractions import Fraction
from typing import Literal, final

from pydantic import model_validator

from dalenius.queries.query import Query, exact_number
from dalenius.schema import Finite, RecordValue


@final
class Sum(Query):
    """lower, upper: each value is clipped to them before it is added."""

    kind: Literal["sum"] = "sum"
    lower: Finite | None = None
    upper: Finite | None = None

    @model_validator(mode="after")
    def _check(self) -> "Sum":
        check_bounds(self.lower, self.upper)
        return self

    def score(self, value: RecordValue, asked: int) -> Fraction:
        return clipped(exact_number(value, self.kind), self.lower, self.upper)

    def check(self, values: frozenset[RecordValue]) -> None:
        for value in values:
            exact_number(value, self.kind)


def check_bounds(lower: float | None, upper: float | None) -> None:
    """ValueError unless lower < upper, where both are given."""
    if lower is not None and upper is not None and not lower < upper:
        raise ValueError(f"lower below upper (they are {lower} and {upper})")


def clipped(number: Fraction, lower: float | None, upper: float | None) -> Fraction:
    """The number, brought into [lower, upper]."""
    if lower is not None:
        number = max(number, Fraction(str(lower)))
    return number if upper is None else min(number, Fraction(str(upper)))
