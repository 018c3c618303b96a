"""A joint law taken apart into its independent groups of records, each in the form in which it is smallest."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.joints.chain.chain import MarkovChain
from dalenius.joints.groups.block import Block
from dalenius.joints.groups.groups import Blocks
from dalenius.joints.product import Beside
from dalenius.laws.law import Array, IntArray

MOST_ENTRIES: Final = 1 << 22


@final
@dataclass(frozen=True)
class Counted:
    """A group whose counts say all: within each class of exchangeable members, any arrangement is as likely.

    slots: the numbers the block's slots have in the whole joint law.
    """

    block: Block
    slots: IntArray


@final
@dataclass(frozen=True)
class Linked:
    """A Markov chain; slots (n, k): the numbers its records' values have in the whole joint law."""

    chain: MarkovChain
    slots: IntArray


@final
@dataclass(frozen=True)
class Listed:
    """A group as a list of its assignments: slots (rows, size) of the whole joint law, logs (rows,)."""

    slots: IntArray
    logs: Array


Piece: TypeAlias = Counted | Linked | Listed


def pieces(joint: Joint, slots: IntArray | None = None) -> Iterator[Piece]:
    """One group of two or more records of each type. TooLarge for a group that must be listed and is too large.

    slots: the numbers this law's slots have in a larger one.
    """
    own = np.arange(sum(len(stratum.values) for stratum in joint.strata())) if slots is None else slots
    match joint:
        case Beside():
            for part, places in joint.parts:
                yield from pieces(part, own[places])
        case Blocks():
            yield from (_of_block(block, own[places]) for block, places in joint.blocks if block.size > 1)
        case MarkovChain():
            if len(joint) > 1:
                yield Linked(joint, own[joint.slots])
        case _:
            for group in range(len(joint.groups())):
                one = joint.one_of(group)
                people = len(one.people())
                if people > 1:
                    _check(one.outcome_count(), people)
                    rows, logs = one.outcomes()
                    yield Listed(own[rows], logs)


def _of_block(block: Block, slots: IntArray) -> Piece:
    open_strata = [member.stratum for member in block.members if len(member.slots) > 1]
    if len(set(open_strata)) == len(open_strata):
        return Counted(block, slots)
    _check(block.assignments, block.size)
    rows, logs = block.expand()
    return Listed(slots[rows], logs)


def _check(assignments: int, people: int) -> None:
    if assignments * people > MOST_ENTRIES:
        shown = f"{float(assignments):.2g} assignments of {people} records that depend on each other"
        raise TooLarge("what records say about each other", shown, "use the group or the exact method")
