"""What queries of records that are numbers have in common."""

import abc
from collections.abc import Sequence
from fractions import Fraction

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.queries.query import Query, asked, exact_number
from dalenius.schema import Finite, RecordValue


class NumericQuery(Query, abc.ABC):
    """lower, upper: each value is clipped to them first.

    labels: only people so labelled are asked; per_label: one answer for each label, in order, instead of one for all.
    """

    lower: Finite | None = None
    upper: Finite | None = None
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _check(self) -> "NumericQuery":
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ValueError(f"lower below upper (they are {self.lower} and {self.upper})")
        return self

    def _clipped(self, value: RecordValue) -> Fraction:
        """The value as an exact number within the bounds. InputError for a text."""
        number = exact_number(value, self.kind)
        if self.lower is not None:
            number = max(number, Fraction(str(self.lower)))
        return number if self.upper is None else min(number, Fraction(str(self.upper)))

    def _asked_unclipped(self, labels: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Each answer's name and whom it asks. InputError with bounds: what is clipped is not linear."""
        for key, bound in (("query.lower", self.lower), ("query.upper", self.upper)):
            if bound is not None:
                wanted = "no bounds: what is clipped is not linear in records that are real numbers"
                raise InputError(key, "given", wanted)
        return asked(set(labels), self.labels, self.per_label)
