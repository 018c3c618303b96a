"""A joint distribution written out row by row, independent groups of several types,
each given so, and independent records.

Two records that are (0, 0), (1, 1) or (0, 1) with 0.5, 0.3 and 0.2: the first is 1 with 0.3, the second with 0.5.

>>> table = Table(records=[[0, 0], [1, 1], [0, 1]], probabilities=[0.5, 0.3, 0.2])
>>> table.words
'2 records that depend on each other: (0, 0) with 50 %, (1, 1) with 30 %, (0, 1) with 20 %'
>>> (law,) = table.joints()
>>> [np.exp(each.log_prior).round(6).tolist() for each in law.subjects()]
[[0.7, 0.3], [0.5, 0.5]]
"""

from collections.abc import Sequence
from typing import Literal, Self, final

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from dalenius.field_types import Chance, Chances, Count, RecordValue
from dalenius.frozen import Frozen
from dalenius.joints.blocks import Block, tabled
from dalenius.joints.groups import BoxedGroups, groups_of
from dalenius.joints.joint import Belief
from dalenius.laws.law import Array
from dalenius.laws.probability_intervals import Box
from dalenius.models.model import Model, few_listed, given_intervals, percent, plural, rows, widened_row, widened_rows


class _JointRows(Frozen):
    """A group of records that depend on each other: all that they can be together, row by row.

    records (rows, n): their values; probabilities: one per row, a number or an interval [lo, hi]; labels: public, one
    per record of a row.
    """

    records: tuple[tuple[RecordValue, ...], ...]
    probabilities: Chances
    labels: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        """ValueError for rows of different lengths or of no records, a row that is there twice, or other than one
        probability per row and one label per record."""
        if len(self.records) != len(self.probabilities):
            count = len(self.probabilities)
            raise ValueError(f"as many probabilities as records (there are {count} and {len(self.records)})")
        width = len(self.records[0])
        seen: dict[tuple[RecordValue, ...], int] = {}
        for number, row in enumerate(self.records, 1):
            if len(row) != width or not row:
                raise ValueError(f"records rows of one length (row {number} has {len(row)} values, row 1 has {width})")
            # One row with two probabilities: the second may be a correction of the first.
            if row in seen:
                raise ValueError(f"each row of records once (rows {seen[row]} and {number} are equal)")
            seen[row] = number
        if self.labels is not None and len(self.labels) != width:
            raise ValueError(f"a label for each of the {width} records of a row (there are {len(self.labels)})")
        return self

    def groups(self, count: int, who: str) -> BoxedGroups:
        """So many alike; the universe of a record is the set of values that its column takes, in order."""
        # A value that no row has is none that the record can have.
        universes = [tuple(sorted(set(column), key=value_order)) for column in zip(*self.records, strict=True)]
        columns = list(zip(self.labels or [""] * len(universes), universes, strict=True))
        return _boxed(count, columns, self.records, self.probabilities, who)

    @property
    def in_words(self) -> str:
        """How many records they are, and their rows."""
        pairs = zip(self.records, self.probabilities, strict=True)
        each = (f"({', '.join(map(str, row))}) with {percent(chance)}" for row, chance in pairs)
        return f"{plural(len(self.records[0]), 'record')} that depend on each other: {few_listed(each)}"

    def widened(self, log_factor: float) -> Self:
        """The same with every probability off by the factor at most."""
        return self.altered({"probabilities": widened_row(self.probabilities, log_factor)})


def _boxed(
    count: int,
    columns: Sequence[tuple[str, tuple[RecordValue, ...]]],
    records: Sequence[Sequence[RecordValue]],
    probabilities: Sequence[Chance],
    who: str,
) -> BoxedGroups:
    """Groups given by their rows; columns: the label and the universe of each record of a row.

    A block for each law inside the box is made when it is asked for.
    """
    box = Box.of(probabilities)
    # Rows of probability 0 in all laws are dropped from every block.
    possible = np.flatnonzero(box.upper > 0)

    def made(law: Array) -> Block:
        return tabled(count, columns, records, law.tolist(), who)

    return BoxedGroups(box, made, lambda block: possible)


