"""A set of laws that is known to hold the laws meant, and more."""

from collections.abc import Iterable, Mapping
from typing import ClassVar, final

from dalenius.joints.credal.groups import CredalGroups, set_of
from dalenius.joints.groups.boxed import BoxedGroups
from dalenius.joints.joint import Belief, Stratum, Subject
from dalenius.schema import RecordValue


@final
class Outer(Belief):
    """Groups each of which has a law of `around`, but perhaps not any of these: what holds of all of them holds of
    those meant, what some attain does not."""

    nature: ClassVar[str] = "groups with intervals around them"

    def __init__(self, around: CredalGroups) -> None:
        self.around = around

    def strata(self) -> tuple[Stratum, ...]:
        return self.around.strata()

    def labelled(self) -> dict[str, int]:
        return self.around.labelled()

    def subject_of(self, person: int) -> Subject:
        return self.around.subject_of(person)

    def number_of(self, name: str) -> int | None:
        return self.around.number_of(name)

    @property
    def is_set(self) -> bool:
        return True

    def given(self, known: Mapping[int, RecordValue]) -> "Outer":
        return Outer(self.around.given(known))


def around(parts: Iterable[Iterable[BoxedGroups]], corners: Iterable[Iterable[BoxedGroups]]) -> tuple[Belief, ...]:
    """Sets of laws around those that are meant, of which each part holds some; and sets that have only such."""
    return (*(Outer(set_of(part)) for part in parts), *map(set_of, corners))
