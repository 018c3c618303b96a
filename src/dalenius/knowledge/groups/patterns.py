"""Background knowledge of independent groups of records: the patterns of a group, and their costs (Result 7.6).

A *pattern* gives the values of some members' records. Of exchangeable members it gives how many have each known value:
which of them does not matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Final, final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.joints.groups.block import Block, Member
from dalenius.joints.groups.conditioning import conditioned
from dalenius.joints.groups.exchangeable import Exchangeable
from dalenius.knowledge.groups.rest import Source
from dalenius.laws.law import IntArray
from dalenius.schema import RecordValue

MOST_PATTERNS: Final = 2000


@final
@dataclass(frozen=True)
class Pattern:
    """known: universe indices, by position in the group; block: one group given these records."""

    known: dict[int, int]
    block: Block

    @property
    def cost(self) -> int:
        return len(self.known)


@final
@dataclass(frozen=True)
class GroupKind:
    """Identically distributed groups on which the answer depends.

    people: the first group's, by position; slots: the block's, among the query's scores; patterns: the empty one first;
    whole: the fewest known records that leave nothing of a group's part in the answer unknown, None where that is more
    than may be known.
    """

    number: int
    groups: int
    people: tuple[int, ...]
    slots: IntArray
    patterns: tuple[Pattern, ...]
    whole: int | None

    def source(self, pattern: Pattern) -> Source:
        return Source(pattern.block.log_weights, self.slots, pattern.block.counts)

    def known_records(self, pattern: Pattern) -> dict[int, RecordValue]:
        """A pattern's known records in the first group, by person."""
        alphabet = pattern.block.alphabet
        strata = {position: member.stratum for member in pattern.block.members for position in member.positions}
        return {self.people[at]: alphabet[strata[at]][1][place] for at, place in pattern.known.items()}


def group_kinds(joint: Joint, indices: IntArray, budget: int) -> list[GroupKind] | None:
    """None where the records are no product of groups given as tables. budget: how many may be known.

    TooLarge where a group has too many patterns.
    """
    factors = joint.factors()
    groups = [factor for factor in factors if isinstance(factor, Exchangeable)]
    if len(groups) < len(factors):
        return None
    return [
        _kind(number, group, indices, budget)
        for number, group in enumerate(groups)
        if np.ptp(group.block.counts @ indices[group.slots], axis=0).any()
    ]


def _kind(number: int, group: Exchangeable, indices: IntArray, budget: int) -> GroupKind:
    block, slots = group.block, group.slots
    patterns = tuple(sorted(_patterns(block, budget), key=lambda each: each.cost))
    scores = indices[slots]
    still = (each.cost for each in patterns if not np.ptp(each.block.counts @ scores, axis=0).any())
    return GroupKind(number, block.count, tuple(group.first().people), slots, patterns, next(still, None))


def _patterns(block: Block, budget: int) -> Iterator[Pattern]:
    open_ = [member for member in block.members if len(member.slots) > 1]
    ways = prod(comb(len(m.positions) + len(m.slots), len(m.slots)) for m in open_)
    if ways > MOST_PATTERNS:
        raise TooLarge("what may be known of one group", f"{ways:.2g} patterns", "make the groups smaller")
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    for choice in product(*(_choices(member) for member in open_)):
        known = {
            position: slot - int(starts[member.stratum])
            for member, slots in zip(open_, choice, strict=True)
            for position, slot in zip(member.positions, slots, strict=False)
        }
        if len(known) <= budget:
            one = conditioned(block, known) if known else block
            if one is not None:
                yield Pattern(known, one)


def _choices(member: Member) -> Iterator[tuple[int, ...]]:
    """The values that the first few members of a class are known to have."""
    for known in range(len(member.positions) + 1):
        yield from combinations_with_replacement(member.slots, known)
