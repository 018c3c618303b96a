"""One type of independent group of records: a small table, and how many groups have it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

StratumKey: TypeAlias = tuple[str, tuple[RecordValue, ...]]
"""A public label and a universe of values."""


@final
@dataclass(frozen=True)
class Member:
    """People of one type of group who are exchangeable with each other.

    positions: where in the group they stand; stratum: index into the block's alphabet; slots: those of their secrets,
    of positive probability; log_prior (secrets,); log_given (secrets, rows): the rows' log-probabilities given each.
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
    counts (rows, slots): in that row, how many records take that slot; log_weights (rows,).
    assignments: how many rows `expand` gives: the same law record by record, slots (rows, size) and logs, from which
    enumeration starts.
    """

    count: int
    size: int
    alphabet: tuple[StratumKey, ...]
    counts: IntArray
    log_weights: Array
    members: tuple[Member, ...]
    assignments: int
    expand: Callable[[], tuple[IntArray, Array]]
    who: str


def tabled(
    count: int,
    universes: Sequence[StratumKey],
    rows: Sequence[Sequence[RecordValue]],
    weights: Sequence[float],
    who: str,
) -> Block:
    """A group given as a table: rows of record values (rows, size) with their probabilities.

    universes: one per position; positions of the same label and values share a stratum. Rows of probability 0 go.
    """
    alphabet = tuple(dict.fromkeys(universes))
    starts = np.cumsum([0, *(len(values) for _, values in alphabet)])
    strata = [alphabet.index(universe) for universe in universes]
    slot_of = [{value: int(starts[s]) + i for i, value in enumerate(alphabet[s][1])} for s in strata]
    present = [row for row, weight in zip(rows, weights, strict=True) if weight > 0]
    slots = np.array([[of[v] for of, v in zip(slot_of, row, strict=True)] for row in present], dtype=np.int64)
    return of_slots(count, alphabet, strata, slots, np.array([weight for weight in weights if weight > 0]), who)


def of_slots(
    count: int, alphabet: tuple[StratumKey, ...], strata: Sequence[int], slots: IntArray, weights: Array, who: str
) -> Block:
    """A group given as rows of slots (rows, size) of positive weights (rows,); strata: one per position."""
    size = sum(len(values) for _, values in alphabet)
    logs = np.log(weights)
    counts = np.stack([np.bincount(row, minlength=size) for row in slots])
    members = tuple(_member(position, stratum, slots, weights) for position, stratum in enumerate(strata))
    return Block(count, len(strata), alphabet, counts, logs, members, len(slots), lambda: (slots, logs), who)


def _member(position: int, stratum: int, slots: IntArray, weights: Array) -> Member:
    secrets = np.unique(slots[:, position])
    prior = np.array([weights[slots[:, position] == secret].sum() for secret in secrets])
    log_prior = np.log(prior / prior.sum())
    given = [
        np.where(slots[:, position] == secret, np.log(weights / mass), -np.inf)
        for secret, mass in zip(secrets, prior, strict=True)
    ]
    return Member((position,), stratum, tuple(int(s) for s in secrets), log_prior, np.array(given))
