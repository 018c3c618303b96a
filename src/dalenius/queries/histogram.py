"""How many records have each value: one answer per cell."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.queries.counted import counted, counted_worst
from dalenius.queries.query import Column, Kind, Query, check_values, said
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.schema import RecordValue
from dalenius.tallies.leave_one_out import LeftOut
from dalenius.tallies.tally import Tally


@final
class Histogram(Query):
    """cells: each a list of values counted together, in one answer per cell. A record moves two answers at most."""

    kind: Literal["histogram"] = "histogram"
    cells: tuple[tuple[RecordValue, ...], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> "Histogram":
        flat = [value for cell in self.cells for value in cell]
        if len(set(flat)) != len(flat) or not all(self.cells):
            raise ValueError("cells of at least one value, no value twice")
        return self

    @property
    def words(self) -> str:
        return f"how many records are {'; how many '.join(said(cell) for cell in self.cells)}"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        check_values(strata, [value for cell in self.cells for value in cell], "query.cells")
        slots = [value for stratum in strata for value in stratum.values]
        return tuple(
            Column(" or ".join(map(str, cell)), tuple(Fraction(int(value in cell)) for value in slots))
            for cell in self.cells
        )

    def left_out(self, tally: Tally) -> LeftOut:
        return counted(tally, tally.having(self._only(), "query.cells"))

    def worst_case(self, universe: Universe) -> Sensitivities:
        return counted_worst(universe, self._only(), "query.cells")

    def _only(self) -> tuple[RecordValue, ...]:
        if len(self.cells) > 1:
            raise InputError("query.cells", f"{len(self.cells)} cells", "one cell where the secret is who is absent")
        return self.cells[0]
