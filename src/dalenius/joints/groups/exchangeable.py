"""Groups of one type as a factor of a joint law."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

from dalenius.joints.factors import Factor, Numbering
from dalenius.joints.groups.block import Block
from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True)
class Exchangeable(Factor):
    """The exchangeable groups of a block.

    numbers (count · size,): the people, group by group; places (alphabet,) and slots (slots of the block,): the
    numbers of the block's strata and slots in the whole law; before: how many people of other factors come first.
    """

    block: Block
    numbers: Sequence[int]
    places: IntArray
    slots: IntArray
    before: int = 0

    @property
    def count(self) -> int:
        return self.block.count

    @cached_property
    def people(self) -> Sequence[int]:
        return [self.before + number for number in self.numbers] if self.before else self.numbers

    @cached_property
    def strata(self) -> Mapping[int, int]:
        found = dict.fromkeys(self.places.tolist(), 0)
        for member in self.block.members:
            found[int(self.places[member.stratum])] += len(member.positions)
        return found

    @cached_property
    def alike(self) -> Sequence[int]:
        found = [0] * self.block.size
        for number, member in enumerate(self.block.members):
            for place in member.positions:
                found[place] = number
        return found

    @property
    def assignments(self) -> int:
        return self.block.assignments

    def alone(self) -> tuple[IntArray, Array]:
        slots, logs = self.block.expand()
        return self.slots[slots], logs

    def within(self, numbering: Numbering) -> "Exchangeable":
        return replace(
            self,
            places=numbering.strata[self.places],
            slots=numbering.slots[self.slots],
            before=self.before + numbering.before,
        )

    def first(self) -> "Exchangeable":
        """The first group alone."""
        return replace(self, block=replace(self.block, count=1), numbers=self.numbers[: self.block.size])
