"""Averages of products of per-record factors, in whichever algebra the caller wants (Theory §4).

E[ prod_j z^{w_j(X_j)} ] is one object with several faces. Its coefficients in z are the law of the answer; its values
on a circle give that law by FFT; its logarithm's derivatives give moments. A model builds it once, from three
operations; a transform says what they mean. The simplest transform says which values an answer can take: from the
least to the largest, exactly.
"""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.laws.sums import Combine

Element = TypeVar("Element")
ElementTable = TypeVar("ElementTable")


class Transform(abc.ABC, Generic[Element]):
    """The algebra of generating functions of an answer.

    A *slot* is one value of one stratum of records. The transform knows each slot's score in lattice steps.
    """

    @abc.abstractmethod
    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Element:
        """Returns sum_r exp(log_weights[r]) prod_k factor(slots[k])^counts[r, k], the element of one group.

        Args:
            log_weights: Log-probabilities (rows,) of the group's rows; -inf is impossible.
            slots: The slots that occur (slots,).
            counts: How many records of each row are in each slot (rows, slots).
        """

    @abc.abstractmethod
    def product(self, elements: Sequence[Element], powers: Sequence[int]) -> Element:
        """Returns prod_i elements[i]^powers[i], of independent groups.

        Args:
            elements: At least one element.
            powers: How often each is taken, at least 0.
        """

    @abc.abstractmethod
    def mix(self, log_weights: Array, elements: Sequence[Element]) -> Element:
        """Returns the mixture sum_i exp(log_weights[i]) elements[i].

        Args:
            log_weights: One log for each element; -inf is impossible.
            elements: The elements, one for each state.
        """

    def rows(self) -> "RowAlgebra[Element, Any]":
        """Returns the operations on a table of elements; one row after another where a transform has no quicker way."""
        return ListedRows(self)


@final
@dataclass(frozen=True)
class Average:
    """The mixtures of one step: for each state of some nodes, the compatible states of other nodes and their weights.

    Args:
        states: The compatible states of all averages, one after another (entries,).
        log_weights: Their log-probabilities (entries,), all finite.
        starts: Each average's first entry (averages,).
    """

    states: IntArray
    log_weights: Array
    starts: IntArray

    def of(self, some: slice) -> "Average":
        """Returns the averages in the range `some`, as many averages."""
        starts = self.starts[some]
        last = self.starts[some.stop] if some.stop < len(self.starts) else len(self.states)
        entries = slice(starts[0], last)
        return Average(self.states[entries], self.log_weights[entries], starts - starts[0])

    def parts(self) -> list[tuple[IntArray, Array]]:
        """Returns the states and the log-weights of each average."""
        ends = self.starts[1:]
        return list(zip(np.split(self.states, ends), np.split(self.log_weights, ends), strict=True))


class RowAlgebra(abc.ABC, Generic[Element, ElementTable]):
    """A transform's operations on tables of elements, row by row.

    Because a clique of a network has a hundred thousand states, each operation is one on arrays where it can be.
    """

    @abc.abstractmethod
    def stack(self, elements: Sequence[Element]) -> ElementTable:
        """Returns the table of `elements`, one or more."""

    @abc.abstractmethod
    def elements(self, table: ElementTable) -> list[Element]:
        """Returns the elements of `table`, one for each row."""

    @abc.abstractmethod
    def take(self, table: ElementTable, rows: IntArray) -> ElementTable:
        """Returns the rows of `table` with the numbers `rows`, which may repeat."""

    @abc.abstractmethod
    def product(self, tables: Sequence[ElementTable], powers: Sequence[int]) -> ElementTable:
        """Does `Transform.product` in every row: `tables` with equally many rows, each to its power in `powers`."""

    @abc.abstractmethod
    def mix(self, table: ElementTable, average: Average) -> ElementTable:
        """Does `Transform.mix` of the rows of `table` for each average of `average`; one row's average is itself."""

    def averaged(
        self, tables: Callable[[slice], Sequence[ElementTable]], states: int, averages: Sequence[Average]
    ) -> list[ElementTable]:
        """Returns averages of tables that have a row for each of so many states.

        Override it where all rows together would not stay in a processor's cache.

        Args:
            tables: Makes the tables' rows of some states, one table for each average.
            states: How many states there are.
            averages: The averages over the states.
        """
        return [self.mix(*each) for each in zip(tables(slice(0, states)), averages, strict=True)]


