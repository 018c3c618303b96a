"""Independent records."""

from collections.abc import Sequence
from typing import Literal, final

import numpy as np
from pydantic import ValidationInfo, field_validator, model_validator

from dalenius.joints.blocks import Block, tabled
from dalenius.joints.groups import BoxedGroups, groups_of
from dalenius.joints.joint import Belief
from dalenius.laws.box import Box
from dalenius.laws.law import Array
from dalenius.models.model import Model, listed, plural, rows, widened_rows, within
from dalenius.schema import Chance, Chances, Count, RecordValue


@final
class Independent(Model):
    """Records X_1..X_n independent of each other.

    probabilities: [p_1..p_n], the chances that bit i is 1; or, with `values`, a row of probabilities per record. An
    entry of a row may be an interval [lo, hi]; without `values` [a, b] is a row, and intervals are [[a, b], [c, d]].
    n: with one row (or one p), that many identically distributed records. labels: public, one per record, for queries.
    """

    kind: Literal["independent"] = "independent"
    values: tuple[RecordValue, ...] | None = None
    n: Count | None = None
    labels: tuple[str, ...] | None = None
    probabilities: tuple[Chances, ...]

    @field_validator("values")
    @classmethod
    def _distinct(cls, values: tuple[RecordValue, ...] | None) -> tuple[RecordValue, ...] | None:
        if values is not None and (len(set(values)) != len(values) or not values):
            raise ValueError("distinct values, at least one")
        return values

    @field_validator("probabilities", mode="before")
    @classmethod
    def _rows(cls, given: object, info: ValidationInfo) -> Sequence[object]:
        if not isinstance(given, list | tuple) or not given:
            raise ValueError("a list of probabilities, or of rows of them")
        values = info.data.get("values")
        width = 2 if values is None else len(values)
        if values is None:
            given = [_bit(p, number) for number, p in enumerate(given, 1)]
        rows = given if isinstance(given[0], list | tuple) else (given,)
        for number, row in enumerate(rows, 1):
            if not isinstance(row, list | tuple) or len(row) != width:
                raise ValueError(f"one probability for each of the {width} values (row {number} is {row})")
        if info.data.get("n") is not None and len(rows) != 1:
            raise ValueError(f"one row beside n = {info.data['n']} (there are {len(rows)})")
        return rows

    @model_validator(mode="after")
    def _check(self) -> "Independent":
        people = self.n or len(self.probabilities)
        if self.labels is not None and len(self.labels) != people:
            raise ValueError(f"a label for each of the {people} records (there are {len(self.labels)})")
        return self

    @property
    def words(self) -> str:
        count = self.n or len(self.probabilities)
        values = (0, 1) if self.values is None else self.values
        kinds = list(dict.fromkeys(self.probabilities))
        each = listed((rows(values, row) for row in kinds), "; or ")
        several = f"each with one of {len(kinds):,} laws" if len(kinds) > 1 else "each is"
        return f"{plural(count, 'record')}, none of which depends on another; {several}: {each}"

    def rests_on(self) -> tuple[str, ...]:
        return within(self.probabilities)

    def joints(self) -> tuple[Belief]:
        universe: tuple[RecordValue, ...] = (0, 1) if self.values is None else self.values
        if self.labels is None and self.n is not None:
            return (groups_of([self._block("", self.probabilities[0], self.n, universe)]),)
        rows = self.probabilities * (self.n or 1)
        alike: dict[tuple[str, tuple[Chance, ...]], list[int]] = {}
        for number, key in enumerate(zip(self.labels or [""] * len(rows), rows, strict=True), 1):
            alike.setdefault(key, []).append(number)
        blocks = [self._block(label, row, len(people), universe) for (label, row), people in alike.items()]
        return (groups_of(blocks, [number for people in alike.values() for number in people]),)

    def widened(self, log_factor: float) -> "Independent":
        return self.altered({"probabilities": widened_rows(self.probabilities, log_factor)})

    def divergence(self, log_factor: float) -> float:
        """0: given the secret, the records that depend on it are the record itself."""
        return 0.0

    def _block(self, label: str, row: tuple[Chance, ...], count: int, universe: tuple[RecordValue, ...]) -> BoxedGroups:
        box = Box.of(row)
        possible = np.flatnonzero(box.upper > 0)

        def made(law: Array) -> Block:
            rows = [(value,) for value in universe]
            return tabled(count, [(label, universe)], rows, law.tolist(), "a record independent of all others")

        return BoxedGroups(box, made, lambda block: possible)


def _bit(p: object, number: int) -> Sequence[object]:
    """The row of a record of which this is the chance that it is 1; a row as it is."""
    if isinstance(p, list | tuple):
        return p
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        raise ValueError(f"probabilities from 0 to 1 (number {number} is {p})")
    return 1 - float(p), float(p)
