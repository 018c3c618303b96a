"""How many records have a value."""

from fractions import Fraction
from typing import Literal, final

from pydantic import Field

from dalenius.errors import InputError
from dalenius.queries.query import Query
from dalenius.schema import RecordValue


@final
class Count(Query):
    """values: those that count; 1 by default, so that it counts the bits that are set."""

    kind: Literal["count"] = "count"
    values: tuple[RecordValue, ...] = Field(default=(1,), min_length=1)

    def score(self, value: RecordValue, asked: int) -> Fraction:
        return Fraction(int(value in self.values))

    def check(self, values: frozenset[RecordValue]) -> None:
        for value in self.values:
            if value not in values:
                raise InputError("query.values", value, f"a value some record can have {sorted(values, key=str)[:20]}")