@final
class ListedRows(RowAlgebra[Element, list[Element]], Generic[Element]):
    """A transform's operations on lists of elements, one after another."""

    def __init__(self, transform: Transform[Element]) -> None:
        self._transform = transform

    def stack(self, elements: Sequence[Element]) -> list[Element]:
        return list(elements)

    def elements(self, table: list[Element]) -> list[Element]:
        return table

    def take(self, table: list[Element], rows: IntArray) -> list[Element]:
        return [table[row] for row in rows.tolist()]

    def product(self, tables: Sequence[list[Element]], powers: Sequence[int]) -> list[Element]:
        return [self._transform.product(row, powers) for row in zip(*tables, strict=True)]

    def mix(self, table: list[Element], average: Average) -> list[Element]:
        # Because a single state is certain, its weight is 1 up to rounding.
        return [
            self._transform.mix(logs, self.take(table, states)) if len(states) > 1 else table[states[0]]
            for states, logs in average.parts()
        ]


class ByRecords(Transform[Element], abc.ABC, Generic[Element]):
    """Another transform's products and averages, over factors of records that a subclass makes of it.

    transform: the other transform.
    """

    def __init__(self, transform: Transform[Element]) -> None:
        self._transform = transform

    def product(self, elements: Sequence[Element], powers: Sequence[int]) -> Element:
        return self._transform.product(elements, powers)

    def mix(self, log_weights: Array, elements: Sequence[Element]) -> Element:
        return self._transform.mix(log_weights, elements)

    def rows(self) -> RowAlgebra[Element, Any]:
        return self._transform.rows()


@final
class Renamed(ByRecords[Element], Generic[Element]):
    """A transform addressed by the slot numbers of another law.

    slots: the transform's number for each of the other's.
    """

    def __init__(self, transform: Transform[Element], slots: IntArray) -> None:
        super().__init__(transform)
        self._slots = slots

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Element:
        return self._transform.mean(log_weights, self._slots[slots], counts)


class Multiplied(Protocol[Element]):
    """The one operation that `leave_one_out` needs, of a transform or of its rows."""

    def product(self, elements: Sequence[Element], powers: Sequence[int], /) -> Element: ...


def leave_one_out(transform: Multiplied[Element], elements: Sequence[Element], powers: Sequence[int]) -> list[Element]:
    """Returns, for each i, the product of all elements with one factor i fewer.

    It divides and conquers: len(elements)·log2(len(elements)) products, and no division, so that a zero stays a zero.

    Args:
        transform: The algebra in which elements are multiplied.
        elements: One element for each kind of group.
        powers: How many groups each kind has, at least 1.

    >>> scores = np.array([[0], [1], [0], [10]])
    >>> extents = Extents(scores)
    >>> one, ten = (extents.mean(np.zeros(2), np.array([slot, slot + 1]), np.eye(2, dtype=np.int64)) for slot in (0, 2))
    >>> [each.high for each in leave_one_out(extents, [one, ten], [3, 1])]
    [(12,), (3,)]
    """
    if not elements:
        return []
    # Because a household model has few kinds of group but many of each: the part that all answers have in common is
    # multiplied once, and only one group of each kind, the subject's, is left to be taken out.
    shared = transform.product(elements, [power - 1 for power in powers])
    return _without_each(transform, shared, elements)


def _without_each(transform: Multiplied[Element], outer: Element, elements: Sequence[Element]) -> list[Element]:
    """Returns, for each i, outer times all elements but i."""
    if len(elements) == 1:
        return [outer]
    half = len(elements) // 2
    left, right = elements[:half], elements[half:]
    around_left = transform.product([outer, *right], [1] * (1 + len(right)))
    around_right = transform.product([outer, *left], [1] * (1 + len(left)))
    return _without_each(transform, around_left, left) + _without_each(transform, around_right, right)


@final
@dataclass(frozen=True)
class Extent:
    """The range of an answer: lattice indices `low` and `high`, one per axis, both attained."""

    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def points(self) -> int:
        """The number of lattice points in the box; a Python integer, so that it cannot overflow."""
        size = 1
        for low, high in zip(self.low, self.high, strict=True):
            size *= high - low + 1
        return size


