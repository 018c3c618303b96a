"""One group of records, some of which are known."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import perm
from typing import Final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.joints.groups.block import Block, Member, member_of, of_slots
from dalenius.laws.law import IntArray
from dalenius.laws.masses import Masses

MOST_ROWS: Final = 2**20


def conditioned(block: Block, known: Mapping[int, int]) -> Block | None:
    """One such group given these records; None where they have probability 0. known: universe index by position."""
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    slots = {
        position: int(starts[member.stratum]) + known[position]
        for member in block.members
        for position in member.positions
        if position in known
    }
    alone = len({member.stratum for member in block.members}) == len(block.members)
    return _by_counts(block, slots) if alone else _by_rows(block, slots)


def weighed(block: Block, known: Mapping[int, int]) -> tuple[IntArray, Masses]:
    """How many records take each slot (rows, slots) in those rows of a group that have these slots at these positions,
    and Pr[row, these records] (rows,); a row may have weight 0."""
    if len({member.stratum for member in block.members}) == len(block.members):
        return block.counts, block.weights.times(_chances(block, known))
    if block.assignments > MOST_ROWS:
        raise TooLarge("secrets", f"a group of {block.assignments:.2g} assignments", "make the group smaller")
    slots, weights = block.table()
    fits = np.all([slots[:, position] == slot for position, slot in known.items()], axis=0)
    counts = np.stack([np.sum(slots[fits] == slot, axis=1) for slot in range(block.counts.shape[1])], axis=1)
    return counts, weights[fits]


def _by_rows(block: Block, known: Mapping[int, int]) -> Block | None:
    """From the table of assignments."""
    if block.assignments > MOST_ROWS:
        raise TooLarge("adversary.known", f"a group of {block.assignments:.2g} assignments", "make the group smaller")
    slots, weights = block.table()
    fits = np.all([slots[:, position] == slot for position, slot in known.items()], axis=0)
    if not fits.any():
        return None
    strata = {position: member.stratum for member in block.members for position in member.positions}
    order = [strata[position] for position in range(block.size)]
    found = of_slots(1, block.alphabet, order, slots[fits], _normalised(weights[fits]), block.who)
    return replace(found, error=2 * block.error)


def _normalised(weights: Masses) -> Masses:
    return weights.over(weights.totals())


def _by_counts(block: Block, known: Mapping[int, int]) -> Block | None:
    """Where each class of exchangeable members has its own stratum, the counts determine the law: given how many of a
    class of N have each value, all arrangements are equally likely."""
    weights = block.weights.times(_chances(block, known))
    fits = weights.possible
    if not len(fits):
        return None
    counts, weights = block.counts[fits], _normalised(weights[fits])
    members = tuple(new for member in block.members for new in _members(member, known, counts, weights))

    def table() -> tuple[IntArray, Masses]:
        slots, rows = block.table()
        own = np.flatnonzero(np.all([slots[:, position] == slot for position, slot in known.items()], axis=0))
        return slots[own], _normalised(rows[own])

    error = 2 * block.error
    return replace(block, count=1, counts=counts, weights=weights, members=members, table=table, error=error)


def _chances(block: Block, known: Mapping[int, int]) -> Masses:
    """Pr[known values | row]: for a class of N, the product over its values of c (c - 1) .. (c - a + 1), where c have
    the value and a of them are known, divided by as many factors N (N - 1) .."""
    ways, total = [1] * len(block.counts), 1
    for member in block.members:
        own = [known[position] for position in member.positions if position in known]
        total *= perm(len(member.positions), len(own))
        for slot in set(own):
            found = block.counts[:, slot].tolist()
            ways = [so_far * perm(there, own.count(slot)) for so_far, there in zip(ways, found, strict=True)]
    return Masses.ratios(ways, [total] * len(ways))


def _members(member: Member, known: Mapping[int, int], counts: IntArray, weights: Masses) -> Iterator[Member]:
    """The known members, each as a class of its own, and the remaining ones as one class."""
    own = {position: known[position] for position in member.positions if position in known}
    certain = np.ones((1, len(counts)))
    for position, slot in own.items():
        yield member_of((position,), member.stratum, (slot,), certain, weights)
    left = tuple(position for position in member.positions if position not in known)
    if left:
        taken = np.array([list(own.values()).count(slot) for slot in member.slots], dtype=np.int64)
        chances = (counts[:, member.slots] - taken) / len(left)
        yield member_of(left, member.stratum, member.slots, chances.T, weights)
