"""The independent factors of a joint law: types of groups of records, and how many groups are of each.

And the most that a function of bounded log-slope tells two laws of a factor's other records apart, in closed form where
they lean one way. Let these records' states lie on a line, t_1 < .. < t_n, as counts do, and let gain/cost rise along
it. Then the largest Σ gain·v / Σ cost·v over v(c) <= e^{ε|t_c - t_c'|} v(c') is attained by v = e^{εt} (Result 13.6):
with counts of positively affiliated bits that is Ghosh and Kleinberg's (2016) closed form, and what Laplace noise on
the count leaks.
"""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, log2
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
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


def closed_ratio(gain: Array, cost: Array, distances: IntArray, nats: float) -> Enclosure | None:
    """The largest ratio, where the states lie on a line and gain/cost is monotone along it; None elsewhere.

    gain, cost (n,): of each state, one of them above 0; distances (n, n): their distances; nats: ε per unit.

    Counts 0, 1 and 2 that lean towards 0 in one law and towards 2 in the other, told apart by e^{-t/2}:

    >>> steps = np.abs(np.arange(3)[:, None] - np.arange(3))
    >>> round(closed_ratio(np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5]), steps, 0.5).upper, 6)
    1.335106
    >>> closed_ratio(np.array([0.5, 0.1, 0.4]), np.array([0.2, 0.6, 0.2]), steps, 0.5) is None  # leans neither way
    True
    """
    # Three values that are all one apart from each other lie on no line.
    places = _line(distances)
    if places is None:
        return None
    order = np.argsort(places)
    rises = _rises(gain[order], cost[order])
    if rises is None:
        return None
    with np.errstate(divide="ignore"):
        above, below = np.log(gain), np.log(cost)
    tilt = nats * (places if rises else -places)
    found = float(np.logaddexp.reduce(above + tilt) - np.logaddexp.reduce(below + tilt))
    deepest = float(np.max(np.abs(tilt))) + max(float(np.max(-each[each > -np.inf])) for each in (above, below))
    error = 16 * UNIT * (len(gain) + 4 + abs(found) + deepest)
    # Nats beyond which a ratio is no double.
    if abs(found) + error > 700.0:
        return None
    return Enclosure(exp(found - error), exp(found + error))


def _line(distances: IntArray) -> IntArray | None:
    """Places of which the distances are those; None where there are none."""
    # The state furthest from the first one is an end of the line, if there is one: places are distances from it.
    places = distances[int(np.argmax(distances[0]))]
    return places if np.array_equal(np.abs(places[:, None] - places[None]), distances) else None


def _rises(gain: Array, cost: Array) -> bool | None:
    """Whether gain/cost rises from state to state; whether it falls (False); None where it does neither. Exactly: what
    the numbers themselves are off by is counted elsewhere."""
    exact = [(Fraction(one), Fraction(other)) for one, other in zip(gain.tolist(), cost.tolist(), strict=True)]
    # Products instead of quotients: a cost may be 0.
    steps = [b[0] * a[1] - a[0] * b[1] for a, b in pairwise(exact)]
    if all(step >= 0 for step in steps):
        return True
    return False if all(step <= 0 for step in steps) else None
