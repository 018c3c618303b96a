"""One group of records, some of which are known."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import fsum
from typing import Final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.laws.law import Array, IntArray
from dalenius.models.block import Block, Member, of_slots

MOST_ROWS: Final = 2**20


def conditioned(block: Block, known: Mapping[int, int]) -> Block | None:
    """One such group given these records; None where they cannot be. known: place in its universe, by position."""
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    slots = {
        position: int(starts[member.stratum]) + known[position]
        for member in block.members
        for position in member.positions
        if position in known
    }
    alone = len({member.stratum for member in block.members}) == len(block.members)
    return _by_counts(block, slots) if alone else _by_rows(block, slots)


def _by_rows(block: Block, known: Mapping[int, int]) -> Block | None:
    """From the table of assignments."""
    if block.assignments > MOST_ROWS:
        raise TooLarge("adversary.known", f"a group of {block.assignments:.2g} assignments", "make the group smaller")
    slots, logs = block.expand()
    fits = np.all([slots[:, position] == slot for position, slot in known.items()], axis=0)
    if not fits.any():
        return None
    strata = {position: member.stratum for member in block.members for position in member.positions}
    order = [strata[position] for position in range(block.size)]
    return of_slots(1, block.alphabet, order, slots[fits], np.exp(_normalised(logs[fits])), block.who)


def _normalised(logs: Array) -> Array:
    masses = np.exp(logs - logs.max())
    shifted: Array = logs - logs.max() - np.log(fsum(masses))
    return shifted


def _by_counts(block: Block, known: Mapping[int, int]) -> Block | None:
    """Where each class of exchangeable members has a stratum of its own, its counts say all: so many of a class of N
    have each value, and any so many of them are as likely."""
    logs = block.log_weights.copy()
    for member in block.members:
        own = [known[position] for position in member.positions if position in known]
        for told, slot in enumerate(own):
            left = block.counts[:, slot] - own[:told].count(slot)
            with np.errstate(divide="ignore"):
                logs = logs + np.log(np.maximum(left, 0) / (len(member.positions) - told))
    fits = logs > -np.inf
    if not fits.any():
        return None
    counts, logs = block.counts[fits], _normalised(logs[fits])
    members = tuple(new for member in block.members for new in _members(member, known, counts, logs))

    def expand() -> tuple[IntArray, Array]:
        slots, weights = block.expand()
        rows = np.all([slots[:, position] == slot for position, slot in known.items()], axis=0)
        return slots[rows], _normalised(weights[rows])

    return replace(block, count=1, counts=counts, log_weights=logs, members=members, expand=expand)


def _members(member: Member, known: Mapping[int, int], counts: IntArray, logs: Array) -> Iterator[Member]:
    """The known ones, each on its own, and those left of the class."""
    told = {position: known[position] for position in member.positions if position in known}
    for position, slot in told.items():
        yield Member((position,), member.stratum, (slot,), np.zeros(1), logs[None])
    left = tuple(position for position in member.positions if position not in known)
    if not left:
        return
    slots, prior, given = [], [], []
    for slot in member.slots:
        share = (counts[:, slot] - list(told.values()).count(slot)) / len(left)
        weights = np.exp(logs) * share
        if (mass := fsum(weights)) > 0:
            with np.errstate(divide="ignore"):
                given.append(logs + np.log(share) - np.log(mass))
            slots.append(slot)
            prior.append(mass)
    yield Member(left, member.stratum, tuple(slots), np.log(np.array(prior) / fsum(prior)), np.array(given))
