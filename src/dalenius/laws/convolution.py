"""The transform whose elements are the law itself: positive convolution, every tail to full relative accuracy.

Generating functions are non-negative arrays of unlimited range, mantissa · 2^exponent at every point of a lattice
box. Their products are convolutions, with no subtraction.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.extended_range import ZERO_EXPONENT, scaled_down
from dalenius.laws.generating_function_algebra import RowAlgebra, Transform
from dalenius.laws.grids_in_rows import GridRows, Grids
from dalenius.laws.law import Law
from dalenius.laws.scaled_grid import PLAIN, ScaledGrid as ScaledGrid

_ENTRIES_A_BLOCK: Final = 4000
"""Entries, about, that a term passes over in the time of a product of two blocks."""
_SPREAD: Final = 400
"""Most bits between the least and the largest entry of a block: products of two blocks are ordinary doubles."""


def normalised(start: tuple[int, ...], mantissa: Array, exponent: IntArray, roundings: int) -> ScaledGrid:
    """Makes a grid from any mantissas: brings them into {0} or [1/2, 1) without a rounding.

    Args:
        start: The lowest lattice index of each axis.
        mantissa: Non-negative numbers (*box).
        exponent: Powers of two they are multiplied by (*box).
        roundings: How many rounded operations, at most, lie behind any entry.
    """
    fraction, shift = np.frexp(mantissa)
    return ScaledGrid(start, fraction, np.where(fraction > 0, exponent + shift, ZERO_EXPONENT), roundings)


def from_points(points: IntArray, log_weights: Array) -> ScaledGrid:
    """Returns the sum of exp(log_weights[r]) at index points[r].

    Args:
        points: Lattice indices (rows, axes).
        log_weights: Logs (rows,) of at most 0.
    """
    points, log_weights = points[log_weights > -np.inf], log_weights[log_weights > -np.inf]
    start = points.min(axis=0)
    box = tuple(int(extent) for extent in points.max(axis=0) - start + 1)
    flat = np.ravel_multi_index(tuple((points - start).T), box) if box else np.zeros(len(points), dtype=np.int64)
    # Because a log of size w resolves its exponential to w roundings, and taking off twos·log 2 costs as much again.
    roundings = int(np.bincount(flat).max()) + 4 * int(np.max(np.abs(log_weights))) + 8
    corner, size = tuple(int(i) for i in start), int(np.prod(box))
    lowest = float(log_weights.min()) / float(np.log(2.0)) - 1
    # The usual case, a model of some hundred records: plain doubles are ten times as fast, and their exponents cannot
    # underflow.
    if lowest > PLAIN:
        return ScaledGrid(corner, _gathered(flat, np.exp(log_weights), box), None, roundings, lowest)
    twos = np.floor(log_weights / np.log(2.0)).astype(np.int64)
    mantissa = np.exp(log_weights - twos * np.log(2.0))
    top = np.full(size, ZERO_EXPONENT, dtype=np.int64)
    np.maximum.at(top, flat, twos)
    total = _gathered(flat, scaled_down(mantissa, twos - top[flat]), box)
    return normalised(corner, total, top.reshape(box), roundings)


def _gathered(places: IntArray, weights: Array, box: tuple[int, ...]) -> Array:
    """Returns the sums of the weights at each flat place of the box."""
    total = np.zeros(int(np.prod(box)))
    np.add.at(total, places, weights)
    return total.reshape(box)


def mixed(log_weights: Array, grids: Sequence[ScaledGrid]) -> ScaledGrid:
    """Returns sum_i exp(log_weights[i]) grids[i], on the smallest box that holds those of positive weight.

    Args:
        log_weights: One log for each grid.
        grids: The grids that are averaged, on boxes of their own.
    """
    used = [(float(log), grid) for log, grid in zip(log_weights, grids, strict=True) if log > -np.inf]
    # Because a log of size w resolves its exponential to w roundings, and taking off twos·log 2 costs as much again.
    roundings = max(grid.roundings + 4 * math.ceil(abs(log)) + 8 for log, grid in used) + len(used) + 1
    start, box = _common_box([grid for _, grid in used])
    least = min(grid.least + log / math.log(2.0) for log, grid in used) - 1
    # The case of a mixture over a group's sizes or a chain's states: weights are moderate, so doubles do.
    if all(grid.exponent is None for _, grid in used) and least > PLAIN:
        plain = np.zeros(box)
        for log, grid in used:
            plain[_place_of(grid, start)] += math.exp(log) * grid.mantissa
        return ScaledGrid(start, plain, None, roundings, least)
    parts = [(grid, *grid.split(), math.floor(log / math.log(2.0)), log) for log, grid in used]
    top = np.full(box, ZERO_EXPONENT, dtype=np.int64)
    for grid, _, exponent, twos, _ in parts:
        place = _place_of(grid, start)
        np.maximum(top[place], exponent + twos, out=top[place])
    total = np.zeros(box)
    for grid, mantissa, exponent, twos, log in parts:
        place = _place_of(grid, start)
        weight = math.exp(log - twos * math.log(2.0))
        total[place] += scaled_down(weight * mantissa, exponent + twos - top[place])
    return normalised(start, total, top, roundings)


def _place_of(grid: ScaledGrid, start: tuple[int, ...]) -> tuple[slice, ...]:
    """Returns the slices that the grid takes in a box that begins at `start`."""
    return tuple(slice(i - o, i - o + n) for i, o, n in zip(grid.start, start, grid.mantissa.shape, strict=True))


def _common_box(grids: Sequence[ScaledGrid]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the lowest index and the shape of the smallest box that holds them all."""
    # Because most grids are short, and arrays of two numbers cost more than the numbers: these are plain integers.
    low = tuple(min(starts) for starts in zip(*(grid.start for grid in grids), strict=True))
    ends = ([i + n for i, n in zip(grid.start, grid.mantissa.shape, strict=True)] for grid in grids)
    high = tuple(max(each) for each in zip(*ends, strict=True))
    return low, tuple(end - first for first, end in zip(low, high, strict=True))


