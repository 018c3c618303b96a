"""The least of the records' values."""

from collections.abc import Sequence
from typing import Literal, final

import numpy as np

from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, by_label
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.tallies.leave_one_out import LeftOut
from dalenius.tallies.tally import Tally


@final
class Min(NumericQuery):
    """The least value of anybody who is asked."""

    kind: Literal["min"] = "min"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value), combine="min")

    def left_out(self, tally: Tally) -> LeftOut:
        asked = self._asked(tally).at_least(2, self.kind)
        values, below = asked.ordered()
        alone = below[0] == 1
        place = np.where(asked.who & (asked.shifted == values[0]) & alone, 1, 0)
        return asked.answers(values[place], asked.unit, asked.origin * asked.unit)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities(high - low, high - low)
