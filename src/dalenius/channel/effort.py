"""A dry run of the positive convolution of a model's products: its time, before any law is computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.laws.generating_function_algebra import Average, Extent, Extents, RowAlgebra, Transform

# Because only their proportions matter, these are seconds on an ordinary core of today.
SECONDS_PER_CALL: Final = 2e-5
"""Seconds of any operation on arrays, however short."""
_PASS: Final = 5e-9  # one number times one term, exponents and all
_EXTREME: Final = 5e-8  # one entry of a law with extremes
_ROOM: Final = 400.0  # points in a block, about
_ENTRY_IN_ROWS: Final = 1.5e-9
"""Seconds of the product of two numbers in a table of laws, one of many rows."""


@final
@dataclass(frozen=True)
class _Size:
    """The size of a grid: its box, and at most how many of its points are not 0."""

    extent: Extent
    terms: float

    @property
    def points(self) -> float:
        return float(self.extent.points)


@final
class Effort(Transform[_Size]):
    """A dry run of the positive convolution: `seconds` is its total time, `calls` its number of array operations.

    scores: those of the coordinates that are sums; cells: how many entries each point of their box has (1 without
    extremes); `largest`: the most entries of one element.
    """

    def __init__(self, scores: IntArray, cells: float = 1.0) -> None:
        self.extents = Extents(scores)
        self._line = scores.shape[1] == 1 and cells == 1
        self._cells = cells
        self.seconds = 0.0
        self.calls = 0
        self.largest = 0.0

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> _Size:
        """Counts one factor: an operation per possible value. `log_weights`, `slots`, `counts`: see `Transform`."""
        terms = float(np.count_nonzero(log_weights > -np.inf))
        self._spend(SECONDS_PER_CALL + _PASS * terms * self._cells)
        extent = self.extents.mean(log_weights, slots, counts)
        return _Size(extent, terms if self._cells == 1 else min(terms, float(extent.points)))

    def product(self, elements: Sequence[_Size], powers: Sequence[int]) -> _Size:
        """Counts the product of `elements` to their `powers`, the smallest first, so that results stay small."""
        running = None
        for element, power in sorted(zip(elements, powers, strict=True), key=lambda pair: pair[0].points):
            if power > 0:
                running = self._times_power(running, element, power)
        running = running or self._one
        self.largest = max(self.largest, self._cells * running.points)
        return running

    def mix(self, log_weights: Array, elements: Sequence[_Size]) -> _Size:
        """Counts a mixture of `elements`: every entry whose `log_weights` is not -inf is multiplied and added."""
        extent = self.extents.mix(log_weights, [element.extent for element in elements])
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        self.spend_on_means(1, sum(element.points for element in used))
        return _Size(extent, min(float(extent.points), sum(element.terms for element in used)))

    def rows(self) -> "RowAlgebra[_Size, _TableSize]":
        return _SizeRows(self)

    def spend_on_means(self, means: int, points: float) -> None:
        """Adds the cost of so many `means` over elements of so many `points` together."""
        self.seconds += 2 * SECONDS_PER_CALL * means + self._mean_entry * points
        self.calls += means

    @property
    def _mean_entry(self) -> float:
        """The seconds to multiply and add one entry."""
        return 4 * _PASS if self._cells == 1 else 4 * _EXTREME * self._cells

    @cached_property
    def _one(self) -> _Size:
        """The size of no factor."""
        return _Size(self.extents.product([], []), 1.0)

    def product_of_rows(self, rows: int, elements: Sequence[_Size], powers: Sequence[int]) -> _Size:
        """Counts the product in each of so many `rows` of one size, of `elements` to their `powers`.

        Laws of one sum are arrays, others go one after another.
        """
        if not self._line:
            seconds, calls = self.seconds, self.calls
            found = self.product(elements, powers)
            self.seconds += (rows - 1) * (self.seconds - seconds)
            self.calls += (rows - 1) * (self.calls - calls)
            return found
        running = None
        for element, power in sorted(zip(elements, powers, strict=True), key=lambda pair: pair[0].points):
            raised = element
            # Because tables of laws are multiplied so, powers are taken by squaring.
            for bit in range(power.bit_length()):
                raised = self._times_in_rows(rows, raised, raised) if bit else raised
                if power >> bit & 1:
                    running = raised if running is None else self._times_in_rows(rows, running, raised)
        running = running or self._one
        self.largest = max(self.largest, running.points)
        return running

    def _times_in_rows(self, rows: int, one: _Size, other: _Size) -> _Size:
        self.seconds += SECONDS_PER_CALL + _ENTRY_IN_ROWS * rows * one.points * other.points
        self.calls += rows
        extent = self.extents.product([one.extent, other.extent], [1, 1])
        return _Size(extent, min(float(extent.points), one.terms * other.terms))

    def _times_power(self, running: _Size | None, element: _Size, power: int) -> _Size:
        """Counts a power as the convolution takes it: on several axes one factor after another, where quicker."""
        # The case of the first factor of each place of a long chain, whose product with nothing is itself.
        if running is None and power == 1:
            self._spend(SECONDS_PER_CALL + self._convolution(1.0, element.points, min(1.0, element.terms)))
            return _Size(element.extent, min(element.points, element.terms))
        running = running or self._one
        raised = element.points if power == 1 else float(self.extents.product([element.extent], [power]).points)
        sparse = min(raised, running.terms)
        # Because one axis is squared up; several are multiplied term by term where the terms are few.
        if self._line or self._cells > 1 or min(element.points, running.points) == 1 or power * element.terms >= sparse:
            return self._times(running, self._power(element, power))
        extent = self.extents.product([running.extent, element.extent], [1, power])
        points = float(extent.points)
        self._spend(power * (SECONDS_PER_CALL + self._entry * element.terms * points))
        return _Size(extent, points)

    def _power(self, element: _Size, power: int) -> _Size:
        """Returns the size of a group's law after so many equal groups; squared up where there is one axis."""
        if power == 1:
            return element
        extent = self.extents.product([element.extent], [power])
        points = float(extent.points)
        if self._line or element.points == 1:
            # Because by squaring the last product costs as much as all before it together.
            self._spend(
                power.bit_length() * SECONDS_PER_CALL + 2 * self._convolution(points / 2, points / 2, points / 2)
            )
        else:
            self._spend(power * (SECONDS_PER_CALL + self._entry * element.terms * points / 2))
        return _Size(extent, min(points, min(element.terms, 1e6) ** min(power, 40)))

    def _times(self, one: _Size, other: _Size) -> _Size:
        """Returns the size of the product of two; its cost is that of the sparser way."""
        extent = self.extents.product([one.extent, other.extent], [1, 1])
        sparse = min(one.terms, other.terms)
        self._spend(SECONDS_PER_CALL + self._convolution(one.points, other.points, sparse))
        return _Size(extent, min(float(extent.points), one.terms * other.terms))

    @property
    def _entry(self) -> float:
        return _PASS if self._cells == 1 else _EXTREME * self._cells

    def _convolution(self, one: float, other: float, sparse: float) -> float:
        """Returns the seconds of one product: term by term, or block by block where that is one line of numbers."""
        by_terms = self._entry * sparse * (one + other)
        if not self._line:
            return by_terms
        pairs = (1 + one / _ROOM) * (1 + other / _ROOM)
        # The case of one product within a block of plain doubles.
        return min(by_terms, 3e-10 * one * other + 3 * SECONDS_PER_CALL * pairs)

    def _spend(self, seconds: float) -> None:
        self.seconds += seconds
        self.calls += 1


