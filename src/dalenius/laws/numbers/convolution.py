"""Products of generating functions: convolutions of non-negative arrays of unlimited range, with no subtraction."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.laws.numbers.scaled_grid import NOTHING, PLAIN, ScaledGrid, lowered, normalised

SPREAD: Final = 400
"""Bits between the least and the largest entry of a block: products of two blocks are ordinary doubles."""
BLOCK: Final = 4000
"""Entries that a term passes over in the time of a product of two blocks, about."""


def multiply(first: ScaledGrid, second: ScaledGrid) -> ScaledGrid:
    """The convolution, in whichever way passes over the arrays least often."""
    if first.mantissa.size == 1 or second.mantissa.size == 1:
        return _moved(first, second) if second.mantissa.size == 1 else _moved(second, first)
    dense, sparse = (first, second) if first.terms >= second.terms else (second, first)
    if dense.exponent is None and sparse.exponent is None and dense.least + sparse.least > PLAIN:
        return _plain(dense, sparse)
    if dense.mantissa.ndim == 1 and sparse.terms > 8:
        blocks = [list(_blocks(*grid.split())) for grid in (dense, sparse)]
        pairs = len(blocks[0]) * len(blocks[1])
        if 2 * pairs < sparse.terms or BLOCK * pairs < sparse.terms * dense.mantissa.size:
            return _by_blocks(dense, sparse, *blocks)
    return _by_terms(dense, sparse)


def power(grid: ScaledGrid, times: int) -> ScaledGrid:
    """The convolution with itself, times >= 1: by squaring on one axis; on several one by one, since there a few terms
    against many points are cheaper than many against many."""
    if grid.mantissa.ndim == 1:
        return _by_squaring(grid, times)
    result = grid
    for _ in range(times - 1):
        result = multiply(result, grid)
    return result


def _by_squaring(grid: ScaledGrid, times: int) -> ScaledGrid:
    result: ScaledGrid | None = None
    while times:
        if times & 1:
            result = grid if result is None else multiply(result, grid)
        times >>= 1
        grid = multiply(grid, grid) if times else grid
    assert result is not None
    return result


def _start(first: ScaledGrid, second: ScaledGrid) -> tuple[int, ...]:
    return tuple(i + j for i, j in zip(first.start, second.start, strict=True))


def _box(first: ScaledGrid, second: ScaledGrid) -> tuple[int, ...]:
    return tuple(n + m - 1 for n, m in zip(first.mantissa.shape, second.mantissa.shape, strict=True))


def _moved(grid: ScaledGrid, monomial: ScaledGrid) -> ScaledGrid:
    roundings, least = grid.roundings + monomial.roundings + 1, grid.least + monomial.least
    if grid.exponent is None and monomial.exponent is None and least > PLAIN:
        return ScaledGrid(_start(grid, monomial), grid.mantissa * monomial.mantissa, None, roundings, least - 1e-9)
    (mantissa, exponent), (weight, weight_exponent) = grid.split(), monomial.split()
    shifted = np.maximum(exponent + weight_exponent, NOTHING)
    return normalised(_start(grid, monomial), mantissa * weight, shifted, roundings)


def _plain(dense: ScaledGrid, sparse: ScaledGrid) -> ScaledGrid:
    roundings = dense.roundings + sparse.roundings + sparse.terms + 1
    least = dense.least + sparse.least - 1e-9
    if dense.mantissa.ndim == 1:
        total = np.convolve(dense.mantissa, sparse.mantissa)
    else:
        total = np.zeros(_box(dense, sparse))
        for at, place in _shifts(dense, sparse):
            total[place] += dense.mantissa * sparse.mantissa[at]
    return ScaledGrid(_start(dense, sparse), total, None, roundings, least)


def _shifts(dense: ScaledGrid, sparse: ScaledGrid) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """The index of each term of the sparse grid, and where that term shifts the dense grid."""
    terms = [tuple(int(i) for i in at) for at in np.argwhere(sparse.mantissa > 0)]
    shape = dense.mantissa.shape
    return [(at, tuple(slice(i, i + n) for i, n in zip(at, shape, strict=True))) for at in terms]


def _by_terms(dense: ScaledGrid, sparse: ScaledGrid) -> ScaledGrid:
    """One pass over the dense one for each term of the sparse one, in any number of axes."""
    (mantissa, exponent), (weights, weight_exponents) = dense.split(), sparse.split()
    shifts = _shifts(dense, sparse)
    top = np.full(_box(dense, sparse), NOTHING, dtype=np.int64)
    for at, place in shifts:
        np.maximum(top[place], exponent + weight_exponents[at], out=top[place])
    total = np.zeros(top.shape)
    for at, place in shifts:
        total[place] += lowered(mantissa * weights[at], exponent + weight_exponents[at] - top[place])
    roundings = dense.roundings + sparse.roundings + len(shifts) + 1
    return normalised(_start(dense, sparse), total, top, roundings)


def _blocks(mantissa: Array, exponent: IntArray) -> Iterator[tuple[int, Array, int]]:
    """Runs whose entries are within SPREAD bits of each other: first index, entries, and their common exponent."""
    first = 0
    while first < len(mantissa):
        ahead = exponent[first : first + 4 * SPREAD]
        there = ahead > NOTHING
        high = np.maximum.accumulate(np.where(there, ahead, NOTHING))
        low = np.minimum.accumulate(np.where(there, ahead, -NOTHING))
        wide = np.flatnonzero(high - low > SPREAD)
        length = int(wide[0]) if len(wide) else len(ahead)
        top = int(high[length - 1])
        if top > NOTHING:
            entries = lowered(mantissa[first : first + length], exponent[first : first + length] - top)
            yield first, entries, top
        first += length


def _by_blocks(
    dense: ScaledGrid, sparse: ScaledGrid, ours: list[tuple[int, Array, int]], theirs: list[tuple[int, Array, int]]
) -> ScaledGrid:
    """Block by block in plain doubles, one axis."""
    (length,) = _box(dense, sparse)
    top = np.full(length, NOTHING, dtype=np.int64)
    total = np.zeros(length)
    for place, entries, exponent in ours:
        for other, weights, shift in theirs:
            product = np.convolve(entries, weights)
            here = slice(place + other, place + other + len(product))
            level = np.where(product > 0, np.maximum(top[here], exponent + shift), top[here])
            total[here] = np.ldexp(total[here], np.maximum(top[here] - level, -2100).astype(np.int32)) + np.ldexp(
                product, np.maximum(exponent + shift - level, -2100).astype(np.int32)
            )
            top[here] = level
    roundings = dense.roundings + sparse.roundings + sparse.terms + len(ours) * len(theirs) + 1
    return normalised(_start(dense, sparse), total, top, roundings)