def _embedded(grid: ScaledGrid, start: tuple[int, ...], box: tuple[int, ...]) -> tuple[Array, IntArray]:
    """Returns mantissas and exponents in a larger box, zeros around them."""
    mantissa, exponent = np.zeros(box), np.full(box, ZERO_EXPONENT, dtype=np.int64)
    place = _place_of(grid, start)
    mantissa[place], exponent[place] = grid.split()
    return mantissa, exponent


def multiply(first: ScaledGrid, second: ScaledGrid) -> ScaledGrid:
    """Returns the convolution of `first` and `second`, in whichever way passes over the arrays least often.

    Two records that are 1 with probability .1 and .5 add up to 0, 1 or 2:

    >>> one, other = (from_points(np.array([[0], [1]]), np.log([1 - p, p])) for p in (0.1, 0.5))
    >>> multiply(one, other).mantissa.round(3).tolist()
    [0.45, 0.5, 0.05]
    """
    # The case of a record that is known, or has one value: only the box moves.
    if first.mantissa.size == 1 or second.mantissa.size == 1:
        return _moved(first, second) if second.mantissa.size == 1 else _moved(second, first)
    dense, sparse = (first, second) if first.terms >= second.terms else (second, first)
    # The case of nearly all sums of some hundred people: no product can be below 2^PLAIN.
    if dense.exponent is None and sparse.exponent is None and dense.least + sparse.least > PLAIN:
        return _plain(dense, sparse)
    # The case of one axis and two long factors, which squaring makes: a run of entries within SPREAD bits is one plain
    # convolution.
    if dense.mantissa.ndim == 1 and sparse.terms > 8:
        blocks = [list(_blocks(*grid.split())) for grid in (dense, sparse)]
        pairs = len(blocks[0]) * len(blocks[1])
        # Because a term passes over about _ENTRIES_A_BLOCK entries in the time of a product of two blocks, blocks are
        # quicker if there are fewer pairs of them than terms, or if a pass over all points for every term takes longer.
        if 2 * pairs < sparse.terms or _ENTRIES_A_BLOCK * pairs < sparse.terms * dense.mantissa.size:
            return _by_blocks(dense, sparse, *blocks)
    return _by_terms(dense, sparse)


def power(grid: ScaledGrid, times: int) -> ScaledGrid:
    """Returns the convolution of `grid` with itself, `times` >= 1 factors.

    On one axis it squares. On several it multiplies one by one, since a few terms against many points are cheaper
    there than many against many.
    """
    if grid.mantissa.ndim == 1:
        return _by_squaring(grid, times)
    result = grid
    for _ in range(times - 1):
        result = multiply(result, grid)
    return result


