"""The mean of the records' values; how many there are is public."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, Weights, by_label


@final
class Mean(NumericQuery):
    """The mean over everybody who is asked."""

    kind: Literal["mean"] = "mean"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value) / people)

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        found = []
        for name, among in self._asked_unclipped(labels):
            people = sum(label in among for label in labels)
            found.append(Weights(name, tuple(Fraction(int(label in among), people) for label in labels)))
        return tuple(found)
