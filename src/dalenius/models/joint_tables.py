"""A joint distribution written out row by row, and independent groups of several types, each written out so."""

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
from dalenius.models.model import Model, given_intervals, percent, widened_row
from dalenius.sentences.sentence import Phrase, commas, counted, few_listed, said, semicolons, value_phrase


class _JointRows(Frozen):
    """A group of records that depend on each other: every combination of their values, row by row.

    Args:
        records: The values of the records (rows, n); each row once.
        probabilities: The probability of each row, a number or an interval [lo, hi].
        labels: Public labels for queries, one per record of a row; None (the default) for no labels.
    """

    records: tuple[tuple[RecordValue, ...], ...]
    probabilities: Chances
    labels: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Checks the rows.

        Raises:
            ValueError: If rows differ in length, have no records or are there twice, or if there is not one probability
                per row and one label per record.
        """
        if len(self.records) != len(self.probabilities):
            count = len(self.probabilities)
            raise ValueError(f"as many probabilities as records (there are {count} and {len(self.records)})")
        width = len(self.records[0])
        numbers: dict[tuple[RecordValue, ...], int] = {}
        for number, row in enumerate(self.records, 1):
            if len(row) != width or not row:
                raise ValueError(f"records rows of one length (row {number} has {len(row)} values, row 1 has {width})")
            # The case of one row with two probabilities: the second may be a correction of the first.
            if row in numbers:
                raise ValueError(f"each row of records once (rows {numbers[row]} and {number} are equal)")
            numbers[row] = number
        if self.labels is not None and len(self.labels) != width:
            raise ValueError(f"a label for each of the {width} records of a row (there are {len(self.labels)})")
        return self

    def groups(self, count: int, who: str) -> BoxedGroups:
        """Returns equal groups; a record's universe is the set of values that its column takes, in order.

        Args:
            count: How many groups.
            who: What a report calls one of the records.

        Returns:
            The groups, with the box of laws that they may have.
        """
        # Because a value that no row has is none that the record can have.
        universes = [tuple(sorted(set(column), key=value_order)) for column in zip(*self.records, strict=True)]
        columns = list(zip(self.labels or [""] * len(universes), universes, strict=True))
        return boxed(count, columns, self.records, self.probabilities, who)

    @property
    def in_words(self) -> Phrase:
        """The number of records and their rows, in words."""
        pairs = zip(self.records, self.probabilities, strict=True)
        each = (said("row_with_chance", row=commas(map(value_phrase, row)), chance=percent(p)) for row, p in pairs)
        return counted("joint_record", "joint_records", len(self.records[0]), law=few_listed(each))

    def widened(self, log_factor: float) -> Self:
        """Returns the group with probabilities that may be off by a factor at most; a 0 stays 0.

        Args:
            log_factor: The logarithm of the factor, in nats.

        Returns:
            The group with intervals in place of its probabilities.
        """
        return self.altered({"probabilities": widened_row(self.probabilities, log_factor)})


def boxed(
    count: int,
    columns: Sequence[tuple[str, tuple[RecordValue, ...]]],
    records: Sequence[Sequence[RecordValue]],
    probabilities: Sequence[Chance],
    who: str,
) -> BoxedGroups:
    """Returns equal groups that are given by their rows.

    A block for each law inside the box is made when it is needed.

    Args:
        count: How many groups.
        columns: The label and the universe of each record of a row.
        records: The values of the records, row by row.
        probabilities: The probability of each row, a number or an interval.
        who: What a report calls one of the records.
    """
    box = Box.of(probabilities)
    # Because rows of probability 0 in all laws are dropped from every block.
    possible = np.flatnonzero(box.upper > 0)

    def made(law: Array) -> Block:
        return tabled(count, columns, records, law.tolist(), who)

    return BoxedGroups(box, made, lambda block: possible)


def value_order(value: RecordValue) -> tuple[bool, float, str]:
    """Returns a key for a record's `value` that sorts numbers first, in order, then texts: a universe may have both."""
    return (isinstance(value, str), 0.0 if isinstance(value, str) else float(value), str(value))


@final
class Table(_JointRows, Model):
    """A joint law of all records, written out row by row.

    Args:
        records: The values of the n records (rows, n), one row for each combination that can occur.
        probabilities: The probability of each row, a number or an interval [lo, hi]; with intervals every promise is
            for all laws inside.
        labels: Public labels for queries, one per record; None (the default) for no labels.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        The first of two records is 1 with 0.3, the second with 0.5.

        >>> import dalenius as dl
        >>> import numpy as np
        >>> (law,) = dl.Table(records=[[0, 0], [1, 1], [0, 1]], probabilities=[0.5, 0.3, 0.2]).joints()
        >>> [np.exp(record.log_prior).round(6).tolist() for record in law.subjects()]
        [[0.7, 0.3], [0.5, 0.5]]
    """

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

    Args:
        count: How many groups there are of this type; 1 by default.
        records: The values of a group's n records (rows, n), one row for each combination that can occur.
        probabilities: The probability of each row, a number or an interval [lo, hi].
        labels: Public labels for queries, one per record of a row; None (the default) for no labels.

    Example:
        >>> import dalenius as dl
        >>> dl.GroupType(count=40, records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1]).in_words
        '2 records that depend on each other: (0, 0) with 90 %, (1, 1) with 10 %'
    """

    count: Count = 1


@final
class Groups(Model):
    """Groups of records that depend on each other within a group, and not between groups.

    People are numbered on from type to type.

    Args:
        types: The types of group; at least one.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        >>> import dalenius as dl
        >>> couples = dl.GroupType(count=40, records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
        >>> found = dl.InferentialPrivacy().leakage(dl.Release(dl.Groups(types=[couples]), dl.Count(), dl.Laplace(4.0)))
        >>> f"{found.upper:.4f}"
        '0.5000'
    """

    kind: Literal["groups"] = "groups"
    types: tuple[GroupType, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        each = (counted("group_of", "groups_of", kind.count, group=kind.in_words) for kind in self.types)
        return semicolons([few_listed(each, "between_clauses"), said("groups_apart")])

    def rests_on(self) -> tuple[str, ...]:
        return given_intervals(each.probabilities for each in self.types)

    def joints(self) -> tuple[Belief]:
        types = enumerate(self.types, 1)
        blocks = [each.groups(each.count, f"position in a group of type {number}") for number, each in types]
        return (groups_of(blocks),)

    def widened(self, log_factor: float) -> "Groups":
        return self.altered({"types": tuple(each.widened(log_factor) for each in self.types)})
