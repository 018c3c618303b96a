"""Independent groups, each with a law of its own of which only a box is known (Theory §21)."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NoReturn, final

from dalenius.errors import InputError
from dalenius.joints.credal.block import CredalBlock
from dalenius.joints.groups.exchangeable import Exchangeable
from dalenius.joints.groups.groups import GroupsLaw, product_of_groups
from dalenius.joints.joint import Belief, Joint, Stratum, Subject
from dalenius.joints.steps import Steps
from dalenius.laws.law import Array
from dalenius.schema import RecordValue


@final
class CredalGroups(Belief):
    """blocks: in the order in which people are numbered; numbers: of the people, block by block, 1, 2, .. by default.

    Every promise is for every law in which each group's is in its block's box, whatever the others' are.
    """

    def __init__(self, blocks: Sequence[CredalBlock], numbers: Sequence[int] | None = None) -> None:
        self.blocks = tuple(blocks)
        self._numbers = numbers

    @cached_property
    def reference(self) -> GroupsLaw:
        """One law, perhaps not of the set, under which all is possible that is under some law of it."""
        return product_of_groups([block.reference for block in self.blocks], self._numbers)

    @property
    def factors(self) -> tuple[Exchangeable, ...]:
        """The reference's, one for each block."""
        return self.reference.factors()

    def at(self, laws: Sequence[Array]) -> GroupsLaw:
        """The joint law in which all groups of a block have the same law (m,), one for each block."""
        blocks = [block.made(law) for block, law in zip(self.blocks, laws, strict=True)]
        return product_of_groups(blocks, self._numbers)

    @property
    def is_set(self) -> bool:
        return True

    def strata(self) -> tuple[Stratum, ...]:
        return self.reference.strata()

    def labelled(self) -> dict[str, int]:
        return self.reference.labelled()

    def subject_of(self, person: int) -> Subject:
        return self.reference.subject_of(person)

    def given(self, known: Mapping[int, RecordValue]) -> NoReturn:
        self.reference.given(known)
        wanted = "no known records beside intervals: notion bayesian is the worst over whatever is known"
        raise InputError("adversary.known", str(dict(known)), wanted)

    def extended(self, steps: Steps) -> Joint:
        raise InputError("model.within", "probabilities that are intervals", "a point law within model linked")


def groups_of(blocks: Sequence[CredalBlock], numbers: Sequence[int] | None = None) -> Belief:
    """The set of laws; the one law there is where every box is a point."""
    if all(block.box.is_point for block in blocks):
        return product_of_groups([block.made(block.box.point) for block in blocks], numbers)
    return CredalGroups(blocks, numbers)
