"""Where the laws of a network's pairs contradict that a person's neighbourhood is independent of everybody else."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.law import Array, IntArray
from dalenius.ratios.pairs.pair_law import SLACK, PairLaw

Path: TypeAlias = tuple[int, int, int]
"""A person, a neighbour of theirs, and a neighbour of that one who is none of theirs; by their numbers from 0."""


def dependent(law: PairLaw) -> bool:
    """Whether the two records of the pair are dependent."""
    return any(_moves(rows, own) for rows, own in ((law.forward, law.first), (law.backward, law.second)))


def _moves(rows: Array, own: Array | None) -> bool:
    read = rows if own is None else rows[own > 0]
    return len(read) > 1 and float(np.ptp(read, axis=0).max()) > SLACK


@final
class OpenPaths:
    """first, second (edges,): the ends, from 0; moving (edges,): whether the two records are dependent."""

    def __init__(self, people: int, first: IntArray, second: IntArray, moving: NDArray[np.bool_]) -> None:
        ends, others = np.concatenate([first, second]), np.concatenate([second, first])
        order = np.lexsort((others, ends))
        self._others, self._moving = others[order], np.concatenate([moving, moving])[order]
        self._starts = np.searchsorted(ends[order], np.arange(people + 1))
        self._edges = first[moving], second[moving]
        self._people = people

    def found(self, people: Sequence[int] | None) -> Path | None:
        """The first such path from one of these people, by their numbers from 0, or from anybody; None where there is
        none: then each neighbourhood may be independent of all others."""
        paths = self._from_anybody() if people is None else (self._from(person) for person in people)
        return next((path for path in paths if path is not None), None)

    def _from(self, person: int) -> Path | None:
        near = self._around(person)
        for other in near.tolist():
            rows = slice(self._starts[other], self._starts[other + 1])
            beyond = self._others[rows][self._moving[rows]]
            beyond = beyond[(beyond != person) & ~np.isin(beyond, near)]
            if len(beyond):
                return person, other, int(beyond[0])
        return None

    def _from_anybody(self) -> Iterator[Path | None]:
        """There is a path iff two people whose records are dependent do not have the same neighbours, themselves among
        them: one of the two then has one whom the other has not."""
        one, other = self._edges
        marks = np.random.default_rng(0).integers(0, 2**63, self._people, dtype=np.uint64)
        sums = np.append(np.uint64(0), np.cumsum(marks[self._others]))  # modulo 2**64
        closed = sums[self._starts[1:]] - sums[self._starts[:-1]] + marks
        differ = np.flatnonzero(closed[one] != closed[other])
        for edge in differ[:1].tolist():
            yield self._across(int(one[edge]), int(other[edge]))

    def _across(self, one: int, other: int) -> Path | None:
        for near, far in ((one, other), (other, one)):
            alone = np.setdiff1d(self._around(near), np.append(self._around(far), far))
            if len(alone):
                return int(alone[0]), near, far
        return None

    def _around(self, person: int) -> IntArray:
        return self._others[self._starts[person] : self._starts[person + 1]]
