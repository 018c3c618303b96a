"""Disjoint independent groups of records, many of them alike: one small table per type and a power (Theory §4)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import final

import numpy as np

from dalenius.errors import InputError
from dalenius.joints.groups.block import Block, Member, StratumKey
from dalenius.joints.groups.conditioning import conditioned
from dalenius.joints.joint import Joint, Stratum, Subject, impossible, known_places
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform, leave_one_out
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class _Placed:
    """A block among others: its first person's number, and the numbers its strata and slots have there."""

    block: Block
    first_person: int
    strata: IntArray
    slots: IntArray

    @property
    def end(self) -> int:
        return self.first_person + self.block.count * self.block.size


@final
class Blocks(Joint):
    """A product of independent groups. Build it with `side_by_side`."""

    def __init__(self, strata: Sequence[Stratum], placed: Sequence[_Placed], numbers: Sequence[int]) -> None:
        self._strata = tuple(strata)
        self._placed = tuple(placed)
        self._numbers = numbers
        self._values = [value for stratum in self._strata for value in stratum.values]

    @property
    def blocks(self) -> tuple[tuple[Block, IntArray], ...]:
        """Every type of group, with the numbers its slots have here."""
        return tuple((placed.block, placed.slots) for placed in self._placed)

    def strata(self) -> tuple[Stratum, ...]:
        return self._strata

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(placed, member) for placed in self._placed for member in placed.block.members)

    def _subject(self, placed: _Placed, member: Member) -> Subject:
        return Subject(
            person=self._numbers[placed.first_person + member.positions[0] - 1],
            people=placed.block.count * len(member.positions),
            stratum=int(placed.strata[member.stratum]),
            secrets=tuple(self._values[placed.slots[slot]] for slot in member.slots),
            log_prior=member.log_prior,
            dependents=placed.block.size,
            who=placed.block.who,
        )

    def subject_of(self, person: int) -> Subject:
        if not 1 <= person <= len(self._numbers):
            raise InputError("secrets.people", person, f"a person's number from 1 to {len(self._numbers)}")
        number, _, position = self._place(person)
        placed = self._placed[number]
        return self._subject(placed, next(m for m in placed.block.members if position in m.positions))

    def _place(self, person: int) -> tuple[int, int, int]:
        """Which block, which of its groups, and which position in it."""
        inside = self._numbers.index(person) + 1
        number, placed = next((i, p) for i, p in enumerate(self._placed) if p.first_person <= inside < p.end)
        return number, *divmod(inside - placed.first_person, placed.block.size)

    def given(self, known: Mapping[int, RecordValue]) -> "Blocks":
        universes = {person: self._strata[self.subject_of(person).stratum].values for person in known}
        places = known_places(known, universes)
        told: dict[tuple[int, int], dict[int, int]] = {}
        for person, value in places.items():
            number, group, position = self._place(person)
            told.setdefault((number, group), {})[position] = value
        blocks, numbers = [], []
        for number, placed in enumerate(self._placed):
            groups = [group for at, group in told if at == number]
            people = np.array(self._numbers[placed.first_person - 1 : placed.end - 1])
            rows = people.reshape(placed.block.count, placed.block.size)
            if len(groups) < placed.block.count:
                blocks.append(replace(placed.block, count=placed.block.count - len(groups)))
                numbers += np.delete(rows, groups, axis=0).ravel().tolist()
            for group in groups:
                one = conditioned(placed.block, told[number, group])
                if one is None:
                    raise impossible(known)
                blocks.append(one)
                numbers += rows[group].tolist()
        return side_by_side(blocks, numbers)

    def number_of(self, name: str) -> int | None:
        return None

    def groups(self) -> tuple[frozenset[int], ...]:
        return tuple(frozenset(int(s) for s in placed.strata) for placed in self._placed)

    def part(self, groups: Collection[int]) -> "Blocks":
        return Blocks(self._strata, [self._placed[i] for i in sorted(groups)], self._numbers)

    def one_of(self, group: int) -> "Blocks":
        placed = self._placed[group]
        return Blocks(self._strata, [replace(placed, block=replace(placed.block, count=1))], self._numbers)

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        elements, powers = self._elements(transform)
        for placed, others in zip(self._placed, leave_one_out(transform, elements, powers), strict=True):
            for member in placed.block.members:
                own = [transform.mean(given, placed.slots, placed.block.counts) for given in member.log_given]
                yield self._subject(placed, member), [transform.product([others, each], [1, 1]) for each in own]

    def total(self, transform: Transform[Element]) -> Element:
        return transform.product(*self._elements(transform))

    def _elements(self, transform: Transform[Element]) -> tuple[list[Element], list[int]]:
        elements = [transform.mean(p.block.log_weights, p.slots, p.block.counts) for p in self._placed]
        return elements, [placed.block.count for placed in self._placed]

    def outcome_count(self) -> int:
        total = 1
        for placed in self._placed:
            # Past any use, and 2^(10^6) would take a while to multiply out.
            if placed.block.count * log2(placed.block.assignments) > 200:
                return 2**200
            total *= placed.block.assignments**placed.block.count
        return total

    def outcomes(self) -> tuple[IntArray, Array]:
        slots, logs = np.zeros((1, 0), dtype=np.int64), np.zeros(1)
        for placed in self._placed:
            own_slots, own_logs = placed.block.expand()
            own_slots = placed.slots[own_slots]
            for _ in range(placed.block.count):
                left, right = len(logs), len(own_logs)
                slots = np.concatenate([np.repeat(slots, right, axis=0), np.tile(own_slots, (left, 1))], axis=1)
                logs = np.repeat(logs, right) + np.tile(own_logs, left)
        return slots, logs

    def people(self) -> tuple[int, ...]:
        inside = (person for placed in self._placed for person in range(placed.first_person, placed.end))
        return tuple(self._numbers[person - 1] for person in inside)

    def group_strata(self) -> tuple[IntArray, ...]:
        return tuple(self._members_by_stratum(placed) for placed in self._placed)

    def _members_by_stratum(self, placed: _Placed) -> IntArray:
        counts = np.zeros(len(self._strata), dtype=np.int64)
        for member in placed.block.members:
            counts[placed.strata[member.stratum]] += len(member.positions)
        return counts


def side_by_side(blocks: Sequence[Block], numbers: Sequence[int] | None = None) -> Blocks:
    """Independent blocks; strata of the same label and universe become one.

    numbers: what the people, block by block, are called; 1, 2, 3, .. in that order by default.
    """
    keys = list(dict.fromkeys(key for block in blocks for key in block.alphabet))
    starts = np.cumsum([0, *(len(values) for _, values in keys)])
    people: dict[StratumKey, int] = dict.fromkeys(keys, 0)
    placed, first = [], 1
    for block in blocks:
        place = np.array([keys.index(key) for key in block.alphabet], dtype=np.int64)
        slots = np.concatenate([np.arange(starts[stratum], starts[stratum + 1]) for stratum in place])
        placed.append(_Placed(block, first, place, slots))
        first += block.count * block.size
        for member in block.members:
            people[block.alphabet[member.stratum]] += block.count * len(member.positions)
    strata = [Stratum(label, values, people[label, values]) for label, values in keys]
    return Blocks(strata, placed, range(1, first) if numbers is None else numbers)
