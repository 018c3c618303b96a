"""A joint distribution written out row by row, and independent groups of several types, each given so.

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
from pydantic import Field, model_validator

from dalenius.arrays import Array
from dalenius.fields import Chance, Chances, Count, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.joints.identical_groups import Block, tabled
from dalenius.joints.independent_groups_law import BoxedGroups, groups_of
from dalenius.joints.joint import Belief
from dalenius.laws.box import Box
from dalenius.models.model import Model, few_listed, given_intervals, percent, plural, widened_row


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
        numbers: dict[tuple[RecordValue, ...], int] = {}
        for number, row in enumerate(self.records, 1):
            if len(row) != width or not row:
                raise ValueError(f"records rows of one length (row {number} has {len(row)} values, row 1 has {width})")
            # One row with two probabilities: the second may be a correction of the first.
            if row in numbers:
                raise ValueError(f"each row of records once (rows {numbers[row]} and {number} are equal)")
            numbers[row] = number
        if self.labels is not None and len(self.labels) != width:
            raise ValueError(f"a label for each of the {width} records of a row (there are {len(self.labels)})")
        return self

    def groups(self, count: int, who: str) -> BoxedGroups:
        """So many alike; the universe of a record is the set of values that its column takes, in order."""
        # A value that no row has is none that the record can have.
        universes = [tuple(sorted(set(column), key=value_order)) for column in zip(*self.records, strict=True)]
        columns = list(zip(self.labels or [""] * len(universes), universes, strict=True))
        return boxed(count, columns, self.records, self.probabilities, who)

    @property
    def in_words(self) -> str:
        """How many records they are, and their rows."""
        pairs = zip(self.records, self.probabilities, strict=True)
        each = (f"({', '.join(map(str, row))}) with {percent(chance)}" for row, chance in pairs)
        return f"{plural(len(self.records[0]), 'record')} that depend on each other: {few_listed(each)}"

    def widened(self, log_factor: float) -> Self:
        """The same with every probability off by the factor at most."""
        return self.altered({"probabilities": widened_row(self.probabilities, log_factor)})


def boxed(
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
