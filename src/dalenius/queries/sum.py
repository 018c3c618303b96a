"""The sum of the records' values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, final

from dalenius.errors import InputError
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, Weights, by_label
from dalenius.schema import Finite


@final
class Sum(NumericQuery):
    """weights: by label, what each value is multiplied by after clipping; 1 by default."""

    kind: Literal["sum"] = "sum"
    weights: Mapping[str, Finite] | None = None

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
        return tuple(
            Weights(name, tuple(self._weight(label) if label in among else Fraction(0) for label in labels))
            for name, among in self._asked_unclipped(labels)
        )
