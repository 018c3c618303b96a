"""Who is connected to whom: undirected edges, each once, and what was dropped to make them so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import IntArray

EdgePairs: TypeAlias = NDArray[Any] | Sequence[tuple[int, int]]
"""Two people a row, 0-based; in either direction, any number of times."""

MOST_PEOPLE: Final = 3_000_000_000
"""Pairs of so many people have numbers of their own below 2^63."""


@final
@dataclass(frozen=True, eq=False)
class Edges:
    """Undirected edges between `people` people, each once: first[e] < second[e], 0-based, in ascending order."""

    people: int
    first: IntArray
    second: IntArray

    def __len__(self) -> int:
        return len(self.first)


@final
@dataclass(frozen=True)
class Dropped:
    """Rows of an edge table that are no edges of their own, each counted once, by the first of these that holds.

    unknown: an end that is none of the people; self_loops: both ends the same; duplicates: an edge that was there
    before, in either direction.
    """

    self_loops: int = 0
    duplicates: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        return self.self_loops + self.duplicates + self.unknown

    def shown(self) -> dict[str, int]:
        """Ready for JSON."""
        return {"unknown": self.unknown, "self_loops": self.self_loops, "duplicates": self.duplicates}


def clean_edges(people: int, pairs: EdgePairs) -> tuple[Edges, Dropped]:
    """The edges among `people` people, numbered from 0, and what was dropped of the pairs.

    InputError where `pairs` are no rows of two whole numbers or there are no people; TooLarge from 3·10^9 people on.
    """
    if people < 1:
        raise InputError("people", people, "at least one")
    if people > MOST_PEOPLE:
        raise TooLarge("edges", f"{people:,} people", "split the graph into its connected parts")
    rows = _rows(pairs)
    known = ((rows >= 0) & (rows < people)).all(axis=1)
    first, second = rows[known].min(axis=1, initial=people), rows[known].max(axis=1, initial=-1)
    apart = first < second
    distinct = np.unique(first[apart] * people + second[apart])
    edges = Edges(people, distinct // people, distinct % people)
    unknown, loops = int(np.count_nonzero(~known)), int(np.count_nonzero(~apart))
    return edges, Dropped(loops, int(np.count_nonzero(apart)) - len(distinct), unknown)


def _rows(pairs: EdgePairs) -> IntArray:
    """(m, 2) whole numbers."""
    given = np.asarray(pairs) if len(pairs) else np.zeros((0, 2), dtype=np.int64)
    if given.ndim != 2 or given.shape[1] != 2:
        raise InputError("edges", f"of shape {given.shape}", "two people a row")
    if given.dtype.kind == "f" and np.array_equal(given, np.rint(given)) and np.abs(given).max() < 2.0**53:
        return given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise InputError("edges", f"cells of type {given.dtype}", "people by their numbers, from 0")
    return given.astype(np.int64, copy=False)
