"""Records of one group that depend on each other in a row, or as a tree of cliques: what whoever computes by messages
reads of a factor."""

from dataclasses import dataclass
from typing import final

from dalenius.arrays import Array, IntArray
from dalenius.laws.extended_range import Masses


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