def _by_squaring(grid: ScaledGrid, times: int) -> ScaledGrid:
    """Returns grid^times in about log2(times) convolutions: a million equal households in twenty squarings."""
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
    """Returns the product with a grid of a single point."""
    roundings, least = grid.roundings + monomial.roundings + 1, grid.least + monomial.least
    if grid.exponent is None and monomial.exponent is None and least > PLAIN:
        return ScaledGrid(_start(grid, monomial), grid.mantissa * monomial.mantissa, None, roundings, least - 1e-9)
    (mantissa, exponent), (weight, weight_exponent) = grid.split(), monomial.split()
    # So that a zero's exponent does not fall any lower, however many monomials there are.
    shifted = np.maximum(exponent + weight_exponent, ZERO_EXPONENT)
    return normalised(_start(grid, monomial), mantissa * weight, shifted, roundings)


def _plain(dense: ScaledGrid, sparse: ScaledGrid) -> ScaledGrid:
    """Returns the convolution in plain doubles."""
    roundings = dense.roundings + sparse.roundings + sparse.terms + 1
    # Because a rounding may take a product just below the product of the bounds, this is a little less.
    least = dense.least + sparse.least - 1e-9
    if dense.mantissa.ndim == 1:
        total = np.convolve(dense.mantissa, sparse.mantissa)
    else:
        total = np.zeros(_box(dense, sparse))
        for at, place in _shifts(dense, sparse):
            total[place] += dense.mantissa * sparse.mantissa[at]
    return ScaledGrid(_start(dense, sparse), total, None, roundings, least)


def _shifts(dense: ScaledGrid, sparse: ScaledGrid) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Returns the index of each term of the sparse grid, and the slices to which that term shifts the dense grid."""
    terms = [tuple(int(i) for i in at) for at in np.argwhere(sparse.mantissa > 0)]
    shape = dense.mantissa.shape
    return [(at, tuple(slice(i, i + n) for i, n in zip(at, shape, strict=True))) for at in terms]


def _by_terms(dense: ScaledGrid, sparse: ScaledGrid) -> ScaledGrid:
    """Convolves with one pass over the dense grid for each term of the sparse one, in any number of axes."""
    (mantissa, exponent), (weights, weight_exponents) = dense.split(), sparse.split()
    shifts = _shifts(dense, sparse)
    top = np.full(_box(dense, sparse), ZERO_EXPONENT, dtype=np.int64)
    for at, place in shifts:
        np.maximum(top[place], exponent + weight_exponents[at], out=top[place])
    total = np.zeros(top.shape)
    for at, place in shifts:
        total[place] += scaled_down(mantissa * weights[at], exponent + weight_exponents[at] - top[place])
    roundings = dense.roundings + sparse.roundings + len(shifts) + 1
    return normalised(_start(dense, sparse), total, top, roundings)


def _blocks(mantissa: Array, exponent: IntArray) -> Iterator[tuple[int, Array, int]]:
    """Yields runs of entries within SPREAD bits of each other: first index, entries, common exponent."""
    first = 0
    while first < len(mantissa):
        ahead = exponent[first : first + 4 * _SPREAD]
        there = ahead > ZERO_EXPONENT
        high = np.maximum.accumulate(np.where(there, ahead, ZERO_EXPONENT))
        low = np.minimum.accumulate(np.where(there, ahead, -ZERO_EXPONENT))
        wide = np.flatnonzero(high - low > _SPREAD)
        length = int(wide[0]) if len(wide) else len(ahead)
        top = int(high[length - 1])
        if top > ZERO_EXPONENT:
            entries = scaled_down(mantissa[first : first + length], exponent[first : first + length] - top)
            yield first, entries, top
        first += length


def _by_blocks(
    dense: ScaledGrid, sparse: ScaledGrid, ours: list[tuple[int, Array, int]], theirs: list[tuple[int, Array, int]]
) -> ScaledGrid:
    """Convolves block by block in plain doubles, on one axis."""
    (length,) = _box(dense, sparse)
    top = np.full(length, ZERO_EXPONENT, dtype=np.int64)
    total = np.zeros(length)
    for place, entries, exponent in ours:
        for other, weights, shift in theirs:
            product = np.convolve(entries, weights)
            here = slice(place + other, place + other + len(product))
            # Because a mass beyond doubles would be lost if an entry of 0 were raised to the level of a product which
            # adds nothing there: such entries keep their level.
            level = np.where(product > 0, np.maximum(top[here], exponent + shift), top[here])
            total[here] = np.ldexp(total[here], np.maximum(top[here] - level, -2100).astype(np.int32)) + np.ldexp(
                product, np.maximum(exponent + shift - level, -2100).astype(np.int32)
            )
            top[here] = level
    roundings = dense.roundings + sparse.roundings + sparse.terms + len(ours) * len(theirs) + 1
    return normalised(_start(dense, sparse), total, top, roundings)


@final
class Coefficients(Transform[ScaledGrid]):
    """The algebra of generating functions as arrays of coefficients, in any number of axes.

    It costs one pass over the box per group and per term of the group's own law.

    Args:
        scores: The scores of each slot (slots, axes), in lattice steps.
    """

    def __init__(self, scores: IntArray) -> None:
        self.scores = scores

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> ScaledGrid:
        """Returns the mass of each sum that the rows of one group make. Rows of weight 0 do not widen the box.

        `log_weights` (rows,), `slots` and `counts` (rows, slots) are as in `Transform.mean`.
        """
        there = log_weights > -np.inf
        return from_points(counts[there] @ self.scores[slots], log_weights[there])

    def product(self, elements: Sequence[ScaledGrid], powers: Sequence[int]) -> ScaledGrid:
        # So that the running product is long only at the end: small factors first; a monomial is raised at once.
        running: ScaledGrid | None = None
        for i in sorted(range(len(elements)), key=lambda i: elements[i].mantissa.size):
            if powers[i] == 0:
                continue
            running = _times_power(running, elements[i], powers[i])
        return self._one() if running is None else running

    def _one(self) -> ScaledGrid:
        axes = self.scores.shape[1]
        return ScaledGrid((0,) * axes, np.ones((1,) * axes), None, 0)

    def mix(self, log_weights: Array, elements: Sequence[ScaledGrid]) -> ScaledGrid:
        return mixed(log_weights, elements)

    def rows(self) -> RowAlgebra[ScaledGrid, Grids]:
        return GridRows(self)


def _times_power(running: ScaledGrid | None, element: ScaledGrid, times: int) -> ScaledGrid:
    """Returns running · element^times.

    On several axes it takes one factor after another, where that takes fewer passes than many points against many.
    """
    if element.mantissa.size == 1:
        raised = _monomial_power(element, times)
    elif running is not None and _is_quicker_one_by_one(running, element, times):
        for _ in range(times):
            running = multiply(running, element)
        return running
    else:
        raised = power(element, times)
    return raised if running is None else multiply(running, raised)


def _is_quicker_one_by_one(running: ScaledGrid, element: ScaledGrid, times: int) -> bool:
    """Says whether a household's few terms times many points are quicker than two dense boxes, as for a histogram."""
    if running.mantissa.ndim == 1 or times == 1:
        return False
    raised = prod(times * (length - 1) + 1 for length in element.mantissa.shape)
    return bool(times * element.terms < min(raised, running.terms))


