"""Which secrets must stay hidden: by default everybody's, and every pair of values."""

from typing import final

from pydantic import Field

from dalenius.errors import InputError
from dalenius.models import Joint, Subject
from dalenius.schema import Count, Frozen, RecordValue


@final
class Secrets(Frozen):
    """people: their numbers, from 1; pairs: the pairs of values that must not be told apart (Pufferfish)."""

    people: tuple[Count, ...] | None = Field(default=None, min_length=1)
    pairs: tuple[tuple[RecordValue, RecordValue], ...] | None = Field(default=None, min_length=1)

    def firsts(self, joint: Joint) -> frozenset[int] | None:
        """The first people of the classes asked about; None for all. InputError for a person who is not there."""
        if self.people is None:
            return None
        return frozenset(joint.subject_of(person).person for person in self.people)

    def check(self, joint: Joint) -> None:
        """InputError where a pair names a value no record can have, or one value twice."""
        known = {value for stratum in joint.strata() for value in stratum.values}
        for number, pair in enumerate(self.pairs or (), 1):
            for value in pair:
                if value not in known:
                    raise InputError(
                        f"secrets.pairs row {number}", value, f"values of records {sorted(known, key=str)}"
                    )
            if pair[0] == pair[1]:
                raise InputError(f"secrets.pairs row {number}", list(pair), "two different values")

    def pairs_of(self, subject: Subject) -> tuple[tuple[int, int], ...] | None:
        """The pairs as indices into the subject's secrets; those it cannot have are left out."""
        if self.pairs is None:
            return None
        place = {value: i for i, value in enumerate(subject.secrets)}
        return tuple((place[a], place[b]) for a, b in self.pairs if a in place and b in place)
