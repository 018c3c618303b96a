"""Non-negative arrays of unlimited range: mantissa · 2^exponent at every point, on a lattice box."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray

NOTHING: Final = -(2**40)
"""The exponent of a zero: below any exponent a product can reach."""
PLAIN: Final = -900
"""While no entry can be below 2^PLAIN, plain doubles do and exponents are left out."""


@final
@dataclass(frozen=True)
class ScaledGrid:
    """start: lowest index per axis; mantissa and exponent: the entries are mantissa · 2^exponent.

    Without an exponent the mantissas are the entries, and those that are not 0 are at least 2^least. With one, it is
    int64, mantissas are 0 or in [1/2, 1), and the exponent of a 0 is NOTHING.
    roundings: how many rounded operations, at most, lie behind any entry; all were on non-negative numbers, so the
    relative error is at most roundings · 2^-53 (up to second order).
    """

    start: tuple[int, ...]
    mantissa: Array
    exponent: IntArray | None
    roundings: int
    least: float = 0.0

    @property
    def terms(self) -> int:
        return int(np.count_nonzero(self.mantissa))

    def split(self) -> tuple[Array, IntArray]:
        """Mantissas in {0} or [1/2, 1) and their exponents."""
        if self.exponent is not None:
            return self.mantissa, self.exponent
        fraction, exponent = np.frexp(self.mantissa)
        return fraction, np.where(fraction > 0, exponent.astype(np.int64), NOTHING)


def normalised(start: tuple[int, ...], mantissa: Array, exponent: IntArray, roundings: int) -> ScaledGrid:
    fraction, shift = np.frexp(mantissa)
    return ScaledGrid(start, fraction, np.where(fraction > 0, exponent + shift, NOTHING), roundings)


def from_points(points: IntArray, log_weights: Array) -> ScaledGrid:
    """The sum of exp(log_weights[r]) at index points[r]; points has shape (rows, axes); log_weights are at most 0."""
    points, log_weights = points[log_weights > -np.inf], log_weights[log_weights > -np.inf]
    start = points.min(axis=0)
    box = tuple(int(extent) for extent in points.max(axis=0) - start + 1)
    flat = np.ravel_multi_index(tuple((points - start).T), box) if box else np.zeros(len(points), dtype=np.int64)
    # A log of size w resolves its exponential to w roundings, and taking off whole·log 2 costs as much again.
    roundings = int(np.bincount(flat).max()) + 4 * int(np.max(np.abs(log_weights))) + 8
    corner, size = tuple(int(i) for i in start), int(np.prod(box))
    lowest = float(log_weights.min()) / float(np.log(2.0)) - 1
    if lowest > PLAIN:
        return ScaledGrid(corner, _gathered(flat, np.exp(log_weights), box), None, roundings, lowest)
    whole = np.floor(log_weights / np.log(2.0)).astype(np.int64)
    mantissa = np.exp(log_weights - whole * np.log(2.0))
    top = np.full(size, NOTHING, dtype=np.int64)
    np.maximum.at(top, flat, whole)
    total = _gathered(flat, lowered(mantissa, whole - top[flat]), box)
    return normalised(corner, total, top.reshape(box), roundings)


def _gathered(places: IntArray, weights: Array, box: tuple[int, ...]) -> Array:
    total = np.zeros(int(np.prod(box)))
    np.add.at(total, places, weights)
    return total.reshape(box)


def mixed(log_weights: Array, grids: Sequence[ScaledGrid]) -> ScaledGrid:
    """sum_i exp(log_weights[i]) grids[i], on the smallest box that holds those of positive weight."""
    used = [(float(log), grid) for log, grid in zip(log_weights, grids, strict=True) if log > -np.inf]
    # A log of size w resolves its exponential to w roundings, and taking off whole·log 2 costs as much again.
    roundings = max(grid.roundings + 4 * math.ceil(abs(log)) + 8 for log, grid in used) + len(used) + 1
    start, box = common_box([grid for _, grid in used])
    least = min(grid.least + log / math.log(2.0) for log, grid in used) - 1
    if all(grid.exponent is None for _, grid in used) and least > PLAIN:
        plain = np.zeros(box)
        for log, grid in used:
            plain[_place_of(grid, start)] += math.exp(log) * grid.mantissa
        return ScaledGrid(start, plain, None, roundings, least)
    parts = [(grid, *grid.split(), math.floor(log / math.log(2.0)), log) for log, grid in used]
    top = np.full(box, NOTHING, dtype=np.int64)
    for grid, _, exponent, whole, _ in parts:
        place = _place_of(grid, start)
        np.maximum(top[place], exponent + whole, out=top[place])
    total = np.zeros(box)
    for grid, mantissa, exponent, whole, log in parts:
        place = _place_of(grid, start)
        weight = math.exp(log - whole * math.log(2.0))
        total[place] += lowered(weight * mantissa, exponent + whole - top[place])
    return normalised(start, total, top, roundings)


def _place_of(grid: ScaledGrid, start: tuple[int, ...]) -> tuple[slice, ...]:
    """Where the grid lies in a box that starts there."""
    return tuple(slice(i - o, i - o + n) for i, o, n in zip(grid.start, start, grid.mantissa.shape, strict=True))


def common_box(grids: Sequence[ScaledGrid]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lowest index and the shape of the smallest box that holds them all."""
    # In plain integers: most grids are short, and arrays of two numbers cost more than the numbers.
    low = tuple(min(starts) for starts in zip(*(grid.start for grid in grids), strict=True))
    ends = ([i + n for i, n in zip(grid.start, grid.mantissa.shape, strict=True)] for grid in grids)
    high = tuple(max(each) for each in zip(*ends, strict=True))
    return low, tuple(end - first for first, end in zip(low, high, strict=True))


def embedded(grid: ScaledGrid, start: tuple[int, ...], box: tuple[int, ...]) -> tuple[Array, IntArray]:
    """Mantissas and exponents in a larger box, zeros around them."""
    mantissa, exponent = np.zeros(box), np.full(box, NOTHING, dtype=np.int64)
    place = _place_of(grid, start)
    mantissa[place], exponent[place] = grid.split()
    return mantissa, exponent


def lowered(mantissa: Array, shift: IntArray) -> Array:
    """mantissa · 2^shift for shifts of at most 0; what is above 0 stays so, and can be counted as a term."""
    # Differences past 2^-1000 vanish next to a mantissa of at least 1/4 whatever their number.
    return np.ldexp(mantissa, np.maximum(shift, -1000).astype(np.int32))
