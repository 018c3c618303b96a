"""Sets of laws of independent groups: each group has a law of its own, which is known to lie in a box (Theory §21).

Independent laws and sets of laws are one set (Result 21.30): a set that holds one law only is a point.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import ClassVar, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.channel.bounded_channel import INTERVALS, BoundedBelief
from dalenius.errors import InputError, TooLarge
from dalenius.intervals.limits import RAREST_ROW
from dalenius.joints.identical_groups import Block, Exchangeable, Member
from dalenius.joints.independent_groups_law import BoxedGroups, GroupsLaw, product_of_groups, written_out
from dalenius.joints.joint import WITHIN, Belief, Joint, Nature, Stratum, Subject, count_people
from dalenius.joints.product_of_joint_laws import ProductLaw
from dalenius.laws.box import Box


@final
@dataclass(frozen=True, eq=False)
class CredalBlock:
    """A block of alike groups, each with a law of its own in a box.

    A row's weight is its entry's probability times a share that no law changes, so that Pr[s, y] is linear in the law.

    Couples with four rows of known intervals have four entries with share 1 each. Where only the number of ill in a
    household has an interval, each number has an entry, and each row's share is what the number leaves open.

    Attributes:
        box: The laws (m,) of one group.
        made: Makes the groups under one law (m,); its rows are those with a positive probability.
        entry: Returns which of the probabilities each row of a block belongs to (rows,).
    """

    box: Box
    made: Callable[[Array], Block]
    entry: Callable[[Block], IntArray]

    @cached_property
    def _chances(self) -> Array:
        """A law (m,), perhaps not of the box, under which all is possible that is under some law of it."""
        # For upper ends, all that may happen under some law has a positive chance here.
        return np.asarray(self.box.upper / self.box.upper.sum())

    @cached_property
    def reference(self) -> Block:
        """The groups under that law: they show what can happen, but not how likely it is."""
        return self.made(self._chances)

    @property
    def counts(self) -> IntArray:
        """The number of records that take each slot, in each row (rows, slots)."""
        return self.reference.counts

    @cached_property
    def entries(self) -> IntArray:
        """The entry of each row (rows,)."""
        return self.entry(self.reference)

    @cached_property
    def shares(self) -> Array:
        """The probability of each row given its entry (rows,)."""
        return np.asarray(np.exp(self.reference.log_weights - np.log(self._chances[self.entries])))

    def given(self, member: Member) -> Array:
        """Returns the probability of each secret of a member of the reference, given the row (secrets, rows)."""
        logs = member.log_given + member.log_prior[:, None] - self.reference.log_weights
        return np.asarray(np.minimum(np.exp(logs), 1.0))

    def by_entry(self, rows: Array) -> Array:
        """Returns sums over rows, times their shares, by entry (.., m): coefficients of linear functions of the law.

        Args:
            rows: What each row counts for (.., rows).
        """
        found = np.zeros((*rows.shape[:-1], len(self.box)))
        # Several rows may belong to one entry, and are added up.
        np.add.at(np.moveaxis(found, -1, 0), self.entries, np.moveaxis(rows * self.shares, -1, 0))
        return found


@final
class CredalGroups(BoundedBelief):
    """The set of all laws in which each group's law is in its block's box, whatever the others are.

    Args:
        blocks: The blocks, in the order in which people are numbered.
        numbers: The numbers of the people, block by block; None for 1, 2, ..
        around: Whether the laws meant may be fewer, so that what some of these attain is no lower end.
    """

    nature: ClassVar[Nature] = Nature("groups with intervals", over=WITHIN, instead=INTERVALS)
    unconditioned: ClassVar[str] = "no known records beside intervals: they are conditioned on under one law"

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
        """Returns the reference's factors, one for each block."""
        return self.reference.factors()

    def at(self, laws: Sequence[Array]) -> GroupsLaw:
        """Returns the joint law in which all groups of a block have the same law.

        Args:
            laws: A law (m,) for each block.
        """
        blocks = [block.made(law) for block, law in zip(self.blocks, laws, strict=True)]
        return product_of_groups(blocks, self._numbers)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the people, block by block."""
        return [number for factor in self.factors for number in factor.numbers]

    def strata(self) -> tuple[Stratum, ...]:
        return self.reference.strata()

    @property
    def people(self) -> int:
        return count_people(self)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        return self.reference.subject_of(person)


def set_of(groups: Iterable[BoxedGroups], numbers: Sequence[int] | None = None, around: bool = False) -> CredalGroups:
    """Returns the set of laws of groups as a model gives them.

    Args:
        groups: The blocks' boxes, and how a block is made.
        numbers: The numbers of the people, block by block; None for 1, 2, ..
        around: Whether the laws meant may be fewer, so that what some of these attain is no lower end.
    """
    return CredalGroups([CredalBlock(*each) for each in groups], numbers, around)


def _pointwise(law: GroupsLaw) -> CredalGroups:
    """Returns the set that holds one law only."""
    blocks = [_certain(factor.block) for factor in law.factors()]
    return CredalGroups(blocks, [number for factor in law.factors() for number in factor.numbers])


def _certain(block: Block) -> CredalBlock:
    return CredalBlock(Box.exactly([1.0]), lambda law: block, lambda own: np.zeros(len(own.counts), dtype=np.int64))


@singledispatch
def grouped(belief: Belief) -> CredalGroups | None:
    """Returns `belief` as a set of laws of independent groups; None where it has no such form.

    TooLarge where it is one law with too many assignments, or where some row is too rare, to be written out so.
    """
    return None


@grouped.register
def _set(belief: CredalGroups) -> CredalGroups:
    return belief


@grouped.register
def _groups(belief: GroupsLaw) -> CredalGroups:
    """Returns the law as a set of one, block by block; TooLarge for a row too rare for sums of doubles."""
    rarest = min(float(factor.block.log_weights.min()) for factor in belief.factors())
    # Laws of logs may have rarer rows, and sums of doubles may not.
    if rarest < -RAREST_ROW:
        shown = f"a row of a group of probability e^{rarest:.0f}"
        instead = "make its groups smaller, or its probabilities larger"
        raise TooLarge("a part beside intervals", shown, instead, RAREST_ROW)
    return _pointwise(belief)


@grouped.register
def _product(belief: ProductLaw) -> CredalGroups:
    # Half of a town by a table of point laws, half by intervals: a point is a box of one law.
    parts = [grouped(law) for law in belief.laws]
    return _side_by_side([part for part in parts if part is not None])


@grouped.register
def _joint(belief: Joint) -> CredalGroups:
    """Writes out a chain or a network of few records, beside intervals, as one group."""
    return _groups(written_out(belief, "a part beside intervals", "make it smaller, or give it as groups"))


def _side_by_side(parts: Sequence[CredalGroups]) -> CredalGroups:
    """Returns independent sets of laws as one, people numbered on from part to part."""
    numbers, before = list[int](), 0
    for part in parts:
        own = part.numbers
        numbers += [before + number for number in own]
        # People of each part are numbered on from those of the parts before.
        before += len(own)
    blocks = [block for part in parts for block in part.blocks]
    return CredalGroups(blocks, numbers, any(part.around for part in parts))


def product_with_intervals(parts: Sequence[Belief]) -> CredalGroups:
    """Returns the set of `parts`, which are laws and sets of laws of different people.

    InputError for a part that is not of independent groups.
    """
    found = [grouped(part) for part in parts]
    groups = [each for each in found if each is not None]
    # A network with intervals has no groups that could stand beside others.
    if len(groups) < len(found):
        wanted = "parts that are independent groups, or laws without intervals: households, groups, independent, table"
        raise InputError("model.parts", "a part of another kind beside intervals", wanted)
    return _side_by_side(groups)
