"""One type of independent group whose law is known to lie in a box only."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import final

import numpy as np

from dalenius.joints.blocks import Block, Member, conditioned, starts_of, weighed
from dalenius.laws.box import Box
from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True, eq=False)
class CredalBlock:
    """box: the laws (m,) of one group; made: the groups under one of them, whose rows with a positive probability are
    its own; entry: which of the probabilities each row belongs to (rows,); evidence: of one group, the known records,
    as indices into their universes by position.

    Every group has a law of its own. A row's weight is its entry's probability times a share that no law changes, and
    what is known has a probability given the row that no law changes either: Pr[s, y, known] is linear in the law.
    """

    box: Box
    made: Callable[[Array], Block]
    entry: Callable[[Block], IntArray]
    evidence: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def chances(self) -> Array:
        """A law (m,), perhaps not of the box, under which all is possible that is under some law of it."""
        return np.asarray(self.box.upper / self.box.upper.sum())

    @cached_property
    def before(self) -> Block:
        """The groups under `chances`, before anything is known."""
        return self.made(self.chances)

    @cached_property
    def reference(self) -> Block:
        """The groups under `chances`, given what is known: what can happen, but not how likely it is."""
        return self._given(self.before)

    def at(self, law: Array) -> Block:
        """The groups under one law, given what is known."""
        return self._given(self.made(law))

    def _given(self, block: Block) -> Block:
        if not self.evidence:
            return block
        found = conditioned(block, self.evidence)
        assert found is not None
        return found

    def knowing(self, evidence: Mapping[int, int]) -> "CredalBlock | None":
        """One of the groups given these records too; None where they have probability 0 under every law."""
        found = replace(self, evidence={**self.evidence, **evidence})
        return None if conditioned(self.before, found.evidence) is None else found

    def alike(self, count: int) -> "CredalBlock":
        """So many such groups."""
        return replace(self, made=lambda law: replace(self.made(law), count=count))

    @cached_property
    def _likely(self) -> Array:
        """The probability of what is known given each row of all (rows,)."""
        return np.ones(len(self.before.counts)) if not self.evidence else self._weighed(self._slots)

    @cached_property
    def _kept(self) -> IntArray:
        """The rows that are possible given what is known."""
        return np.flatnonzero(self._likely > 0)

    @cached_property
    def _slots(self) -> dict[int, int]:
        starts = starts_of(self.before.alphabet)
        where = {position: member.stratum for member in self.before.members for position in member.positions}
        return {position: int(starts[where[position]]) + value for position, value in self.evidence.items()}

    @cached_property
    def counts(self) -> IntArray:
        """Of each row, how many records take each slot (rows, slots)."""
        return np.asarray(self.before.counts[self._kept])

    @cached_property
    def entries(self) -> IntArray:
        """Of each row (rows,)."""
        return np.asarray(self.entry(self.before)[self._kept])

    @cached_property
    def shares(self) -> Array:
        """Of each row, its probability given its entry (rows,)."""
        return np.asarray(np.exp(self.before.log_weights[self._kept] - np.log(self.chances[self.entries])))

    @cached_property
    def known_given(self) -> Array:
        """The probability of what is known, by entry (m,): a linear function of the law; 1 where nothing is."""
        return self.by_entry(self._likely[self._kept]) if self.evidence else np.ones(len(self.box))

    def given(self, member: Member) -> Array:
        """The probability that such a member of the reference has each of its secrets, and others the known values,
        given the row (secrets, rows)."""
        if self.evidence:
            return np.stack([self._chance({member.positions[0]: slot}) for slot in member.slots])
        logs = member.log_given + member.log_prior[:, None] - self.before.log_weights
        return np.asarray(np.minimum(np.exp(logs), 1.0))

    def known(self, position: int, place: int) -> Iterator[Array]:
        """The probability, given the row, that the record at that position has its member's secret of that place and
        some other records known values (rows,): nothing more known, then all that can be, members of a class by how
        many."""
        members = self.reference.members
        own = next(member for member in members if position in member.positions)
        choices = [_values(each, self._free(each, position)) for each in members]
        for choice in product(*choices):
            found = dict(pair for each in choice for pair in each)
            yield self._chance({**found, position: own.slots[place]})

    def known_count(self, position: int) -> int:
        """How many `known` yields."""
        members = self.reference.members
        return prod(comb(len(each.slots) + (free := len(self._free(each, position))), free) for each in members)

    def _free(self, member: Member, position: int) -> list[int]:
        return [i for i in member.positions if i != position and i not in self.evidence]

    def _chance(self, slots: Mapping[int, int]) -> Array:
        return self._weighed({**self._slots, **slots})[self._kept]

    def _weighed(self, slots: Mapping[int, int]) -> Array:
        """The probability that records have these slots, given each row of all (rows,)."""
        block = self.before
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