@final
class Extents(Transform[Extent]):
    """The algebra of ranges of answers.

    Args:
        scores: The scores of each slot (slots, axes), in lattice steps.
        combine: How each axis is made; None: by sums.
    """

    # Because an engine is chosen by the length of the answer's range: this is a dry run before any law is computed.
    def __init__(self, scores: IntArray, combine: Sequence[Combine] | None = None) -> None:
        self.scores = scores
        self.combine: tuple[Combine, ...] = ("sum",) * scores.shape[1] if combine is None else tuple(combine)

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Extent:
        """Returns the range of one group's answers; rows of weight 0 do not count.

        `log_weights` (rows,), `slots` and `counts` (rows, slots) are as in `Transform.mean`.
        """
        scores = self.scores[slots]
        counts = counts[log_weights > -np.inf]
        # Because a maximum or minimum has no multiplicity: ten records of one value make the same extreme as one.
        points, present = counts @ scores, counts > 0
        for axis, how in enumerate(self.combine):
            if how != "sum":
                points[:, axis] = _extreme(present, scores[:, axis], how)
        return Extent(tuple(int(i) for i in points.min(axis=0)), tuple(int(i) for i in points.max(axis=0)))

    def product(self, elements: Sequence[Extent], powers: Sequence[int]) -> Extent:
        pairs = list(zip(elements, powers, strict=True))
        axes = list(enumerate(self.combine))
        return Extent(
            tuple(_together(how, [(element.low[axis], power) for element, power in pairs]) for axis, how in axes),
            tuple(_together(how, [(element.high[axis], power) for element, power in pairs]) for axis, how in axes),
        )

    def mix(self, log_weights: Array, elements: Sequence[Extent]) -> Extent:
        # Because an impossible element must not widen the box: `impossible` is a weight of -inf, never a small one.
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        axes = range(self.scores.shape[1])
        return Extent(
            tuple(min(element.low[axis] for element in used) for axis in axes),
            tuple(max(element.high[axis] for element in used) for axis in axes),
        )

    def rows(self) -> "RowAlgebra[Extent, ExtentTable]":
        return _BoxRows(self.combine)


@final
@dataclass(frozen=True)
class ExtentTable:
    """A table of extents, `low` and `high` (rows, axes)."""

    low: IntArray
    high: IntArray


@final
class _BoxRows(RowAlgebra[Extent, ExtentTable]):
    """The operations of `Extents` on arrays."""

    def __init__(self, combine: Sequence[Combine]) -> None:
        self._combine = combine

    def stack(self, elements: Sequence[Extent]) -> ExtentTable:
        shape = len(elements), len(self._combine)
        return ExtentTable(
            _integers([i for element in elements for i in element.low]).reshape(shape),
            _integers([i for element in elements for i in element.high]).reshape(shape),
        )

    def elements(self, table: ExtentTable) -> list[Extent]:
        pairs = zip(table.low.tolist(), table.high.tolist(), strict=True)
        return [Extent(tuple(low), tuple(high)) for low, high in pairs]

    def take(self, table: ExtentTable, rows: IntArray) -> ExtentTable:
        return ExtentTable(table.low[rows], table.high[rows])

    def product(self, tables: Sequence[ExtentTable], powers: Sequence[int]) -> ExtentTable:
        return ExtentTable(
            self._together([table.low for table in tables], powers),
            self._together([table.high for table in tables], powers),
        )

    def _together(self, ends: Sequence[IntArray], powers: Sequence[int]) -> IntArray:
        found = _sum_of(ends, powers)
        for axis, how in enumerate(self._combine):
            if how != "sum":
                used = [each[:, axis] for each, power in zip(ends, powers, strict=True) if power > 0]
                found[:, axis] = np.max(used, axis=0) if how == "max" else np.min(used, axis=0)
        return found

    def mix(self, table: ExtentTable, average: Average) -> ExtentTable:
        return ExtentTable(
            np.minimum.reduceat(table.low[average.states], average.starts, axis=0),
            np.maximum.reduceat(table.high[average.states], average.starts, axis=0),
        )


_MOST_MACHINE_INTEGER: Final = 1 << 62
"""Largest sum added up in machine integers; Python's own, which cannot overflow, take over beyond it."""


def _integers(numbers: Sequence[int]) -> IntArray:
    """Returns an array of Python's integers where machine integers could overflow."""
    most = max(map(abs, numbers), default=0)
    return np.array(numbers, dtype=np.int64 if most <= _MOST_MACHINE_INTEGER else object)


def _sum_of(ends: Sequence[IntArray], powers: Sequence[int]) -> IntArray:
    """Returns the sum of power times end, over one table after another."""
    most = sum(power * int(np.abs(each).max(initial=0)) for each, power in zip(ends, powers, strict=True))
    kind = np.int64 if most <= _MOST_MACHINE_INTEGER else object
    found = np.zeros(ends[0].shape, dtype=kind)
    for each, power in zip(ends, powers, strict=True):
        found += power * each.astype(kind)
    return found


def _extreme(present: NDArray[np.bool_], scores: IntArray, how: Combine) -> IntArray:
    """Returns, per row, the greatest or the least score of the slots present in it."""
    ends = np.iinfo(np.int64)
    if how == "max":
        return np.asarray(np.where(present, scores, ends.min).max(axis=1))
    return np.asarray(np.where(present, scores, ends.max).min(axis=1))


def _together(how: Combine, ends: Sequence[tuple[int, int]]) -> int:
    """Returns the combined value of records or groups, given as (value, power)."""
    if how == "sum":
        return sum(power * end for end, power in ends)
    # Because a kind of group whose only one is the subject's has power 0 and no extreme.
    used = [end for end, power in ends if power > 0]
    return max(used) if how == "max" else min(used)
