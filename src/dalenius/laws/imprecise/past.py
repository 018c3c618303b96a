"""The past of a chain of two values: how likely it makes an output given the next record, for rows in boxes.

By Bayes' rule the past given X = 1 weighs rows by the law of the record before, which the same rows made: the state of
the recursion is the pair of m = Pr[X = 1] and l, the log-ratio of the past's messages given X = 1 and X = 0. For each m
the most l can be is enclosed from above: m is cut into cells, over each of which the bound is a line in logit m, and of
each line's error only its curvature counts (Result 21.12).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray

OFF: Final = 256 * UNIT
THIRD: Final = 0.0963
"""More than 1/(6√3), the largest third derivative of log(1 + e^x)."""
STEEP: Final = 2.0
"""No line of a bound is steeper, per unit of the logit."""
WIDE: Final = 4
"""Neighbours on either side that a slope goes by."""
NEAR: Final = 1e-12
"""Chances of rows and of first records are looked at from here to 1 minus it; beyond, see `Cells`."""


def logit(chance: Array) -> Array:
    """log(p/(1 - p))."""
    return np.asarray(np.log(chance) - np.log1p(-chance))


@final
@dataclass(frozen=True, eq=False)
class Bounds:
    """By cell, lines above and below the log-ratio of messages: value (cells,) at the cell's middle and slope (cells,);
    -inf above where no law has such an m."""

    above: Array
    above_slope: Array
    below: Array
    below_slope: Array

    def ends(self, cells: "Cells") -> tuple[Array, Array]:
        """The least and the most over each cell."""
        half = (cells.high - cells.low) / 2
        least = self.below - np.abs(self.below_slope) * half
        return np.asarray(least), np.asarray(self.above + np.abs(self.above_slope) * half)

    @property
    def reached(self) -> NDArray[np.bool_]:
        return self.above > -np.inf


@final
@dataclass(frozen=True, eq=False)
class Cells:
    """ends (cells + 1,): logits of m, in order."""

    ends: Array

    @property
    def low(self) -> Array:
        return self.ends[:-1]

    @property
    def high(self) -> Array:
        return self.ends[1:]

    @cached_property
    def chances(self) -> tuple[Array, Array]:
        """m and 1 - m at both ends (2, cells, 1)."""
        ends = np.stack([self.low, self.high])[:, :, None]
        return np.asarray(1 / (1 + np.exp(-ends))), np.asarray(1 / (1 + np.exp(ends)))

    @property
    def middle(self) -> Array:
        return np.asarray((self.low + self.high) / 2)

    def start(self, least: float, most: float) -> Bounds:
        """Of a first record with nothing before it, m between these."""
        there = self.within(least, most)
        none = np.zeros(len(there))
        return Bounds(np.where(there, 0.0, -np.inf), none, np.where(there, 0.0, np.inf), none)

    def within(self, least: float, most: float) -> NDArray[np.bool_]:
        """Which cells have such an m."""
        low, high = logit(np.clip(np.array([least * (1 - OFF), most * (1 + OFF)]), NEAR, 1 - NEAR))
        return np.asarray((self.high >= low) & (self.low <= high))


def cells_over(least: float, most: float, cuts: tuple[float, ...], count: int) -> Cells:
    """Cells of all m between these, with ends at the cuts too, each twice."""
    low, high, *inner = logit(np.clip(np.array([least * (1 - OFF), most * (1 + OFF), *cuts]), NEAR, 1 - NEAR))
    return Cells(np.sort(np.concatenate([np.linspace(low, high, count + 1), inner, inner])))


@final
class Step:
    """One step of the recursion, for rows Pr[1 | 1] in [p0, p1] and Pr[1 | 0] in [q0, q1].

    For given m before and after, the ratio is monotone in the row of 1, so the worst rows lie on the boundary of the
    box; each of its sides is cut into pieces.
    """

    def __init__(
        self, cells: Cells, row_of_one: tuple[float, float], row_of_zero: tuple[float, float], pieces: int
    ) -> None:
        self._cells = cells
        p, q, joined = _boundary(row_of_one, row_of_zero, pieces)
        self._curve = _curvature(p, q, joined)
        # Of the record before, given that the next one is 1, and that it is 0: the chances of 1 and of 0.
        chance, other = cells.chances
        parts = [(chance * one, other * zero) for one, zero in ((p, q), (1 - p, 1 - q))]
        whole = [one + zero for one, zero in parts]
        self._shares = [(one / each, zero / each) for (one, zero), each in zip(parts, whole, strict=True)]
        # logit of m after the step, at (end of the cell, cell, corner of a piece)
        self._after = np.log(whole[0]) - np.log(whole[1])
        corners = np.stack([self._after[:, :, joined[:, 0]], self._after[:, :, joined[:, 1]]])
        # A cell's width before the step bounds what it is after, as does the piece's.
        first = np.searchsorted(cells.ends, corners.min(axis=(0, 1)) - OFF * 64, side="right") - 1
        last = np.searchsorted(cells.ends, corners.max(axis=(0, 1)) + OFF * 64, side="left") - 1
        # An end that is cut twice has a cell of no width, which counts where its neighbour does.
        top = len(cells.low) - 1
        first, last = np.clip(first - 2, 0, top), np.clip(last + 2, 0, top)
        counts = (last - first + 1).ravel()
        source = np.repeat(np.arange(counts.size), counts)
        offset = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        target = first.ravel()[source] + offset
        low, high = corners.min(axis=(0, 1)).ravel()[source], corners.max(axis=(0, 1)).ravel()[source]
        kept = (cells.high[target] >= low - OFF * 64) & (cells.low[target] <= high + OFF * 64)
        source, target = source[kept], target[kept]
        # Few bits are sorted by counting.
        order = np.argsort(target.astype(np.uint16), kind="stable")
        source, self._target = source[order], target[order]
        self._starts = np.flatnonzero(np.diff(self._target, prepend=-1))
        self._reached = self._target[self._starts]
        self._cell, piece = source // len(joined), source % len(joined)
        self._width = (cells.high - cells.low)[self._cell] ** 2
        self._bend = self._curve[piece]
        _, rows, columns = self._after.shape
        self._corners = [(end * rows + self._cell) * columns + joined[piece, side] for end in (0, 1) for side in (0, 1)]
        aim = cells.middle[self._target]
        self._moves = [self._after.ravel()[corner] - aim for corner in self._corners]

    def after(self, bounds: Bounds, own: tuple[float, float], slopes: tuple[Array, Array]) -> Bounds:
        """Of the next record: own, the least and the most that the record's own score moves the log-density of the
        noise; the slopes of the lines asked for."""
        above = self._lines(bounds.above + own[1], bounds.above_slope)
        below = self._lines(bounds.below + own[0], bounds.below_slope)
        width = self._cells.high - self._cells.low
        reach = [np.abs(bounds.above + own[1]), np.abs(bounds.below + own[0])]
        tilt = np.where(bounds.reached, np.maximum(*reach), 0.0) + STEEP * width
        most = self._most([above, below], tilt, bounds, slopes[0])
        least = -self._most([-above, -below], tilt, bounds, -slopes[1])
        return Bounds(most, slopes[0], least, slopes[1])

    def apart(self, bounds: Bounds, own: float, slopes: tuple[Array, Array]) -> Bounds:
        """The same where the output raises the chance of one value before and after: above is that of above, which own
        adds to, and below that of below, which it is taken from."""
        width = self._cells.high - self._cells.low
        found = []
        for value, slope, asked, sign in (
            (bounds.above + own, bounds.above_slope, slopes[0], 1),
            (bounds.below - own, bounds.below_slope, slopes[1], -1),
        ):
            tilt = np.where(bounds.reached, np.abs(value), 0.0) + STEEP * width
            lines = sign * self._lines(value, slope)
            found.append(sign * self._most([lines, lines], tilt, bounds, sign * asked))
        return Bounds(found[0], slopes[0], found[1], slopes[1])

    def _lines(self, value: Array, slope: Array) -> Array:
        """The log-ratio after the step at (end, cell, corner), from a line before it."""
        value = np.where(np.isfinite(value), value, 0.0)
        tilt = value + slope * (np.stack([self._cells.low, self._cells.high]) - self._cells.middle)
        small = np.exp(-np.abs(tilt))
        up, down = (np.where(side, 1.0, small)[:, :, None] for side in (tilt >= 0, tilt < 0))
        (one, zero), (one_else, zero_else) = self._shares
        return np.asarray(np.log((one * up + zero * down) / (one_else * up + zero_else * down)))

    def _most(self, values: list[Array], tilt: Array, bounds: Bounds, slope: Array) -> Array:
        own = slope[self._target]
        best = np.full(len(own), -np.inf)
        flat = np.maximum(values[0], values[1]).ravel()
        for corner, move in zip(self._corners, self._moves, strict=True):
            best = np.maximum(best, flat[corner] - own * move)
        best += self._bent(tilt, bounds, np.abs(own)) / 8
        best = np.where(bounds.reached[self._cell], best * (1 + OFF * np.sign(best)) + OFF, -np.inf)
        found = np.full(len(self._cells.low), -np.inf)
        if len(self._starts):
            found[self._reached] = np.maximum.reduceat(best, self._starts)
        return np.asarray(found)

    def _bent(self, tilt: Array, bounds: Bounds, own: Array) -> Array:
        """Squared widths times bounds of second derivatives: of the logarithm of a sum of exponentials at most the
        squared range of their rates over 4, and its change with a tilt at most THIRD per nat of it."""
        steep = np.maximum(np.abs(bounds.above_slope), np.abs(bounds.below_slope))
        cell = np.minimum((1 + steep) ** 2 / 4 + 0.25, 2 * THIRD * tilt + (2 * steep + steep**2) / 4)
        piece = np.minimum(0.5, 2 * THIRD * tilt)
        wide = self._width * (cell[self._cell] + own / 4)
        return np.asarray(wide + self._bend * (piece[self._cell] + own / 4))


def slopes_of(cells: Cells, values: Array) -> Array:
    """Slopes of lines through the middles of neighbouring cells, 0 where one of them has no value."""
    found = np.zeros(len(values))
    there = np.isfinite(values) & (cells.high > cells.low)
    places = np.flatnonzero(there)
    if len(places) < 3:
        return found
    near = np.clip(np.arange(len(places))[:, None] + np.arange(-WIDE, WIDE + 1), 0, len(places) - 1)
    x, y = cells.middle[places][near], values[places][near]
    x -= x.sum(axis=1, keepdims=True) / x.shape[1]
    found[places] = (x * y).sum(axis=1) / np.maximum((x * x).sum(axis=1), 1e-300)
    return np.clip(found, -STEEP, STEEP)


def _boundary(
    row_of_one: tuple[float, float], row_of_zero: tuple[float, float], pieces_of: int
) -> tuple[Array, Array, IntArray]:
    """Points p, q on the boundary of the box, each side in so many pieces, and these as pairs of points (pieces, 2)."""
    along = [_cut(*np.clip(row, NEAR, 1 - NEAR), pieces_of) for row in (row_of_one, row_of_zero)]
    points: list[tuple[float, float]] = []
    pieces: list[tuple[int, int]] = []
    sides = [[(p, q) for p in along[0]] for q in (along[1][0], along[1][-1])]
    sides += [[(p, q) for q in along[1]] for p in (along[0][0], along[0][-1])]
    for side in sides:
        first = len(points)
        points += side
        pieces += [(first + i, first + i + 1) for i in range(len(side) - 1)] or [(first, first)]
    chances = np.array(points)
    return chances[:, 0], chances[:, 1], np.array(pieces, dtype=np.int64)


@lru_cache(maxsize=4096)
def _cut(low: float, high: float, pieces: int) -> tuple[float, ...]:
    if high <= low:
        return (low,)
    first, last = logit(np.array([low, high])).tolist()
    inner = 1 / (1 + np.exp(-np.linspace(first, last, pieces + 1)[1:-1]))
    return (low, *inner.tolist(), high)


def _curvature(p: Array, q: Array, joined: IntArray) -> Array:
    """The squared width of each piece, in logits: along it, every logarithm of a sum has a second derivative of at most
    1/4."""
    one, zero = logit(p), logit(q)
    return np.asarray(
        np.maximum(np.abs(np.diff(one[joined], axis=1)), np.abs(np.diff(zero[joined], axis=1)))[:, 0] ** 2
    )
