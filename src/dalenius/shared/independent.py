"""The law of people's processes over several data sets that do not depend on each other (IP Prop 8)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import final

from dalenius.joints.chain.chain import MarkovChain
from dalenius.joints.factors import Factor
from dalenius.joints.joint import Joint, Stratum, Subject, known_places
from dalenius.laws.transform import Element, Transform
from dalenius.schema import Process, RecordValue


@final
class IndependentStages(Joint):
    """whole: the law of the processes; stages: of which it is the product, of processes of one stage each."""

    def __init__(self, whole: Joint, stages: tuple[Joint, ...]) -> None:
        self.whole = whole
        self._stages = stages

    @property
    def stages(self) -> tuple[Joint, ...]:
        return self._stages

    def given(self, known: Mapping[int, RecordValue]) -> "IndependentStages":
        whole = self.whole.given(known)
        universes = {person: self.strata()[self.subject_of(person).stratum].values for person in known}
        each: list[dict[int, RecordValue]] = [{} for _ in self._stages]
        for person, place in known_places(known, universes).items():
            process = universes[person][place]
            assert isinstance(process, Process)
            for own, name, value in zip(each, process.stages, process.values, strict=True):
                own[person] = Process((name,), (value,))
        return IndependentStages(whole, tuple(law.given(own) for law, own in zip(self._stages, each, strict=True)))

    def strata(self) -> tuple[Stratum, ...]:
        return self.whole.strata()

    def subjects(self) -> tuple[Subject, ...]:
        return self.whole.subjects()

    def subject_of(self, person: int) -> Subject:
        return self.whole.subject_of(person)

    def number_of(self, name: str) -> int | None:
        return self.whole.number_of(name)

    def factors(self) -> tuple[Factor, ...]:
        return self.whole.factors()

    @property
    def chain(self) -> MarkovChain | None:
        return self.whole.chain

    def part(self, factors: Collection[int], alone: bool = False) -> Joint:
        return self.whole.part(factors, alone)

    def outcome_count(self) -> int:
        return self.whole.outcome_count()

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        return self.whole.mean_product(transform)

    def total(self, transform: Transform[Element]) -> Element:
        return self.whole.total(transform)
