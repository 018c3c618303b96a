"""Independent groups whose law a model gives by numbers or by intervals."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dalenius import wings
from dalenius.joints.groups.block import Block
from dalenius.joints.groups.groups import product_of_groups
from dalenius.joints.joint import Belief
from dalenius.laws.box import Box
from dalenius.laws.law import Array, IntArray


class BoxedGroups(NamedTuple):
    """Groups of one type. box: the laws (m,) of one of them; made: the groups under one of these laws, whose rows with
    a positive probability are its own; entry: which of the probabilities each row belongs to (rows,)."""

    box: Box
    made: Callable[[Array], Block]
    entry: Callable[[Block], IntArray]


def groups_of(groups: Sequence[BoxedGroups], numbers: Sequence[int] | None = None) -> Belief:
    """Their joint law where every box is a point; else the set of laws in which each group has one of its own in its
    box. numbers: of the people, type by type, 1, 2, .. by default."""
    if all(each.box.is_point for each in groups):
        return product_of_groups([each.made(each.box.point) for each in groups], numbers)
    belief: Belief = wings.found(wings.PARTS["groups in intervals"])(groups, numbers)
    return belief
