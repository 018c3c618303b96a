"""The independent factors of a joint law: types of groups of records, and how many groups are of each."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final, final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import Array, IntArray

MANY: Final = 2**200
"""What a factor with more assignments than this reports: too many for any use."""
# Slots in a table of assignments: 32 MB of them.
MOST_ENTRIES: Final = 1 << 22


@final
@dataclass(frozen=True)
class Numbering:
    """The numbers of a law's people, strata and slots in a larger law.

    before: how many people of the larger law precede its first; strata (own strata,) and slots (own slots,).
    """

    before: int
    strata: IntArray
    slots: IntArray


@final
@dataclass(frozen=True, eq=False)
class Path:
    """Records of k values each in a row, each independent of those beyond its neighbours given them.

    chances (n, k): each record's law; forward, backward (m, k, k): distinct laws of the next and of the previous
    record, by rows; onward, before (n - 1,): which one leads from each record to the next, and back. error: of every
    entry, relatively; slots (n, k): of the values.
    """

    chances: Array
    forward: Array
    onward: IntArray
    backward: Array
    before: IntArray
    error: float
    slots: IntArray


@final
@dataclass(frozen=True, eq=False)
class Cliques:
    """Records as a tree of cliques: given the records that two neighbouring cliques share, those on one side are
    independent of those on the other.

    records: of each clique, the places of its records; laws: the chances of their values, an axis each; parents (m,): a
    clique's neighbour on the way to the first, -1 of the first. error: of every chance, relatively; slots: by record,
    of its values.
    """

    records: tuple[tuple[int, ...], ...]
    laws: tuple[Masses, ...]
    parents: IntArray
    error: float
    slots: tuple[IntArray, ...]


class Factor(abc.ABC):
    """Groups of records with the same law, independent of each other and of all other records.

    People, strata and slots have the numbers they have in the joint law that this is a factor of.
    """

    @property
    @abc.abstractmethod
    def count(self) -> int:
        """How many groups there are, 1 or more."""

    @property
    @abc.abstractmethod
    def people(self) -> Sequence[int]:
        """The numbers of the people (count · size,), group by group."""

    @property
    @abc.abstractmethod
    def strata(self) -> Mapping[int, int]:
        """How many of one group's records are of each stratum, by its index."""

    @property
    @abc.abstractmethod
    def assignments(self) -> int:
        """The number of rows of `group_assignments`, or an upper bound; MANY for any more."""

    @abc.abstractmethod
    def group_assignments(self) -> tuple[IntArray, Array]:
        """One group's assignments of positive probability: slots (rows, size), in the order of `people`, and
        log-probabilities (rows,)."""

    @abc.abstractmethod
    def within(self, numbering: Numbering) -> "Factor":
        """The same as a factor of a larger law."""

    @property
    def alike(self) -> Sequence[int]:
        """Of each place in a group, its class (size,): places of one class can be exchanged in any way, and the law
        stays the same. By default each is a class of its own."""
        return range(self.size)

    @property
    def path(self) -> Path | None:
        """One group's records as a row, in the order of `people`; None where they are not given as one."""
        return None

    @property
    def cliques(self) -> Cliques | None:
        """One group's records as a tree of cliques, by places in the order of `people`; None where they are not given
        as one. TooLarge where the cliques' tables would not fit memory."""
        return None

    @property
    def size(self) -> int:
        """How many records a group has."""
        return sum(self.strata.values())


def group_rows(factor: Factor) -> tuple[IntArray, Array]:
    """As `group_assignments`. TooLarge, before anything is enumerated, where the rows would not fit memory."""
    assignments, people = factor.assignments, factor.size
    if assignments * people > MOST_ENTRIES:
        shown = f"{float(assignments):.2g} assignments of {people} records that depend on each other"
        raise TooLarge("what records say about each other", shown, "use the group or the exact method")
    return factor.group_assignments()


def count_outcomes(factors: Sequence[Factor]) -> int:
    """How many assignments all groups have together, at most MANY. TooLarge where a component cannot be summed out."""
    total = 1
    for factor in factors:
        # Counting sums out a component of a network: those after MANY is reached are skipped.
        if total < MANY:
            total = min(total * _ways(factor), MANY)
    return total


def _ways(factor: Factor) -> int:
    """How many assignments a factor's groups have together, capped at MANY."""
    # Past any use, and 2^(10^6) would take a while to multiply out.
    return MANY if factor.count * log2(factor.assignments) > log2(MANY) else int(factor.assignments**factor.count)


def all_outcomes(factors: Sequence[Factor]) -> tuple[IntArray, Array]:
    """Every assignment of all groups: slots (rows, people), factor by factor, and log-probabilities (rows,)."""
    # Before the first group there is one outcome, of no records and probability 1.
    slots, logs = np.zeros((1, 0), dtype=np.int64), np.zeros(1)
    for factor in factors:
        own_slots, own_logs = factor.group_assignments()
        for _ in range(factor.count):
            left, right = len(logs), len(own_logs)
            slots = np.concatenate([np.repeat(slots, right, axis=0), np.tile(own_slots, (left, 1))], axis=1)
            logs = np.repeat(logs, right) + np.tile(own_logs, left)
    return slots, logs
