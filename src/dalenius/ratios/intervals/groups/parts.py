"""Independent laws and sets of laws as one set (Result 21.30)."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Final

from dalenius.errors import InputError, TooLarge
from dalenius.joints.groups.groups import GroupsLaw
from dalenius.joints.groups.written_out import written_out
from dalenius.joints.joint import Belief, Joint
from dalenius.joints.product import ProductLaw
from dalenius.ratios.intervals.groups.groups import CredalGroups, pointwise

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
