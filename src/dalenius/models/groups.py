"""A joint distribution written out row by row, and independent groups of several types, each given so."""

from collections.abc import Sequence
from typing import Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.joints.blocks import Block, tabled
from dalenius.joints.groups import BoxedGroups, groups_of
from dalenius.joints.joint import Belief
from dalenius.laws.box import Box
from dalenius.laws.law import Array
from dalenius.models.model import Model, listed, percent, plural, widened_row, within
from dalenius.schema import Chance, Chances, Count, Frozen, RecordValue


@final
class Table(Model):
    """records: rows of record values (rows, n); probabilities: one per row, a number or an interval [lo, hi]; labels:
    public, one per record."""

    kind: Literal["table"] = "table"
    records: tuple[tuple[RecordValue, ...], ...]
    probabilities: Chances
    labels: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Table":
        check_rows(self.records, self.probabilities, self.labels)
        return self

    @property
    def words(self) -> str:
        return group_words(self.records, self.probabilities)

    def rests_on(self) -> tuple[str, ...]:
        return within([self.probabilities])

    def joints(self) -> tuple[Belief]:
        block = credal_rows(1, self.records, self.probabilities, self.labels, "a record of the table")
        return (groups_of([block]),)

    def widened(self, log_factor: float) -> "Table":
        return self.altered({"probabilities": widened_row(self.probabilities, log_factor)})

    def divergence(self, log_factor: float) -> float:
        """Pr[x | s] = Pr[x] / Pr[s], and each of the two is off by the factor at most."""
        return 2 * log_factor


def check_rows(
    records: Sequence[Sequence[RecordValue]], probabilities: Sequence[Chance], labels: Sequence[str] | None
) -> None:
    """Rows of one length, as many as probabilities, none twice, as wide as labels; ValueError says which is not."""
    if len(records) != len(probabilities):
        raise ValueError(f"as many probabilities as records (there are {len(probabilities)} and {len(records)})")
    width = len(records[0])
    seen: dict[tuple[RecordValue, ...], int] = {}
    for number, row in enumerate(records, 1):
        if len(row) != width or not row:
            raise ValueError(f"records rows of one length (row {number} has {len(row)} values, row 1 has {width})")
        if tuple(row) in seen:
            raise ValueError(f"each row of records once (rows {seen[tuple(row)]} and {number} are equal)")
        seen[tuple(row)] = number
    if labels is not None and len(labels) != width:
        raise ValueError(f"a label for each of the {width} records of a row (there are {len(labels)})")


def block_of_rows(
    count: int,
    records: Sequence[Sequence[RecordValue]],
    probabilities: Sequence[float],
    labels: Sequence[str] | None,
    who: str,
) -> Block:
    """A group given by its table; a position's universe is the set of values its column takes, in order."""
    universes = [tuple(sorted(set(column), key=_order)) for column in zip(*records, strict=True)]
    columns = list(zip(labels or [""] * len(universes), universes, strict=True))
    return tabled(count, columns, records, probabilities, who)


def credal_rows(
    count: int,
    records: Sequence[Sequence[RecordValue]],
    probabilities: Sequence[Chance],
    labels: Sequence[str] | None,
    who: str,
) -> BoxedGroups:
    """The same of a row of probabilities of which each may be an interval."""
    box = Box.of(probabilities)
    possible = np.flatnonzero(box.upper > 0)

    def made(law: Array) -> Block:
        return block_of_rows(count, records, law.tolist(), labels, who)

    return BoxedGroups(box, made, lambda block: possible)


def _order(value: RecordValue) -> tuple[bool, float, str]:
    return (isinstance(value, str), 0.0 if isinstance(value, str) else float(value), str(value))


def group_words(records: Sequence[Sequence[RecordValue]], probabilities: Sequence[Chance]) -> str:
    """A group given by its rows, in words."""
    each = (
        f"({', '.join(map(str, row))}) with {percent(chance)}"
        for row, chance in zip(records, probabilities, strict=True)
    )
    return f"{plural(len(records[0]), 'record')} that depend on each other: {listed(each)}"


@final
class GroupType(Frozen):
    """count: how many groups of this type; records: rows of the group's record values; probabilities: one per row, a
    number or an interval [lo, hi].

    labels: public, one per record of a row.
    """

    count: Count = 1
    records: tuple[tuple[RecordValue, ...], ...]
    probabilities: Chances
    labels: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "GroupType":
        check_rows(self.records, self.probabilities, self.labels)
        return self

    def widened(self, log_factor: float) -> "GroupType":
        """The same type with every probability off by the factor at most."""
        return self.altered({"probabilities": widened_row(self.probabilities, log_factor)})


@final
class Groups(Model):
    """Groups of records: dependent within, independent between."""

    kind: Literal["groups"] = "groups"
    types: tuple[GroupType, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        each = (
            f"{plural(kind.count, 'group')} of {group_words(kind.records, kind.probabilities)}" for kind in self.types
        )
        return f"{listed(each, '; ')}; groups do not depend on each other"

    def rests_on(self) -> tuple[str, ...]:
        return within(each.probabilities for each in self.types)

    def joints(self) -> tuple[Belief]:
        blocks = [
            credal_rows(
                each.count, each.records, each.probabilities, each.labels, f"position in a group of type {number}"
            )
            for number, each in enumerate(self.types, 1)
        ]
        return (groups_of(blocks),)

    def widened(self, log_factor: float) -> "Groups":
        return self.altered({"types": tuple(each.widened(log_factor) for each in self.types)})

    def divergence(self, log_factor: float) -> float:
        """Of the own group: Pr[x | s] = Pr[x] / Pr[s], and each of the two is off by the factor at most."""
        return 2 * log_factor
