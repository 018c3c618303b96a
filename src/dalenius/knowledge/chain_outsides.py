"""The laws that the sum of a chain's records outside of a window can have, by how many of them are known.

Known records cut what is outside of a window into stretches. The law of the outside's sum depends on the stretches'
lengths and the values at their ends, in any order. So many sets of known records have one law. Laws are told apart by a
number that adds up one number for each stretch. Outside of the window more knowledge is worth no less, so that as many
records are known there as may be.

Take forty days, each as the day before with probability .9 or .8. Three are known beyond a 0 that is at the window's
left. They are 73,112 sets, with 29,605 laws:

>>> from dalenius.knowledge.chain_fractions import ChainFractions
>>> chain = ChainFractions(40, np.array([2 / 3, 1 / 3]), np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 1]), 4)
>>> len(Outsides(chain, None).beyond(39, 3, 0, True).laws)
29605
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.knowledge.chain_fractions import ChainFractions, KnownSet, Side, convolved

# Laws of one outside, and numbers that tell them apart before equal ones are left out; tenths of a second.
_MOST_LAWS: Final = 1 << 16
_MOST_KEYS: Final = 1 << 22
# Numbers in all laws that are kept, 240 MB.
_MOST_KEPT: Final = 30_000_000


class TooMany(Exception):
    """There are more laws than are gone through."""


@final
@dataclass(frozen=True)
class Beyond:
    """Laws of a sum of records on one side of a known one.

    Attributes:
        laws: The laws (rows, sums).
        keys: A number for each (rows,), equal for stretches of equal lengths and ends.
        known: The distance and the value of each known record, in one set that has the law (rows, known, 2).
    """

    laws: Array
    keys: NDArray[np.uint64]
    known: IntArray


@final
@dataclass(frozen=True)
class Outside:
    """Laws of the sum of all records outside of a window.

    Attributes:
        laws: The laws (rows, sums).
        parts: For each so many rows, the number of records on the left and the records known on both sides.
    """

    laws: Array
    parts: tuple[tuple[int, IntArray, IntArray], ...]

    def known_set(self, row: int, left: Side, right: Side) -> KnownSet:
        """Returns the record in question and the known records of a row, those at the window's sides included.

        Args:
            row: The place of the law.
            left: The window's side before the record in question.
            right: Its side after that record.
        """
        for records, before, after in self.parts:
            if row < len(before):
                person = records + left.records
                known = {person - left.records - int(at): int(value) for at, value in before[row]}
                known |= {person + right.records + int(at): int(value) for at, value in after[row]}
                known |= {person - left.records: left.value} if left.value is not None else {}
                known |= {person + right.records: right.value} if right.value is not None else {}
                return person, known
            row -= len(before)
        raise IndexError(row)


@final
class Outsides:
    """The laws that known records leave outside of windows of a `chain`; kept from one window to the next.

    people: the numbers, from 1, of those whose records are secrets; None for all.
    """

    def __init__(self, chain: ChainFractions, people: frozenset[int] | None) -> None:
        self._chain, self._people = chain, people
        self._reversible = chain.reversible
        self._numbers: dict[tuple[int | str, ...], np.uint64] = {}
        self._draw = np.random.default_rng(7)
        self._beyond: dict[tuple[int, int, int, bool], Beyond] = {}
        self._outsides: dict[tuple[object, ...], Outside] = {}
        self._kept = 0

    def listed(self) -> bool:
        """Whether the laws beside the shortest window are few enough to be listed."""
        chain, colours = self._chain, self._chain.states * (self._chain.states + 1) // 2
        records, known = chain.n - 3, chain.known - 2
        # Stretches known at both ends, of any number and total length: one kind that is empty, others of each colour.
        unknown = max(0, records - known)
        ways = np.zeros((max(known, 0) + 1, unknown + 1))
        ways[0, 0] = 1
        for length in [0] + [each for each in range(1, unknown + 1) for _ in range(colours)]:
            for number in range(1, len(ways)):
                ways[number, length:] += ways[number - 1, : unknown + 1 - length]
        # Two open stretches take up the rest, of each colour.
        rest = unknown + 1.0 - np.arange(unknown + 1)
        return bool(ways[-1] @ rest * chain.states <= 4 * _MOST_LAWS)

    def beyond(self, records: int, known: int, value: int, left: bool) -> Beyond:
        """Returns all laws of the sum of records on one side of a known one.

        Args:
            records: How many there are.
            known: How many of them are known.
            value: The value of the known record.
            left: Whether they come before it.

        Raises:
            TooMany: There are too many laws.
        """
        case = records, known, value, left
        if case not in self._beyond:
            self._beyond[case] = self._open(*case) if known == 0 else self._cut(*case)
        return self._beyond[case]

    def _open(self, records: int, known: int, value: int, left: bool) -> Beyond:
        law = (self._chain.before(records) if left else self._chain.after(records))[value]
        key = np.array(
            [self._number(records, "before" if left or self._reversible else "after", value)], dtype=np.uint64
        )
        # The first record cannot have a value of probability 0, and so nobody knows it to.
        there = slice(0, 1 if law.any() else 0)
        return Beyond(law[None][there], key[there], np.zeros((1, 0, 2), dtype=np.int64)[there])

    def _cut(self, records: int, known: int, value: int, left: bool) -> Beyond:
        chain, found, cases = self._chain, list[Beyond](), list[tuple[int, int]]()
        for distance in range(1, records - known + 2):
            for end in range(chain.states):
                found.append(self.beyond(records - distance, known - 1, end, left))
                cases.append((distance, end))
        keys = [
            each.keys + self._number(distance - 1, *self._ends(end, value, left))
            for each, (distance, end) in zip(found, cases, strict=True)
        ]
        first = _different(keys)
        self._count(len(first), (records - known) * int(chain.scores.max()) + 1)
        laws, kept, sets = list[Array](), list[NDArray[np.uint64]](), list[IntArray]()
        for rows, own, each, (distance, end) in zip(_split(first, keys), keys, found, cases, strict=True):
            near = chain.stretch(distance - 1)
            laws.append(convolved(each.laws[rows], near[end, value] if left else near[value, end]))
            kept.append(own[rows])
            further = each.known[rows] + np.array([distance, 0])
            sets.append(np.concatenate([np.full((len(rows), 1, 2), (distance, end)), further], axis=1))
        return Beyond(np.concatenate(laws), np.concatenate(kept), np.concatenate(sets))

    def of(self, left: Side, right: Side) -> Outside:
        """Returns all laws of the sum of the records outside of a window; as many records as allowed are known.

        Args:
            left: The window's side before the record in question.
            right: Its side after that record.

        Raises:
            TooMany: There are too many laws.
        """
        chain = self._chain
        records = chain.outside(left, right)
        known = min(records, chain.known - left.known - right.known)
        own = None if self._people is None else left.records
        case = left.value, right.value, records, known, own
        if case not in self._outsides:
            self._outsides[case] = self._joined(left, right, records, known)
        return self._outsides[case]

    def _joined(self, left: Side, right: Side, records: int, known: int) -> Outside:
        sides = [
            (
                before,
                self._side(before, one, left.value, True),
                self._side(records - before, known - one, right.value, False),
            )
            for before in self._splits(left, right, records)
            for one in range(max(0, known - records + before), min(known, before) + 1)
        ]
        if sum(len(one.keys) * len(other.keys) for _, one, other in sides) > _MOST_KEYS:
            raise TooMany
        keys = [np.add.outer(one.keys, other.keys).ravel() for _, one, other in sides]
        first = _different(keys)
        width = (records - known) * int(self._chain.scores.max()) + 1
        self._count(len(first), width)
        laws, parts = list[Array](), list[tuple[int, IntArray, IntArray]]()
        for rows, (before, one, other) in zip(_split(first, keys), sides, strict=True):
            ones, others = np.divmod(rows, max(1, len(other.keys)))
            made = np.zeros((len(rows), width))
            for place in np.unique(ones):
                made[ones == place] = convolved(other.laws[others[ones == place]], one.laws[place])
            laws.append(made)
            parts.append((before, one.known[ones], other.known[others]))
        return Outside(np.concatenate(laws) if laws else np.zeros((0, width)), tuple(parts))

    def _splits(self, left: Side, right: Side, records: int) -> Iterator[int]:
        """How many of the records may be on the left."""
        first = 0 if right.goes_on else records
        last = records if left.goes_on else 0
        for before in range(first, last + 1):
            if self._people is None or before + left.records + 1 in self._people:
                yield before

    def _side(self, records: int, known: int, value: int | None, left: bool) -> Beyond:
        if value is None:
            return Beyond(np.ones((1, 1)), np.zeros(1, dtype=np.uint64), np.zeros((1, 0, 2), dtype=np.int64))
        return self.beyond(records, known, value, left)

    def _ends(self, end: int, value: int, left: bool) -> tuple[int, int]:
        """The values at a stretch's ends, in the order of the chain, which does not matter to a reversible one."""
        ends = (end, value) if left else (value, end)
        return (min(ends), max(ends)) if self._reversible else ends

    def _number(self, length: int, *ends: int | str) -> np.uint64:
        """A random number for a stretch; none for an empty one, which has but one law."""
        stretch = length, *ends
        if length and stretch not in self._numbers:
            self._numbers[stretch] = np.uint64(self._draw.integers(1, 1 << 63))
        return self._numbers.get(stretch, np.uint64(0))

    def _count(self, laws: int, width: int) -> None:
        """Counts numbers that are kept; TooMany beyond the limits."""
        if laws > _MOST_LAWS or self._kept + laws * width > _MOST_KEPT:
            raise TooMany
        self._kept += laws * width


def _different(keys: list[NDArray[np.uint64]]) -> IntArray:
    """The place of one of each number in the arrays put together; TooMany beyond the limit."""
    if sum(map(len, keys)) > _MOST_KEYS:
        raise TooMany
    return np.unique(np.concatenate(keys), return_index=True)[1] if keys else np.zeros(0, dtype=np.int64)


def _split(first: IntArray, keys: list[NDArray[np.uint64]]) -> Iterator[IntArray]:
    """The chosen places of concatenated arrays, for each of these."""
    chosen, start = np.sort(first), 0
    for each in keys:
        own = chosen[(chosen >= start) & (chosen < start + len(each))]
        yield own - start
        start += len(each)
