"""The shape of one group's records for computations by messages: a row of records, or a tree of cliques."""

from dataclasses import dataclass
from typing import final

from dalenius.arrays import Array, IntArray
from dalenius.laws.extended_range import Masses


@final
@dataclass(frozen=True, eq=False)
class Path:
    """Records of k values each in a row, each independent of those beyond its neighbours given them.

    Args:
        chances: Each record's law (n, k).
        forward: The distinct laws of the next record (m, k, k), by rows.
        onward: Which of them leads from each record to the next (n - 1,).
        backward: The distinct laws of the previous record (m, k, k), by rows.
        before: Which of them leads from each record back (n - 1,).
        error: The relative error of every entry.
        slots: The slots of the values (n, k).
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
    """Records as a tree of cliques.

    Given the records that two neighbouring cliques share, those on one side are independent of those on the other.

    Args:
        records: The places of each clique's records.
        laws: The chances of their values, an axis each.
        parents: A clique's neighbour on the way to the first, -1 for the first (m,).
        error: The relative error of every chance.
        slots: The slots of each record's values.
    """

    records: tuple[tuple[int, ...], ...]
    laws: tuple[Masses, ...]
    parents: IntArray
    error: float
    slots: tuple[IntArray, ...]
