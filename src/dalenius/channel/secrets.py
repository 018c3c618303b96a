"""Which secrets must stay hidden: by default everybody's, and every pair of values."""

from typing import Annotated, Any, final

from pydantic import BeforeValidator, Field

from dalenius.channel.adversary import number_of
from dalenius.errors import InputError, Meaningless
from dalenius.joints import Joint, Stratum, Subject
from dalenius.schema import Frozen, Process, RecordValue, StageName


def _person(given: Any) -> int | str:
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(given, bool) or not (isinstance(given, str) or (isinstance(given, int) and given > 0)):
        raise ValueError("a number of at least 1 or a name")
    return given


Person = Annotated[int | str, BeforeValidator(_person)]


@final
class Secrets(Frozen):
    """people: their numbers, from 1, or names; pairs: of values that must not be distinguished (Pufferfish).
    stage: of a model with stages, the one at which a record's value is the secret, instead of its whole process."""

    people: tuple[Person, ...] | None = Field(default=None, min_length=1)
    pairs: tuple[tuple[RecordValue, RecordValue], ...] | None = Field(default=None, min_length=1)
    stage: StageName | None = None

    def firsts(self, joint: Joint) -> frozenset[int] | None:
        """The class representatives of `people`; None for all classes. InputError for an unknown person."""
        numbers = self.numbers(joint)
        return None if numbers is None else frozenset(joint.subject_of(number).person for number in numbers)

    def numbers(self, joint: Joint) -> frozenset[int] | None:
        """The numbers of `people`; None for everybody. InputError for an unknown person."""
        if self.people is None:
            return None
        return frozenset(number_of(joint, person, "secrets.people") for person in self.people)

    def check(self, joint: Joint) -> None:
        """InputError where a pair names a value no record can have, or one value twice."""
        known = {value for stratum in joint.strata() for value in self._values(stratum)}
        for number, pair in enumerate(self.pairs or (), 1):
            for value in pair:
                if value not in known:
                    raise InputError(
                        f"secrets.pairs row {number}", value, f"values of records {sorted(known, key=str)}"
                    )
            if pair[0] == pair[1]:
                raise InputError(f"secrets.pairs row {number}", list(pair), "two different values")

    def _values(self, stratum: Stratum) -> tuple[RecordValue, ...]:
        """What can be a secret. InputError where the records have no such stage."""
        if self.stage is None:
            return stratum.values
        processes = [value for value in stratum.values if isinstance(value, Process)]
        if len(processes) < len(stratum.values):
            raise InputError("secrets.stage", self.stage, "a model with stages (kind linked)")
        if self.stage not in processes[0].stages:
            raise InputError("secrets.stage", self.stage, f"one of the model's stages {list(processes[0].stages)}")
        place = processes[0].stages.index(self.stage)
        return tuple(process.values[place] for process in processes)

    def check_whole(self) -> None:
        """Meaningless where the secret is a record's value at one stage."""
        if self.stage is not None:
            raise Meaningless("secrets.stage", self.stage, "no such key here: the secret is a whole process")

    def pairs_of(self, subject: Subject) -> tuple[tuple[int, int], ...] | None:
        """The pairs as indices into the subject's secrets; pairs with an impossible value are left out."""
        if self.pairs is None:
            return None
        place = {value: i for i, value in enumerate(subject.secrets)}
        return tuple((place[a], place[b]) for a, b in self.pairs if a in place and b in place)