@final
@dataclass(frozen=True)
class _TableSize:
    """The size of a table of grids: its number of rows, and the box that holds all of them."""

    row: _Size
    rows: int


@final
class _SizeRows(RowAlgebra[_Size, _TableSize]):
    """The operations of `Effort` on tables.

    A table is one size, that of its largest rows, because a clique of a network has a hundred thousand states.
    """

    def __init__(self, effort: Effort) -> None:
        self._effort = effort

    def stack(self, elements: Sequence[_Size]) -> _TableSize:
        extent = self._effort.extents.mix(np.zeros(len(elements)), [element.extent for element in elements])
        return _TableSize(_Size(extent, max(element.terms for element in elements)), len(elements))

    def elements(self, table: _TableSize) -> list[_Size]:
        return [table.row] * table.rows

    def take(self, table: _TableSize, rows: IntArray) -> _TableSize:
        return _TableSize(table.row, len(rows))

    def product(self, tables: Sequence[_TableSize], powers: Sequence[int]) -> _TableSize:
        rows = tables[0].rows
        return _TableSize(self._effort.product_of_rows(rows, [table.row for table in tables], powers), rows)

    def mix(self, table: _TableSize, average: Average) -> _TableSize:
        states, rows = len(average.states), len(average.starts)
        # Because the mean of one row is that row, it costs nothing.
        if states > rows:
            self._effort.spend_on_means(rows, states * table.row.points)
        terms = min(table.row.points, table.row.terms * -(-states // rows))
        return _TableSize(_Size(table.row.extent, terms), rows)
