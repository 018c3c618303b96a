"""One type of independent group whose law is known to lie in a box only."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import final

import numpy as np

from dalenius.joints.groups.block import Block, Member
from dalenius.joints.groups.conditioning import weighed
from dalenius.laws.credal.box import Box
from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True, eq=False)
class CredalBlock:
    """box: the laws (m,) of one group; made: the groups under one of them, whose rows with a positive probability are
    its own; entry: which of the probabilities each row of `reference` belongs to (rows,).

    Every group has a law of its own. A row's weight is its entry's probability times a share that no law changes.
    """

    box: Box
    made: Callable[[Array], Block]
    entry: Callable[[Block], IntArray]

    @cached_property
    def chances(self) -> Array:
        """A law (m,), perhaps not of the box, under which all is possible that is under some law of it."""
        return np.asarray(self.box.upper / self.box.upper.sum())

    @cached_property
    def reference(self) -> Block:
        """The groups under `chances`: what can happen, but not how likely it is."""
        return self.made(self.chances)

    @cached_property
    def entries(self) -> IntArray:
        """Of each row of the reference (rows,)."""
        return self.entry(self.reference)

    @cached_property
    def shares(self) -> Array:
        """Of each row, its probability given its entry (rows,)."""
        return np.asarray(np.exp(self.reference.log_weights - np.log(self.chances[self.entries])))

    def given(self, member: Member) -> Array:
        """The probability that such a member has each of its secrets, given the row (secrets, rows)."""
        logs = member.log_given + member.log_prior[:, None] - self.reference.log_weights
        return np.asarray(np.minimum(np.exp(logs), 1.0))

    def known(self, position: int, place: int) -> Iterator[Array]:
        """The probability, given the row, that the record at that position has its member's secret of that place and
        some other records known values (rows,): nothing known, then all that can be, members of a class by how many."""
        members = self.reference.members
        own = next(member for member in members if position in member.positions)
        choices = [_values(each, [i for i in each.positions if i != position]) for each in members]
        for choice in product(*choices):
            found = dict(pair for each in choice for pair in each)
            yield self._chance({**found, position: own.slots[place]})

    def known_count(self, position: int) -> int:
        """How many `known` yields."""
        sizes = [
            (len(each.slots), len([i for i in each.positions if i != position])) for each in self.reference.members
        ]
        return prod(comb(values + free, free) for values, free in sizes)

    def _chance(self, slots: Mapping[int, int]) -> Array:
        block = self.reference
        if len({member.stratum for member in block.members}) == len(block.members):
            return np.asarray(np.exp(weighed(block, slots)[1].logs() - block.log_weights))
        rows, _ = block.table()
        fits = [rows[:, position] == slot for position, slot in slots.items()]
        return np.asarray(np.all(fits, axis=0), dtype=np.float64)

    def by_entry(self, rows: Array) -> Array:
        """Sums of what rows count for (.., rows), times their shares, by entry (.., m): linear functions of the law."""
        found = np.zeros((*rows.shape[:-1], len(self.box)))
        np.add.at(np.moveaxis(found, -1, 0), self.entries, np.moveaxis(rows * self.shares, -1, 0))
        return found


def _values(member: Member, free: list[int]) -> list[tuple[tuple[int, int], ...]]:
    """Which values of the class may be known, as pairs of a position and a slot: the first positions stand for all."""
    return [
        tuple(zip(free, slots, strict=False))
        for known in range(len(free) + 1)
        for slots in combinations_with_replacement(member.slots, known)
    ]
