"""Tables of laws of one sum, a row of numbers each, which are multiplied and averaged all at once.

A clique of a network has many states, each with a short law. Arrays of rows and points take a tenth of the time of
one law after another. Laws beyond plain doubles, and those of several sums, go one after another.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.laws.generating_function_algebra import Average, ListedRows, RowAlgebra, Transform
from dalenius.laws.scaled_grid import PLAIN, ScaledGrid

_FEW_TERMS: Final = 8
"""Most entries of the shorter factor for which one pass over all rows for each of them is quickest."""
_LONG: Final = 8192
"""Least number of products of two entries in one row for which one call for each row is quickest."""
_WORTH_THREADS: Final = 1 << 23
"""Least number of products of two entries for which several threads are quicker: some milliseconds of work."""
_ENTRIES_AT_ONCE: Final = 1 << 15
"""Entries of one factor that are multiplied at once: they stay in a processor's cache."""
_FEW_STATES: Final = 32
"""States that are always multiplied at once."""
_STATES_AT_ONCE: Final = 1 << 18
"""Entries of the messages of those states that are multiplied at once: two megabytes for each table."""


@final
@dataclass(frozen=True)
class _Block:
    """Laws in plain doubles on one common box: mantissa (rows, points), from the index `start` on.

    roundings, least (rows,): as in `ScaledGrid`.
    """

    start: int
    mantissa: Array
    roundings: IntArray
    least: Array

    def refined(self) -> "_Block":
        """Returns these laws with the least entries themselves instead of bounds."""
        smallest = np.where(self.mantissa > 0, self.mantissa, np.inf).min(axis=1)
        # Because the logarithm is rounded, the bound is a little less.
        return _Block(self.start, self.mantissa, self.roundings, np.maximum(self.least, np.log2(smallest) - 1e-9))


@final
@dataclass(frozen=True)
class Grids:
    """A table of laws: a block where there is one, else a list."""

    block: _Block | None
    listed: Sequence[ScaledGrid] = ()


