"""Factors of a joint law: independent groups of records of one type, and how many there are."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.joints.clique_laws import Cliques, Path
from dalenius.joints.limits import MOST_ENTRIES
from dalenius.memory_budget import allowed, enough, or_more

MANY: Final = 2**200
"""Number of assignments that a factor with more reports: too many for any use."""


@final
@dataclass(frozen=True)
class Numbering:
    """The numbers of a law's people, strata and slots in a larger law.

    before: how many people of the larger law precede its first; strata (own strata,) and slots (own slots,).
    """

    before: int
    strata: IntArray
    slots: IntArray


class Factor(abc.ABC):
    """Groups of records with the same law, independent of each other and of all other records.

    People, strata and slots have the numbers they have in the joint law that this is a factor of.
    """

    @property
    @abc.abstractmethod
    def count(self) -> int:
        """The number of groups, 1 or more."""

    @property
    @abc.abstractmethod
    def people(self) -> Sequence[int]:
        """The numbers of the people (count · size,), group by group."""

    @property
    @abc.abstractmethod
    def strata(self) -> Mapping[int, int]:
        """The number of one group's records in each stratum, by its index."""

    @property
    @abc.abstractmethod
    def assignments(self) -> int:
        """The number of rows of `group_assignments`, or an upper bound; MANY for any more."""

    @abc.abstractmethod
    def group_assignments(self) -> tuple[IntArray, Array]:
        """Returns one group's assignments of positive probability: slots (rows, size), in the order of `people`, and
        log-probabilities (rows,)."""

    @abc.abstractmethod
    def within(self, numbering: Numbering) -> "Factor":
        """Returns the factor with the numbers of a larger law, given by `numbering`."""

    @property
    def unlisted(self) -> InputError | None:
        """The error for listing the records, where their values do not say what they add to an answer; None else."""
        return None

    @property
    def alike(self) -> Sequence[int]:
        """The class of each place in a group (size,); places of one class can be exchanged in any way, and the law
        stays the same. By default each is a class of its own."""
        return range(self.size)

    @property
    def path(self) -> Path | None:
        """The records of one group as a row, in the order of `people`; None where they are not given as one."""
        return None

    @property
    def cliques(self) -> Cliques | None:
        """The records of one group as a tree of cliques, by places in the order of `people`; None where they are not
        one. TooLarge where the cliques' tables would not fit memory."""
        return None

    @property
    def size(self) -> int:
        """The number of records in a group."""
        return sum(self.strata.values())


def group_rows(factor: Factor) -> tuple[IntArray, Array]:
    """Returns `group_assignments` of `factor`. TooLarge, before enumeration, where they would not fit memory.

    InputError where the records alone do not say what they add to an answer.
    """
    if factor.unlisted is not None:
        raise factor.unlisted
    assignments, people = factor.assignments, factor.size
    if (entries := assignments * people) > allowed(MOST_ENTRIES):
        shown = f"{float(assignments):.2g} assignments of {people} records that depend on each other"
        instead = or_more("use the group or the exact method", enough(entries, MOST_ENTRIES))
        raise TooLarge("what records say about each other", shown, instead, MOST_ENTRIES)
    return factor.group_assignments()


def count_outcomes(factors: Sequence[Factor]) -> int:
    """Returns how many assignments all groups of `factors` have, at most MANY; TooLarge where it cannot."""
    total = 1
    for factor in factors:
        # Because counting sums out a component of a network: those after MANY is reached are skipped.
        if total < MANY:
            total = min(total * _ways(factor), MANY)
    return total


def _ways(factor: Factor) -> int:
    """Returns how many assignments a factor's groups have together, capped at MANY."""
    # Because it is past any use, and 2^(10^6) would take a while to multiply out.
    return MANY if factor.count * log2(factor.assignments) > log2(MANY) else int(factor.assignments**factor.count)


def all_outcomes(factors: Sequence[Factor]) -> tuple[IntArray, Array]:
    """Returns every assignment of all groups of `factors`: slots (rows, people), factor by factor, and logs (rows,)."""
    # Because before the first group there is one outcome, of no records and probability 1.
    slots, logs = np.zeros((1, 0), dtype=np.int64), np.zeros(1)
    for factor in factors:
        own_slots, own_logs = factor.group_assignments()
        for _ in range(factor.count):
            left, right = len(logs), len(own_logs)
            slots = np.concatenate([np.repeat(slots, right, axis=0), np.tile(own_slots, (left, 1))], axis=1)
            logs = np.repeat(logs, right) + np.tile(own_logs, left)
    return slots, logs
