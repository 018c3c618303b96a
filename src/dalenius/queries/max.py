"""The greatest of the records' values."""

from collections.abc import Sequence
from typing import Literal, final

from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, by_label


@final
class Max(NumericQuery):
    """The greatest value of anybody who is asked."""

    kind: Literal["max"] = "max"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value), combine="max")
