"""Independent stages: laws of the same people in several data sets, as one law of their processes (IP Prop 8)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.joints.chain.chain import MarkovChain
from dalenius.joints.factors import Factor
from dalenius.joints.groups.block import of_slots
from dalenius.joints.groups.groups import GroupsLaw, product_of_groups
from dalenius.joints.joint import Joint, Stratum, Subject, known_places
from dalenius.joints.steps import Steps
from dalenius.laws.numbers.masses import Masses
from dalenius.laws.transform import Element, Transform
from dalenius.schema import Process, RecordValue

MOST_ROWS: Final = 1 << 16
"""Of a law that is written out record by record."""


def independent_stages(laws: Sequence[Joint], names: Sequence[str]) -> Joint:
    """The law of the processes; laws: of each stage, of the same people by number. InputError where the people differ;
    TooLarge where laws of different kinds would have to be written out."""
    _check_same_people([law.labelled() for law in laws], names)
    staged = tuple(law.extended(Steps((name,))) for law, name in zip(laws, names, strict=True))
    return _IndependentStages(reduce(_beside, staged), staged)


@final
class _IndependentStages(Joint):
    """whole: the law of the processes; stages: of which it is the product, of processes of one stage each."""

    def __init__(self, whole: Joint, stages: tuple[Joint, ...]) -> None:
        self._whole = whole
        self._stages = stages

    @property
    def stages(self) -> tuple[Joint, ...]:
        return self._stages

    def given(self, known: Mapping[int, RecordValue]) -> "_IndependentStages":
        whole = self._whole.given(known)
        universes = {person: self.strata()[self.subject_of(person).stratum].values for person in known}
        each: list[dict[int, RecordValue]] = [{} for _ in self._stages]
        for person, place in known_places(known, universes).items():
            process = universes[person][place]
            assert isinstance(process, Process)
            for own, name, value in zip(each, process.stages, process.values, strict=True):
                own[person] = Process((name,), (value,))
        return _IndependentStages(whole, tuple(law.given(own) for law, own in zip(self._stages, each, strict=True)))

    def strata(self) -> tuple[Stratum, ...]:
        return self._whole.strata()

    def subjects(self) -> tuple[Subject, ...]:
        return self._whole.subjects()

    def subject_of(self, person: int) -> Subject:
        return self._whole.subject_of(person)

    def number_of(self, name: str) -> int | None:
        return self._whole.number_of(name)

    def factors(self) -> tuple[Factor, ...]:
        return self._whole.factors()

    @property
    def chain(self) -> MarkovChain | None:
        return self._whole.chain

    def part(self, factors: Collection[int], alone: bool = False) -> Joint:
        return self._whole.part(factors, alone)

    def outcome_count(self) -> int:
        return self._whole.outcome_count()

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        return self._whole.mean_product(transform)

    def total(self, transform: Transform[Element]) -> Element:
        return self._whole.total(transform)

    def extended(self, steps: Steps) -> Joint:
        return self._whole.extended(steps)

    def beside(self, other: Joint) -> Joint | None:
        return self._whole.beside(other)


def _beside(one: Joint, other: Joint) -> Joint:
    found = one.beside(other)
    if found is not None:
        return found
    what, instead = "independent stages", "give the stages models of one kind"
    both = written_out(one, what, instead).beside(written_out(other, what, instead))
    assert both is not None
    return both


def written_out(joint: Joint, what: str, instead: str) -> GroupsLaw:
    """The same law as one group, row by row. TooLarge where there are too many; what, instead: for its message."""
    rows, strata = joint.outcome_count(), joint.strata()
    if rows > MOST_ROWS:
        raise TooLarge(what, f"a law of {float(rows):.2g} assignments beside one of another kind", instead)
    owner = np.repeat(np.arange(len(strata)), [len(stratum.values) for stratum in strata])
    slots, logs = joint.outcomes()
    alphabet = tuple((stratum.label, stratum.values) for stratum in strata)
    block = of_slots(1, alphabet, owner[slots[0]].tolist(), slots, Masses.of_logs(logs), "person of a law written out")
    rounding = (slots.shape[1] + 8) * (4 + float(np.max(np.abs(logs)))) * UNIT
    error = rounding + max(subject.class_error for subject in joint.subjects())
    return product_of_groups([replace(block, error=error)], joint.people())


def _check_same_people(people: Sequence[Mapping[str, int]], names: Sequence[str]) -> None:
    """InputError where somebody is at one stage and not at another; people: by stage, how many there are of each label.
    A stage whose people have no labels is of anybody."""
    everybody = [sum(stage.values()) for stage in people]
    labelled = [stage for stage in people if set(stage) != {""}]
    for name, stage, own in zip(names, people, everybody, strict=True):
        missing = [f"{max(everybody) - own} of {max(everybody)} people"] if own < max(everybody) else []
        if set(stage) != {""}:
            most = {label: max(each.get(label, 0) for each in labelled) for each in labelled for label in each}
            lacking = {label: most[label] - stage.get(label, 0) for label in sorted(most)}
            missing = [_said(label, number) for label, number in lacking.items() if number] or missing
        if missing:
            shown = f"stage {name} without {' and '.join(missing)}"
            raise InputError("model.within", shown, "the same people at all stages")


def _said(label: str, number: int) -> str:
    people = "person" if number == 1 else "people"
    return f"{number} {people} labelled {label!r}" if label else f"{number} {people} without a label"
