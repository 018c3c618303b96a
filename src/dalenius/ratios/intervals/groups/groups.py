"""Independent groups, each with a law of its own of which only a box is known (Theory §21).

Independent laws and sets of laws as one set (Result 21.30).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, singledispatch
from typing import ClassVar, Final, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.joints.blocks import Block, Exchangeable
from dalenius.joints.groups import BoxedGroups, GroupsLaw, product_of_groups, written_out
from dalenius.joints.joint import Belief, Joint, Stratum, Subject, impossible, known_places
from dalenius.joints.product import ProductLaw
from dalenius.laws.box import Box
from dalenius.laws.law import Array
from dalenius.ratios.intervals.groups.block import CredalBlock
from dalenius.schema import RecordValue


@final
class CredalGroups(Belief):
    """blocks: in the order in which people are numbered; numbers: of the people, block by block, 1, 2, .. by default;
    around: whether the laws meant may be fewer, so that what some of these attain is no lower end.

    Every promise is for every law in which each group's is in its block's box, whatever the others' are.
    """

    nature: ClassVar[str] = "groups with intervals"

    def __init__(
        self, blocks: Sequence[CredalBlock], numbers: Sequence[int] | None = None, around: bool = False
    ) -> None:
        self.blocks = tuple(blocks)
        self._numbers = numbers
        self.around = around

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
        blocks = [block.at(law) for block, law in zip(self.blocks, laws, strict=True)]
        return product_of_groups(blocks, self._numbers)

    @property
    def is_set(self) -> bool:
        return True

    @property
    def numbers(self) -> list[int]:
        """Of the people, block by block."""
        return [number for factor in self.factors for number in factor.numbers]

    def strata(self) -> tuple[Stratum, ...]:
        return self.reference.strata()

    def labelled(self) -> dict[str, int]:
        return self.reference.labelled()

    def subject_of(self, person: int) -> Subject:
        return self.reference.subject_of(person)

    def given(self, known: Mapping[int, RecordValue]) -> "CredalGroups":
        """Every law of the set under which the known records have a positive probability, given them (Result 21.30):
        the groups that have them become blocks of one."""
        strata = self.strata()
        universes = {person: strata[self.subject_of(person).stratum].values for person in known}
        places = known_places(known, universes)
        blocks, numbers = list[CredalBlock](), list[int]()
        for block, factor in zip(self.blocks, self.factors, strict=True):
            rows = np.array(factor.numbers).reshape(factor.count, -1)
            evidence: dict[int, dict[int, int]] = {}
            for group, position in np.argwhere(np.isin(rows, list(places))).tolist():
                evidence.setdefault(group, {})[position] = places[int(rows[group, position])]
            if len(evidence) < factor.count:
                blocks.append(block.alike(factor.count - len(evidence)) if evidence else block)
                numbers += np.delete(rows, list(evidence), axis=0).ravel().tolist()
            for group, own in evidence.items():
                one = block.alike(1).knowing(own)
                if one is None:
                    raise impossible(known)
                blocks.append(one)
                numbers += rows[group].tolist()
        return CredalGroups(blocks, numbers, self.around)


def set_of(groups: Iterable[BoxedGroups], numbers: Sequence[int] | None = None, around: bool = False) -> CredalGroups:
    """The set of laws of groups as a model gives them."""
    return CredalGroups([CredalBlock(*each) for each in groups], numbers, around)


def pointwise(law: GroupsLaw) -> CredalGroups:
    """The set that holds one law only."""
    blocks = [_certain(factor.block) for factor in law.factors()]
    return CredalGroups(blocks, [number for factor in law.factors() for number in factor.numbers])


def _certain(block: Block) -> CredalBlock:
    return CredalBlock(Box.exactly([1.0]), lambda law: block, lambda own: np.zeros(len(own.counts), dtype=np.int64))


DEEPEST: Final = 600.0
"""A row of a group may be rarer than e to minus this in laws of logs, not in sums of doubles."""


@singledispatch
def grouped(belief: Belief) -> CredalGroups | None:
    """The same as a set of laws of independent groups; None where it has no such form. TooLarge where it is one law
    with too many assignments, or where some row is too rare, to be written out so."""
    return None


@grouped.register
def _set(belief: CredalGroups) -> CredalGroups:
    return belief


@grouped.register
def _groups(belief: GroupsLaw) -> CredalGroups:
    rarest = min(float(factor.block.log_weights.min()) for factor in belief.factors())
    if rarest < -DEEPEST:
        shown = f"a row of a group of probability e^{rarest:.0f}"
        raise TooLarge("a part beside intervals", shown, "make its groups smaller, or its probabilities larger")
    return pointwise(belief)


@grouped.register
def _product(belief: ProductLaw) -> CredalGroups:
    parts = [grouped(law) for law in belief.laws]
    return side_by_side([part for part in parts if part is not None])


@grouped.register
def _joint(belief: Joint) -> CredalGroups:
    return _groups(written_out(belief, "a part beside intervals", "make it smaller, or give it as groups"))


def side_by_side(parts: Sequence[CredalGroups]) -> CredalGroups:
    """Independent sets of laws as one: people numbered on from part to part."""
    numbers, before = list[int](), 0
    for part in parts:
        own = part.numbers
        numbers += [before + number for number in own]
        before += len(own)
    blocks = [block for part in parts for block in part.blocks]
    return CredalGroups(blocks, numbers, any(part.around for part in parts))


def product_with_intervals(parts: Sequence[Belief]) -> CredalGroups:
    """Of laws and sets of laws of different people. InputError for one that is not of independent groups."""
    found = [grouped(part) for part in parts]
    groups = [each for each in found if each is not None]
    if len(groups) < len(found):
        wanted = "parts that are independent groups, or laws without intervals: households, groups, independent, table"
        raise InputError("model.parts", "a part of another kind beside intervals", wanted)
    return side_by_side(groups)
