"""Independent groups of several types, each type given by a table."""

from typing import Literal, final

from pydantic import Field, model_validator

from dalenius.joints.groups.boxed import groups_of
from dalenius.joints.joint import Belief
from dalenius.models.model import Model, within
from dalenius.models.table import check_rows, credal_rows, group_words
from dalenius.models.widening import widened_row
from dalenius.models.wording import listed, plural
from dalenius.schema import Chances, Count, Frozen, RecordValue


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