def value_order(value: RecordValue) -> tuple[bool, float, str]:
    """Numbers first, in order, then texts: a universe may have both."""
    return (isinstance(value, str), 0.0 if isinstance(value, str) else float(value), str(value))


@final
class Table(_JointRows, Model):
    """A joint law of all records, written out row by row."""

    kind: Literal["table"] = "table"

    @property
    def words(self) -> str:
        return self.in_words

    def rests_on(self) -> tuple[str, ...]:
        return given_intervals([self.probabilities])

    def joints(self) -> tuple[Belief]:
        return (groups_of([self.groups(1, "a record of the table")]),)


@final
class GroupType(_JointRows):
    """One type of group, written out row by row, such as couples.

    count: how many groups of this type.
    """

    count: Count = 1


@final
class Groups(Model):
    """Groups of records: dependent within, independent between."""

    kind: Literal["groups"] = "groups"
    types: tuple[GroupType, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        each = (f"{plural(kind.count, 'group')} of {kind.in_words}" for kind in self.types)
        return f"{few_listed(each, '; ')}; groups do not depend on each other"

    def rests_on(self) -> tuple[str, ...]:
        return given_intervals(each.probabilities for each in self.types)

    def joints(self) -> tuple[Belief]:
        types = enumerate(self.types, 1)
        blocks = [each.groups(each.count, f"position in a group of type {number}") for number, each in types]
        return (groups_of(blocks),)

    def widened(self, log_factor: float) -> "Groups":
        return self.altered({"types": tuple(each.widened(log_factor) for each in self.types)})


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
        # A value twice, or none at all, beside rows of probabilities for each of them.
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
        # Bits: each number is the chance of a 1, and each pair a row.
        if values is None:
            given = [_bit(p, number) for number, p in enumerate(given, 1)]
        rows = given if isinstance(given[0], list | tuple) else (given,)
        for number, row in enumerate(rows, 1):
            if not isinstance(row, list | tuple) or len(row) != width:
                raise ValueError(f"one probability for each of the {width} values (row {number} is {row})")
        # Three rows and n = 100: which of the hundred have which row is not said.
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
        each = few_listed((rows(values, row) for row in kinds), "; or ")
        several = f"each with one of {len(kinds):,} laws" if len(kinds) > 1 else "each is"
        return f"{plural(count, 'record')}, none of which depends on another; {several}: {each}"

    def rests_on(self) -> tuple[str, ...]:
        return given_intervals(self.probabilities)

    def joints(self) -> tuple[Belief]:
        universe: tuple[RecordValue, ...] = (0, 1) if self.values is None else self.values
        # A million alike are one line of a spec, and one block: nobody is listed.
        if self.labels is None and self.n is not None:
            return (groups_of([self._block("", self.probabilities[0], self.n, universe)]),)
        # With labels people of one row and label are one block, wherever they are in the list.
        rows = self.probabilities * (self.n or 1)
        alike: dict[tuple[str, tuple[Chance, ...]], list[int]] = {}
        for number, key in enumerate(zip(self.labels or [""] * len(rows), rows, strict=True), 1):
            alike.setdefault(key, []).append(number)
        blocks = [self._block(label, row, len(people), universe) for (label, row), people in alike.items()]
        return (groups_of(blocks, [number for people in alike.values() for number in people]),)

    def widened(self, log_factor: float) -> "Independent":
        return self.altered({"probabilities": widened_rows(self.probabilities, log_factor)})

    def _block(self, label: str, row: tuple[Chance, ...], count: int, universe: tuple[RecordValue, ...]) -> BoxedGroups:
        """So many records of one label and one law, each a group of its own."""
        rows = [(value,) for value in universe]
        return _boxed(count, [(label, universe)], rows, row, "a record independent of all others")


def _bit(p: object, number: int) -> Sequence[object]:
    """The row of a record of which this is the chance that it is 1; a row as it is."""
    if isinstance(p, list | tuple):
        return p
    # True is no probability, though Python would take it for 1.
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        raise ValueError(f"probabilities from 0 to 1 (number {number} is {p})")
    return 1 - float(p), float(p)