def _monomial_power(element: ScaledGrid, power: int) -> ScaledGrid:
    """Returns the power of a single point: its index, its log and its roundings times `power`."""
    if power == 1:
        return element
    mantissa, exponent = element.split()
    # The case of a record that is known, or has one possible value: a million such monomials make one more.
    log_weight = np.minimum(power * (np.log(mantissa) + np.log(2.0) * exponent), 0.0).reshape(1)
    lifted = from_points(np.array([[power * i for i in element.start]], dtype=np.int64), log_weight)
    return replace(lifted, roundings=lifted.roundings + power * element.roundings)


def law_of(elements: Sequence[ScaledGrid]) -> Law:
    """Returns the laws given each secret, on one common box, from the grids `elements`, one per secret."""
    grids = list(elements)
    start, box = _common_box(grids)
    placed = [_embedded(grid, start, box) for grid in grids]
    top = np.max([exponent for _, exponent in placed], axis=0)
    # Because points that no secret allows have any scale, 0 keeps -2^40 out of the logs.
    top = np.where(top > ZERO_EXPONENT, top, 0)
    with np.errstate(divide="ignore"):
        relative = np.stack([np.log(mantissa) + np.log(2.0) * (exponent - top) for mantissa, exponent in placed])
    depth = float(np.max(np.abs(relative), where=np.isfinite(relative), initial=1.0))
    roundings = max(grid.roundings for grid in grids)
    return Law(start, np.log(2.0) * top, relative, error=(roundings + 4 * depth + 8) * UNIT)
