"""The sum of the records' values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Literal, final

import numpy as np

from dalenius.errors import InputError
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, Weights, by_label, said
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.schema import Finite
from dalenius.tallies.integers import size, total, whole
from dalenius.tallies.leave_one_out import LeftOut, of_levels
from dalenius.tallies.tally import Tally


@final
class Sum(NumericQuery):
    """weights: by label, what each value is multiplied by after clipping; 1 by default."""

    kind: Literal["sum"] = "sum"
    weights: Mapping[str, Finite] | None = None

    @property
    def words(self) -> str:
        return super().words if self.weights is None else f"{super().words}, weighted {said(dict(self.weights))}"

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

    def share_of_total(self, people: int) -> Fraction:
        return Fraction(1)

    def left_out(self, tally: Tally) -> LeftOut:
        asked = self._asked(tally)
        weights, unit = self._in_units(tally.labels, asked.unit)
        steps = np.where(asked.who, asked.steps, 0)
        wide = whole(steps, max(size(steps), 1) * max(abs(weight) for weight in weights))
        scores = wide if set(weights) == {1} else wide * np.array(weights, dtype=wide.dtype)[tally.label]
        return of_levels(-scores, unit, total(scores, tally.counts) * unit, tally.counts, tally.whose)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        weight = abs(self._weight(""))
        return Sensitivities(weight * (high - low), weight * max(abs(low), abs(high)))

    def _in_units(self, labels: Sequence[str], unit: Fraction) -> tuple[list[int], Fraction]:
        """The labels' weights as whole numbers, and the unit of a value so weighted."""
        weights = [self._weight(label) for label in labels]
        denominator = lcm(*(weight.denominator for weight in weights))
        return [int(weight * denominator) for weight in weights], unit / denominator