@final
class GridRows(RowAlgebra[ScaledGrid, Grids]):
    """A transform's operations on tables of laws; the transform's own where the laws are not plain."""

    def __init__(self, transform: Transform[ScaledGrid]) -> None:
        self._one_by_one = ListedRows(transform)

    def stack(self, elements: Sequence[ScaledGrid]) -> Grids:
        if any(each.exponent is not None or each.mantissa.ndim != 1 for each in elements):
            return Grids(None, list(elements))
        start = min(each.start[0] for each in elements)
        end = max(each.start[0] + len(each.mantissa) for each in elements)
        mantissa = np.zeros((len(elements), end - start))
        for row, each in zip(mantissa, elements, strict=True):
            row[each.start[0] - start : each.start[0] - start + len(each.mantissa)] = each.mantissa
        roundings = np.array([each.roundings for each in elements], dtype=np.int64)
        return Grids(_Block(start, mantissa, roundings, np.array([each.least for each in elements])))

    def elements(self, table: Grids) -> list[ScaledGrid]:
        block = table.block
        if block is None:
            return list(table.listed)
        found = []
        pairs = zip(block.mantissa, block.roundings.tolist(), block.least.tolist(), strict=True)
        for row, roundings, least in pairs:
            # So that a law's box holds no points it cannot take.
            there = np.flatnonzero(row)
            first, last = int(there[0]), int(there[-1])
            found.append(ScaledGrid((block.start + first,), row[first : last + 1].copy(), None, roundings, least))
        return found

    def take(self, table: Grids, rows: IntArray) -> Grids:
        block = table.block
        if block is None:
            return Grids(None, self._one_by_one.take(list(table.listed), rows))
        return Grids(_Block(block.start, block.mantissa[rows], block.roundings[rows], block.least[rows]))

    def product(self, tables: Sequence[Grids], powers: Sequence[int]) -> Grids:
        blocks = [table.block for table in tables if table.block is not None]
        product = _product(blocks, powers) if len(blocks) == len(tables) else None
        if product is not None:
            return Grids(product)
        return self.stack(self._one_by_one.product([self.elements(table) for table in tables], powers))

    def averaged(
        self, tables: Callable[[slice], Sequence[Grids]], states: int, averages: Sequence[Average]
    ) -> list[Grids]:
        sums = self._summed(tables, states, averages) if states > _FEW_STATES else None
        return RowAlgebra.averaged(self, tables, states, averages) if sums is None else sums

    def _summed(
        self, tables: Callable[[slice], Sequence[Grids]], states: int, averages: Sequence[Average]
    ) -> list[Grids] | None:
        """Averages from blocks of states, so that no table of all of them is made.

        None where a state is in several averages, or a law is not plain.
        """
        if any(len(each.states) != states for each in averages):
            return None
        sums, first, step = [_Sums(each) for each in averages], 0, _FEW_STATES
        while first < states:
            some = slice(first, min(first + step, states))
            for own, table in zip(sums, tables(some), strict=True):
                if table.block is None or not own.add(table.block, some):
                    return None
            first, step = some.stop, max(_FEW_STATES, _STATES_AT_ONCE // max(own.points for own in sums))
        return [Grids(own.block()) for own in sums]

    def mix(self, table: Grids, average: Average) -> Grids:
        mean = None if table.block is None else _mean(table.block, average)
        return self.stack(self._one_by_one.mix(self.elements(table), average)) if mean is None else Grids(mean)


def _product(blocks: Sequence[_Block], powers: Sequence[int]) -> _Block | None:
    """Returns the product in each row, the shortest first; None where an entry might be too small for a double."""
    rows = len(blocks[0].mantissa)
    running = _Block(0, np.ones((rows, 1)), np.zeros(rows, dtype=np.int64), np.zeros(rows))
    for block, power in sorted(zip(blocks, powers, strict=True), key=lambda pair: pair[0].mantissa.shape[1]):
        raised: _Block | None = block
        # So that a hundred equal factors take some ten products: by squaring.
        while power:
            if raised is None:
                return None
            if power & 1:
                made = _times(running, raised)
                if made is None:
                    return None
                running = made
            power >>= 1
            raised = _times(raised, raised) if power else raised
    return running


def _times(one: _Block, other: _Block) -> _Block | None:
    """Returns the convolution in each row; None where an entry might be too small for a double."""
    least = one.least + other.least - 1e-9
    # Because bounds sink with every message, the entries themselves decide where these are too low.
    if least.min() <= PLAIN:
        one, other = one.refined(), other.refined()
        least = one.least + other.least - 1e-9
        if least.min() <= PLAIN:
            return None
    terms = np.minimum(np.count_nonzero(one.mantissa, axis=1), np.count_nonzero(other.mantissa, axis=1))
    long, short = (one, other) if one.mantissa.shape[1] >= other.mantissa.shape[1] else (other, one)
    roundings = one.roundings + other.roundings + terms + 1
    return _Block(one.start + other.start, _convolved(long.mantissa, short.mantissa), roundings, least)


def _convolved(long: Array, short: Array) -> Array:
    """Returns the convolution of each row with the other's."""
    (rows, points), terms = long.shape, short.shape[1]
    if points * terms > _LONG:
        total = np.empty((rows, points + terms - 1))
        shares = min(cpu_count() or 1, rows) if rows * points * terms > _WORTH_THREADS else 1
        if shares == 1:
            _one_by_one(long, short, total)
            return total
        # Because numpy lets other threads run while it convolves two rows, and rows do not depend on each other.
        with ThreadPoolExecutor(shares) as pool:
            parts = (np.array_split(each, shares) for each in (long, short, total))
            list(pool.map(_one_by_one, *parts))
        return total
    total = np.zeros((rows, points + terms - 1))
    step = max(1, _ENTRIES_AT_ONCE // (points + 2 * terms))
    for first in range(0, rows, step):
        here = slice(first, first + step)
        if terms > _FEW_TERMS:
            _by_points(long[here], short[here], total[here])
            continue
        for term in range(terms):
            total[here, term : term + points] += long[here] * short[here, term : term + 1]
    return total


def _one_by_one(long: Array, short: Array, total: Array) -> None:
    """Writes the convolution of each row."""
    for one, other, row in zip(long, short, total, strict=True):
        row[:] = np.convolve(one, other)


def _by_points(long: Array, short: Array, total: Array) -> None:
    """Writes the convolution of each row, one sum of products for each point."""
    terms = short.shape[1]
    padded = np.pad(long, ((0, 0), (terms - 1, terms - 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, terms, axis=1)
    np.einsum("rpt,rt->rp", windows, np.ascontiguousarray(short[:, ::-1]), out=total)


def _mean(block: _Block, average: Average) -> _Block | None:
    """Returns the mean over each average's rows; None where an entry might be too small for a double."""
    lengths = np.diff(average.starts, append=len(average.states))
    single = lengths == 1
    found = _part(block, average, single)
    if found is not None:
        found.roundings[:] += np.where(single, 0, lengths + 1)
    return found


def _part(block: _Block, average: Average, single: NDArray[np.bool_]) -> _Block | None:
    """Returns the share of these rows in each mean, without the roundings of its sum.

    single (averages,): whether they are all of it. None where an entry might be too small for a double.
    """
    starts, lengths = average.starts, np.diff(average.starts, append=len(average.states))
    # Because a single state is certain, its weight is 1 up to rounding.
    alone = np.repeat(single, lengths)
    logs = np.where(alone, 0.0, average.log_weights)
    least = _least(block, average.states, logs, starts) - ~single
    if least.min() <= PLAIN:
        block = block.refined()
        least = _least(block, average.states, logs, starts) - ~single
        if least.min() <= PLAIN:
            return None
    # Because a log of size w resolves its exponential to w roundings.
    rounded = block.roundings[average.states] + np.where(alone, 0, 4 * np.ceil(np.abs(logs)).astype(np.int64) + 8)
    mantissa = _weighted(block.mantissa, average.states, np.exp(logs), starts, lengths)
    return _Block(block.start, mantissa, np.maximum.reduceat(rounded, starts), least)


@final
class _Sums:
    """Averages whose rows come in blocks of states. Each state is in one average."""

    def __init__(self, average: Average) -> None:
        self._lengths = np.diff(average.starts, append=len(average.states))
        own = np.repeat(np.arange(len(average.starts)), self._lengths)
        # The number of the average that each state belongs to, and the state's log-weight in it.
        self._number, self._log_weights = np.empty_like(own), np.empty(len(own))
        self._number[average.states], self._log_weights[average.states] = own, average.log_weights
        self._start, self._mantissa = 0, np.zeros((0, 0))
        self._roundings = np.zeros(len(average.starts), dtype=np.int64)
        self._least = np.full(len(average.starts), np.inf)

    @property
    def points(self) -> int:
        return self._mantissa.shape[1]

    def add(self, block: _Block, some: slice) -> bool:
        """Adds the rows `block` of the states `some`. False where an entry might be too small for a double."""
        if not some.start:
            self._start, points = block.start, block.mantissa.shape[1]
            self._mantissa = np.zeros((len(self._lengths), points))
        order = np.argsort(self._number[some], kind="stable")
        number = self._number[some][order]
        starts = np.flatnonzero(np.diff(number, prepend=-1))
        number = number[starts]
        average = Average(order, self._log_weights[some][order], starts)
        part = _part(block, average, self._lengths[number] == 1)
        if part is None or part.start != self._start or part.mantissa.shape[1] != self.points:
            return False
        self._mantissa[number] += part.mantissa
        self._roundings[number] = np.maximum(self._roundings[number], part.roundings)
        self._least[number] = np.minimum(self._least[number], part.least)
        return True

    def block(self) -> _Block:
        """Returns the averages, after the last block was added."""
        roundings = self._roundings + np.where(self._lengths == 1, 0, self._lengths + 1)
        return _Block(self._start, self._mantissa, roundings, self._least)


def _least(block: _Block, states: IntArray, logs: Array, starts: IntArray) -> Array:
    """Bounds the least entry of each average's weighted rows, as a logarithm to base 2, from below."""
    return np.asarray(np.minimum.reduceat(block.least[states] + logs / np.log(2.0), starts))


def _weighted(mantissa: Array, states: IntArray, weights: Array, starts: IntArray, lengths: IntArray) -> Array:
    """Returns the weighted sum of each average's rows."""
    each, points = int(lengths[0]), mantissa.shape[1]
    if np.any(lengths != each):
        return np.asarray(np.add.reduceat(mantissa[states] * weights[:, None], starts, axis=0))
    # Because nearly all averages are over equally many rows: one pass for each of these rows.
    states, weights = states.reshape(-1, each), weights.reshape(-1, each)
    total = np.empty((len(starts), points))
    step = max(1, _ENTRIES_AT_ONCE // (each * points))
    for first in range(0, len(starts), step):
        here = slice(first, first + step)
        total[here] = np.matmul(weights[here, None, :], mantissa[states[here]])[:, 0]
    return total
