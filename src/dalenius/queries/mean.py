"""The mean of the records' values; how many there are is public."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

import numpy as np

from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, Weights, by_label
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.tallies.integers import size, whole
from dalenius.tallies.leave_one_out import LeftOut
from dalenius.tallies.tally import Tally


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

    def share_of_total(self, people: int) -> Fraction:
        return Fraction(1, people)

    def left_out(self, tally: Tally) -> LeftOut:
        asked = self._asked(tally).at_least(2, self.kind)
        people, unit = asked.people, asked.unit
        start, total = asked.origin * unit, asked.total
        if asked.everybody:
            return asked.answers(-asked.shifted, unit / (people - 1), start + total * unit / (people - 1))
        # The mean of all asked, S/N, stays where the absent one is not; otherwise (S - v)/(N - 1), beyond it by
        # (S - Nv)/(N(N - 1)).
        above = total - people * whole(asked.shifted, 2 * people * size(asked.shifted))
        levels = np.where(asked.who, above, 0)
        return asked.answers(levels, unit / (people * (people - 1)), start + total * unit / people)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities((high - low) / (universe.n - 1), (high - low) / universe.n)
