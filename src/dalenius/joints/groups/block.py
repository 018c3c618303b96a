"""One type of independent group of records: a small table, and how many groups have it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses
from dalenius.schema import RecordValue

StratumKey: TypeAlias = tuple[str, tuple[RecordValue, ...]]
"""A public label and a universe of values."""


@final
@dataclass(frozen=True)
class Member:
    """People of one type of group who are exchangeable with each other.

    positions: their places in the group; stratum: index into the block's alphabet; slots: of their secrets, those of
    positive probability; log_prior (secrets,); log_given (secrets, rows): the rows' log-probabilities given each.
    """

    positions: tuple[int, ...]
    stratum: int
    slots: tuple[int, ...]
    log_prior: Array
    log_given: Array


@final
@dataclass(frozen=True)
class Block:
    """`count` independent groups of `size` records with the same law.

    alphabet: the strata of the group's records; its slots are numbered stratum by stratum, value by value.
    counts (rows, slots): how many records take each slot; weights (rows,): the rows' probabilities, none 0.
    table: the same law record by record, slots (rows, size) and weights, for enumeration; assignments: no
    fewer than its rows. error: by how many nats, at most, the log of a row's weight may be off.
    """

    count: int
    size: int
    alphabet: tuple[StratumKey, ...]
    counts: IntArray
    weights: Masses
    members: tuple[Member, ...]
    assignments: int
    table: Callable[[], tuple[IntArray, Masses]]
    who: str
    error: float = 0.0

    @cached_property
    def log_weights(self) -> Array:
        """The rows' log-probabilities (rows,)."""
        return np.minimum(self.weights.logs(), 0.0)

    @cached_property
    def counts_suffice(self) -> bool:
        """Whether the counts determine the law: exchangeable members' arrangements are then all equally likely."""
        open_strata = [member.stratum for member in self.members if len(member.slots) > 1]
        return len(set(open_strata)) == len(open_strata)

    def expand(self) -> tuple[IntArray, Array]:
        """The law record by record: slots (rows, size) and log-probabilities."""
        slots, weights = self.table()
        return slots, np.minimum(weights.logs(), 0.0)


def tabled(
    count: int,
    universes: Sequence[StratumKey],
    rows: Sequence[Sequence[RecordValue]],
    weights: Sequence[float],
    who: str,
) -> Block:
    """A group given as a table: rows of record values (rows, size) with their probabilities.

    universes: one per position; positions of the same label and values share a stratum. Rows of weight 0 are dropped.
    """
    alphabet = tuple(dict.fromkeys(universes))
    starts = np.cumsum([0, *(len(values) for _, values in alphabet)])
    strata = [alphabet.index(universe) for universe in universes]
    slot_of = [{value: int(starts[s]) + i for i, value in enumerate(alphabet[s][1])} for s in strata]
    present = [row for row, weight in zip(rows, weights, strict=True) if weight > 0]
    slots = np.array([[of[v] for of, v in zip(slot_of, row, strict=True)] for row in present], dtype=np.int64)
    own = Masses.of(np.array([weight for weight in weights if weight > 0]))
    return of_slots(count, alphabet, strata, slots, own, who)


def of_slots(
    count: int, alphabet: tuple[StratumKey, ...], strata: Sequence[int], slots: IntArray, weights: Masses, who: str
) -> Block:
    """A group given as rows of slots (rows, size) of positive weights (rows,); strata: one per position."""
    size = sum(len(values) for _, values in alphabet)
    counts = np.stack([np.bincount(row, minlength=size) for row in slots])
    members = tuple(_alone(position, stratum, slots[:, position], weights) for position, stratum in enumerate(strata))
    return Block(count, len(strata), alphabet, counts, weights, members, len(slots), lambda: (slots, weights), who)


def _alone(position: int, stratum: int, own: IntArray, weights: Masses) -> Member:
    secrets = np.unique(own)
    return member_of((position,), stratum, secrets.tolist(), (secrets[:, None] == own).astype(np.float64), weights)


def member_of(
    positions: tuple[int, ...], stratum: int, slots: Sequence[int], chances: Array, weights: Masses
) -> Member:
    """chances (slots, rows): the probability that such a member has this value, given the row; weights (rows,). Values
    that they have in no row are dropped."""
    joint = Masses.of(chances).times(weights)
    mass = joint.totals()
    there = mass.possible
    mass = mass[there]
    prior = mass.over(mass.totals())
    given = joint[there].over(mass.with_last_axis())
    own = tuple(slots[place] for place in there.tolist())
    return Member(positions, stratum, own, np.minimum(prior.logs(), 0.0), np.minimum(given.logs(), 0.0))


def starts_of(alphabet: Sequence[StratumKey]) -> IntArray:
    """The first slot of each stratum, and after the last one the number of them all."""
    return np.cumsum([0, *(len(values) for _, values in alphabet)], dtype=np.int64)
