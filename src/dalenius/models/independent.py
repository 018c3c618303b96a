"""Independent records: what every library of today assumes."""

from collections import Counter
from typing import Literal, final

from pydantic import model_validator

from dalenius.models.block import Block, tabled
from dalenius.models.blocks import Blocks, side_by_side
from dalenius.models.model import Model
from dalenius.schema import Count, Probability, RecordValue, distribution


@final
class Independent(Model):
    """Records X_1..X_n independent of each other.

    probabilities: [p_1..p_n], the chances that bit i is 1; or, with `values`, a row of probabilities per record.
    n: with one row (or one p), that many records alike.
    """

    kind: Literal["independent"] = "independent"
    probabilities: tuple[Probability, ...] | tuple[tuple[Probability, ...], ...]
    values: tuple[RecordValue, ...] | None = None
    n: Count | None = None

    @model_validator(mode="after")
    def _check(self) -> "Independent":
        rows = self._rows()
        if not rows:
            raise ValueError("at least one record in probabilities")
        if self.n is not None and len(rows) != 1:
            raise ValueError(f"one row of probabilities beside n = {self.n} (there are {len(rows)})")
        return self

    def _universe(self) -> tuple[RecordValue, ...]:
        return (0, 1) if self.values is None else self.values

    def _rows(self) -> list[tuple[float, ...]]:
        universe = self._universe()
        if len(set(universe)) != len(universe) or not universe:
            raise ValueError(f"distinct values (not {list(universe)})")
        given = self.probabilities
        if self.values is None:
            return [distribution((1 - p, p)) for p in map(_bit, given)]
        rows = [given] if given and not isinstance(given[0], tuple) else list(given)
        for number, row in enumerate(rows, 1):
            if not isinstance(row, tuple) or len(row) != len(universe):
                raise ValueError(f"one probability for each of the {len(universe)} values in probabilities row {number}")
        return [distribution(row) for row in rows]  # type: ignore[arg-type]

    def joints(self) -> tuple[Blocks]:
        universe = self._universe()
        alike = Counter(self._rows())
        return (side_by_side([self._block(row, count * (self.n or 1), universe) for row, count in alike.items()]),)

    def _block(self, row: tuple[float, ...], count: int, universe: tuple[RecordValue, ...]) -> Block:
        return tabled(count, [("", universe)], [(value,) for value in universe], row, "a record independent of all others")


def _bit(p: object) -> float:
    if isinstance(p, tuple):
        if len(p) == 1:
            return _bit(p[0])
        raise ValueError("values beside rows of probabilities")
    if not isinstance(p, int | float) or not 0 <= p <= 1:
        raise ValueError(f"probabilities from 0 to 1 (not {p})")
    return float(p)
