"""Non-negative arrays of unlimited range: mantissa · 2^exponent at every point, on a lattice box."""

from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.laws.law import Array, IntArray

NOTHING = -(2**40)
"""The exponent of a zero: below any exponent a product can reach."""


@final
@dataclass(frozen=True)
class ScaledGrid:
    """start: lowest index per axis; mantissa in {0} or [1/2, 1); exponent: int64, NOTHING where the mantissa is 0.

    roundings: how many rounded operations, at most, lie behind any entry; all were on non-negative numbers, so the
    relative error is at most roundings · 2^-53 (up to second order).
    """

    start: tuple[int, ...]
    mantissa: Array
    exponent: IntArray
    roundings: int

    @property
    def terms(self) -> int:
        return int(np.count_nonzero(self.mantissa))

    def log(self) -> Array:
        """Natural logs, -inf at zeros."""
        with np.errstate(divide="ignore"):
            return np.where(self.mantissa > 0, np.log(self.mantissa) + np.log(2.0) * self.exponent, -np.inf)


def normalised(start: tuple[int, ...], mantissa: Array, exponent: IntArray, roundings: int) -> ScaledGrid:
    fraction, shift = np.frexp(mantissa)
    return ScaledGrid(start, fraction, np.where(fraction > 0, exponent + shift, NOTHING), roundings)


def from_points(points: IntArray, log_weights: Array) -> ScaledGrid:
    """The sum of exp(log_weights[r]) at index points[r]; points has shape (rows, axes)."""
    start = points.min(axis=0)
    box = tuple(int(extent) for extent in points.max(axis=0) - start + 1)
    flat = np.ravel_multi_index(tuple((points - start).T), box) if box else np.zeros(len(points), dtype=np.int64)
    present = log_weights > -np.inf
    whole = np.floor(np.where(present, log_weights, 0.0) / np.log(2.0)).astype(np.int64)
    mantissa = np.where(present, np.exp(np.where(present, log_weights, 0.0) - whole * np.log(2.0)), 0.0)
    size = int(np.prod(box))
    top = np.full(size, NOTHING, dtype=np.int64)
    np.maximum.at(top, flat[present], whole[present])
    total = np.zeros(size)
    np.add.at(total, flat[present], _lowered(mantissa[present], whole[present] - top[flat[present]]))
    # A log of size w resolves its exponential to w roundings, and taking off whole·log 2 costs as much again.
    depth = int(np.max(np.abs(log_weights), where=present, initial=0.0))
    crowd = int(np.bincount(flat).max())
    return normalised(tuple(int(i) for i in start), total.reshape(box), top.reshape(box), crowd + 4 * depth + 8)


def multiply(first: ScaledGrid, second: ScaledGrid) -> ScaledGrid:
    """The convolution, term by term over whichever has fewer terms: only sums and products of non-negative numbers."""
    dense, sparse = (first, second) if first.terms >= second.terms else (second, first)
    start = tuple(i + j for i, j in zip(dense.start, sparse.start, strict=True))
    shifts = np.argwhere(sparse.mantissa > 0)
    roundings = dense.roundings + sparse.roundings + len(shifts) + 1
    if len(shifts) == 1 and dense.mantissa.shape == tuple(np.add(dense.mantissa.shape, sparse.mantissa.shape) - 1):
        where = tuple(shifts[0])
        scaled = dense.mantissa * sparse.mantissa[where]
        return normalised(start, scaled, dense.exponent + sparse.exponent[where], roundings)
    box = tuple(n + m - 1 for n, m in zip(dense.mantissa.shape, sparse.mantissa.shape, strict=True))
    places = [tuple(slice(i, i + n) for i, n in zip(at, dense.mantissa.shape, strict=True)) for at in shifts]
    top = np.full(box, NOTHING, dtype=np.int64)
    for at, place in zip(shifts, places, strict=True):
        np.maximum(top[place], dense.exponent + sparse.exponent[tuple(at)], out=top[place])
    total = np.zeros(box)
    for at, place in zip(shifts, places, strict=True):
        shift = dense.exponent + sparse.exponent[tuple(at)] - top[place]
        total[place] += _lowered(dense.mantissa * sparse.mantissa[tuple(at)], shift)
    return normalised(start, total, top, roundings)


def add(first: ScaledGrid, second: ScaledGrid) -> ScaledGrid:
    """The pointwise sum, on the smallest box that holds both."""
    start = tuple(min(i, j) for i, j in zip(first.start, second.start, strict=True))
    ends = [
        max(i + n, j + m)
        for i, n, j, m in zip(first.start, first.mantissa.shape, second.start, second.mantissa.shape, strict=True)
    ]
    box = tuple(end - begin for end, begin in zip(ends, start, strict=True))
    one, other = embedded(first, start, box), embedded(second, start, box)
    top = np.maximum(one.exponent, other.exponent)
    total = _lowered(one.mantissa, one.exponent - top) + _lowered(other.mantissa, other.exponent - top)
    return normalised(start, total, top, max(first.roundings, second.roundings) + 1)


def embedded(grid: ScaledGrid, start: tuple[int, ...], box: tuple[int, ...]) -> ScaledGrid:
    """The same grid in a larger box, zeros around it."""
    mantissa, exponent = np.zeros(box), np.full(box, NOTHING, dtype=np.int64)
    shape = grid.mantissa.shape
    place = tuple(slice(i - o, i - o + n) for i, o, n in zip(grid.start, start, shape, strict=True))
    mantissa[place], exponent[place] = grid.mantissa, grid.exponent
    return ScaledGrid(start, mantissa, exponent, grid.roundings)


def _lowered(mantissa: Array, shift: IntArray) -> Array:
    # Differences past 2^-1100 vanish next to a mantissa of at least 1/4 whatever their number.
    return np.ldexp(mantissa, np.maximum(shift, -1100).astype(np.int32))
