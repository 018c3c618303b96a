"""A law on one lattice axis plus Gaussian noise: W(y|s) = sum_v Pr[v|s] φ((y-v)/σ), evaluated at any outputs.

Up to a factor common to all secrets W(y|s) is U_s(y) = sum_v c_s(v) e^{(v-v0)y/σ²}, c >= 0: convex, and so is its log.
The mean E_s[v|y] under the weights of the sum is σ² (log W_s)' + y, increases in y, and bounds everything in between.
Lengths are in lattice steps, counted from the law's start.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.law import Law
from dalenius.special_functions import ndtr

_CELLS: Final = 500_000
SHORT: Final = 256
_TILTED: Final = 200.0
"""Nats by which the weights of a window may move from one of its outputs to another, and far from what overflows."""
_DEEP: Final = 50.0
_REACH: Final = sqrt(2 * _DEEP)
_FARTHEST: Final = sqrt(_REACH**2 + 4 * _TILTED) - _REACH
_DRIFT: Final = 1e-12
"""Nats by which rounding may move a log where outputs are taken to be as far from their group's middle as another's."""


@final
@dataclass(frozen=True)
class LineReading:
    """At outputs y (outputs,), or (cells, outputs): log W(y|s) less `common` (secrets, *outputs), and the mean and
    variance of v given y and s; common (*outputs): the part subtracted, without the density's factor 1/σ√2π; error: of
    logs, in nats."""

    y: Array
    logs: Array
    mean: Array
    variance: Array
    common: Array
    error: float

    def at(self, places: slice | IntArray | NDArray[np.bool_]) -> "LineReading":
        """At some of these outputs, by index."""
        logs, mean, variance = (each[:, places] for each in (self.logs, self.mean, self.variance))
        return LineReading(self.y[places], logs, mean, variance, self.common[places], self.error)


@final
class Normal:
    """law: one axis; scale: σ in lattice steps. Unresolved mass (`law.floor`) is one more row, the last (`missing`).

    A bit plus noise of σ = 2: at y = 2.5 a 1 is likelier by (y² - (y - 1)²)/2σ² = 1/2 nat.

    >>> bit = Law((0,), np.zeros(2), np.array([[0.0, -inf], [-inf, 0.0]]), error=0.0)
    >>> reading = Normal(bit, 2.0).read(np.array([1.5, 2.5]))
    >>> np.diff(reading.logs, axis=0)[0].round(9).tolist(), reading.mean[:, 0].tolist()
    ([0.25, 0.5], [0.0, 1.0])
    """

    def __init__(self, law: Law, scale: float) -> None:
        self.law = law
        self.scale = scale
        self.missing = law.floor is not None and bool(np.max(law.floor) > -inf)
        self.rows = np.concatenate([law.relative, np.asarray(law.floor)[None]]) if self.missing else law.relative
        self.length = law.box[0]

    @cached_property
    def masses(self) -> Array:
        """Pr[v | s], (rows, length)."""
        masses: Array = np.exp(np.minimum(self.law.base + self.rows, 0.0))
        return masses

    def with_row(self, log_weights: Array) -> "Normal":
        """With the mixture of the secrets as one more row (and without unresolved mass)."""
        with np.errstate(invalid="ignore"):
            mixed = np.logaddexp.reduce(log_weights[:, None] + self.law.relative, axis=0)
        law = Law(self.law.start, self.law.base, np.concatenate([self.law.relative, mixed[None]]), self.law.error)
        return Normal(law, self.scale)

    def mixed(self, log_weights: Array, error: float) -> "Normal":
        """Mixtures of the secrets in their place, one per row of log_weights (rows, secrets), each of sum 1; error: how
        far, in nats, their logs may be off."""
        top = np.max(self.law.relative, axis=0)
        ground = np.where(top > -inf, top, 0.0)
        with np.errstate(divide="ignore"):
            rows = [np.logaddexp.reduce(each[:, None] + (self.law.relative - ground), axis=0) for each in log_weights]
        depth = max(float(np.max(np.abs(row), where=np.isfinite(row), initial=0.0)) for row in rows)
        rounding = (4 * len(self.law.relative) * (1 + depth) + 4 * float(np.max(np.abs(ground)))) * UNIT
        law = replace(self.law, relative=np.stack(rows) + ground, error=self.law.error + error + rounding)
        return Normal(law, self.scale)

    def terms(self, y: Array, places: IntArray) -> tuple[Array, Array, Array]:
        """c (outputs, answers): the logs of the weights all secrets share, less their largest; `common`; and the size
        of the numbers c is a sum of. places (outputs or 1, answers): which answers."""
        base = self.law.base[places]
        top = base + np.max(self.rows[:, places], axis=0)
        peak = np.argmax(top - ((places - y[:, None]) / self.scale) ** 2 / 2, axis=1)
        # One row of places, or one for each output.
        at = np.arange(len(y)) % len(places), peak
        winner, highest = places[at][:, None], base[at][:, None]
        # Differences of squares as products: only equal numbers cancel.
        squares = (places - winner) * (places + winner - 2 * y[:, None]) / (2 * self.scale**2)
        bases = base - highest
        common = highest[:, 0] - ((winner[:, 0] - y) / self.scale) ** 2 / 2
        return bases - squares, common, np.abs(bases) + np.abs(squares)

    def read(self, y: Array) -> LineReading:
        """At finite outputs (outputs,), or cell by cell (cells, outputs)."""
        flat = np.asarray(y, dtype=np.float64).ravel()
        order = np.argsort(flat, kind="stable")
        logs, mean, variance = found = np.empty((3, len(self.rows), len(flat)))
        common, error = np.empty(len(flat)), 0.0
        for batch in self._batches(flat[order], y.shape[-1] if y.ndim > 1 else 1):
            here = order[batch.outputs]
            logs[:, here], mean[:, here], variance[:, here], common[here], own = self._read(flat[here], batch)
            error = max(error, own)
        logs, mean, variance = found.reshape(3, -1, *y.shape)
        return LineReading(y, logs, mean, variance, common.reshape(y.shape), error)

    def _batches(self, y: Array, every: int) -> Iterator["_Batch"]:
        """The outputs in order, as groups of as many, each with its window of answers that contribute to it: those of
        about the same length together."""
        width = float(y[-1] - y[0])
        # A few hundred people under noise of their own size: all answers serve all outputs.
        if self.length <= SHORT and self.length * max(width, self.scale) <= self._widest:
            for some in np.array_split(np.arange(len(y)), -(-len(y) * self.length // _CELLS)):
                yield _Batch(some[None], np.zeros(1, dtype=np.int64), self.length)
            return
        begin, end = self._groups(y, every, width)
        first, last = self._windows(y[begin], y[end - 1])
        # Halved as long as the product of distances from the middle is large, which a law of steep sides may make.
        while np.any(wide := (end - begin > 1) & ((last - first) * (y[end - 1] - y[begin]) > self._widest)):
            middle = (begin[wide] + end[wide]) // 2
            halves = np.concatenate([begin[wide], middle]), np.concatenate([middle, end[wide]])
            windows = self._windows(y[halves[0]], y[halves[1] - 1])
            begin, end, first, last = (
                np.concatenate([old[~wide], new])
                for old, new in zip((begin, end, first, last), (*halves, *windows), strict=True)
            )
        # Of one count, and of one binary exponent of the length.
        kinds = (end - begin) * 64 + np.frexp((last - first).astype(np.float64))[1]
        for kind in np.unique(kinds):
            some = np.flatnonzero(kinds == kind)
            count, length = int(kind) // 64, int(np.max(last[some] - first[some]))
            for few in np.array_split(some, -(-len(some) * length * (count + 8 * len(self.rows)) // _CELLS)):
                outputs = begin[few, None] + np.arange(count)
                yield _Batch(outputs, np.minimum(first[few], self.length - length), length)

    @property
    def _widest(self) -> float:
        """How long a window times its outputs' width may be: no exponential of the two overflows."""
        return 4 * _TILTED * self.scale**2

    def _groups(self, y: Array, every: int, width: float) -> tuple[IntArray, IntArray]:
        """Where groups of outputs in order begin and end. As many in each, where they are spread evenly, cells whole:
        then one table of exponentials serves all of them."""
        stretch = _stretch(self.scale, len(y) / max(width, self.scale))
        if len(y) * float(np.max(np.diff(y), initial=0.0)) <= 4 * width:
            # As long takes the one table as all groups' own weights, of four moments each.
            count = min(len(y) * stretch / max(width, stretch), sqrt(4 * len(self.rows) * len(y)))
            count = min(every * max(1, int(count / every)), len(y))
            # The last outputs may be in the last two groups.
            begin = np.minimum(np.arange(0, len(y), count), len(y) - count)
            return begin, begin + count
        begin = np.flatnonzero(np.diff(np.floor(y / stretch), prepend=-inf))
        return begin, np.append(begin[1:], len(y))

    def _windows(self, low: Array, high: Array) -> tuple[IntArray, IntArray]:
        """The answers, from first up to before last, whose weight is not e^-DEEP of the largest everywhere between two
        outputs, for some secret; by group (groups,)."""
        few = max(1, _CELLS // (4 * len(self.rows) * max(len(self._blocks[2]), 2 * self._block)))
        found = [self._window(low[each : each + few], high[each : each + few]) for each in range(0, len(low), few)]
        first, last = (np.concatenate(each) for each in zip(*found, strict=True))
        return first, last

    def _window(self, low: Array, high: Array) -> tuple[IntArray, IntArray]:
        """First of blocks of answers: a block's weigh no more than its likeliest where it is nearest to the output, and
        that of a block which weighs most is no heavier than the winner. Then of the answers in these."""
        tops, places, starts = self._blocks
        ends, reach = np.stack([low, high], axis=1)[:, None, :, None], 2 * self.scale**2
        nearest = np.clip(ends, starts, np.minimum(starts + self._block, self.length) - 1)
        first, last = _kept(*(tops[:, None] - (ends - each) ** 2 / reach for each in (nearest, places[:, None])))
        start, stop = starts[first], np.minimum(starts[last] + self._block, self.length)
        inside = start[:, None] + np.arange(int(np.max(stop - start)))
        logs = np.where(inside < stop[:, None], self._logs[:, np.minimum(inside, self.length - 1)], -inf)
        there = logs.transpose(1, 0, 2)[:, :, None] - (ends - inside[:, None, None]) ** 2 / reach
        first, last = _kept(there, there)
        return start + first, start + last + 1

    @cached_property
    def _logs(self) -> Array:
        """log Pr[v | s], (rows, length)."""
        return np.asarray(self.law.base + self.rows)

    @property
    def _block(self) -> int:
        """Answers that are left out together."""
        return int(sqrt(self.length))

    @cached_property
    def _blocks(self) -> tuple[Array, IntArray, IntArray]:
        """By row and block the largest log-probability, and where it is; where the blocks start."""
        starts = np.arange(0, self.length, self._block)
        logs = np.full((len(self.rows), len(starts) * self._block), -inf)
        logs[:, : self.length] = self._logs
        blocks = logs.reshape(len(self.rows), len(starts), self._block)
        return blocks.max(axis=2), starts + blocks.argmax(axis=2), starts

    def _read(self, y: Array, batch: "_Batch") -> tuple[Array, Array, Array, Array, float]:
        """logs, mean, variance, common and error of a batch's outputs (groups, outputs).

        (v-y)² = (v-y0)² - 2(v-v0)(y-y0) + what no answer v changes: the exponential of the product serves all rows,
        and those of the squares all outputs of a group."""
        length, places = batch.length, batch.first[:, None] + np.arange(batch.length)
        v0, y0 = batch.first + (length - 1) / 2, (y[:, 0] + y[:, -1]) / 2
        further, moved = np.arange(length) - (length - 1) / 2, y - y0[:, None]
        # Cells of an even grid: one table of exponentials for all groups, and how far rounding moves their outputs.
        drift = float(np.max(np.abs(moved - moved[0]))) * length / 2 / self.scale**2
        even = drift <= _DRIFT
        tilts = (moved[:1] if even else moved)[:, None, :] * (further / self.scale**2)[:, None]
        shared, lift, size = self.terms(y0, places)
        own = shared + self.rows[:, places]
        top = np.max(own, axis=2)
        weights = np.exp(own - top[..., None])
        depth = np.where(np.isfinite(own), np.abs(self.rows[:, places]) + size, 0.0)  # the impossible weigh nothing
        # Moments are about each row's mean at y0, so that little cancels.
        # A variance of 1 about a mean of 1e6 would be the difference of two numbers of 1e12.
        middle = np.sum(weights * places, axis=2) / np.sum(weights, axis=2)
        away = places - middle[..., None]
        columns = np.stack([weights, weights * away, weights * away**2, weights * depth])
        total, once, twice, deep = columns @ np.exp(tilts[0]) if even else _by_group(columns, np.exp(tilts))
        logs, mean = top[..., None] + np.log(total), once / total
        common = lift[:, None] + moved * ((v0 - y0)[:, None] - moved / 2) / self.scale**2
        steepest = 8 * float(np.max(np.abs(tilts))) + length + 33
        error = float(np.max(8 * deep / total + 4 * np.abs(logs))) + steepest + (drift / UNIT if even else 0.0)
        # Each moment is off by as many roundings as a log; what cancels between them is counted in, so that no variance
        # is below the true one.
        variance = np.maximum(twice / total - mean**2, 0.0) + 4 * error * UNIT * (twice / total)
        return logs, middle[..., None] + mean, variance, common, error * UNIT

    def partial(self, y: float, side: int) -> tuple[Array, float]:
        """Beyond y, towards side · ∞: log sums of the weights at y of the outermost answer, the outermost two, ..; and
        their error. All likelihoods beyond y are mixtures of these columns (rows, up to length), by Abel's summation:
        with t <= 1, sum_k a_k t^k = sum_k (t^k - t^{k+1}) (a_0 + .. + a_k). The first is the limit."""
        shared, _, size = self.terms(np.array([y]), np.arange(self.length)[None])
        outermost = slice(None, None, -1) if side > 0 else slice(None)
        own = (shared[0] + self.rows)[:, outermost]
        with np.errstate(invalid="ignore"):
            sums = np.logaddexp.accumulate(own, axis=1)
        there = np.max(own, axis=0) > -inf
        depth = float(np.max(size[0] + np.max(np.where(np.isfinite(self.rows), np.abs(self.rows), 0.0), axis=0)))
        sums = sums[:, int(np.argmax(there)) :]
        return sums, (8 * depth + 4 * self.length + 32) * UNIT

    def between(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Pr[low < y < high | v], (intervals, length), with a bound on its error; ends may be infinite."""
        places = np.arange(self.length)
        left = (low[:, None] - places) / self.scale
        right = (high[:, None] - places) / self.scale
        # Of two Φ's next to 1 the difference is lost: on the right of an answer both are taken from the other side.
        flip = left > 0
        near, far = np.where(flip, -left, right), np.where(flip, -right, left)
        inner, outer = ndtr(near), ndtr(far)
        doubt = sum(each * (64 + 8 * np.minimum(z**2, 1500)) for each, z in ((inner, near), (outer, far)))
        return inner - outer, doubt * UNIT


@final
@dataclass(frozen=True)
class _Batch:
    """outputs (groups, count): by place in order; first (groups,): where each group's window of `length` answers is."""

    outputs: IntArray
    first: IntArray
    length: int


def _by_group(columns: Array, kernels: Array) -> Array:
    """columns (4, rows, groups, answers) times each group's own kernel (groups, answers, outputs)."""
    own = columns.reshape(-1, *columns.shape[2:]).transpose(1, 0, 2) @ kernels
    return np.asarray(own.transpose(1, 0, 2).reshape(*columns.shape[:3], -1))


def _kept(most: Array, there: Array) -> tuple[IntArray, IntArray]:
    """The first and the last answer that for some row is not e^-DEEP of the winners at both outputs; most, there
    (groups, rows, 2, answers): logs from above, and of those that win.

    The log of a weight is linear in y up to a term common to all. So its difference to that of the winner at either
    end is largest at an end; and the overall winner is never below these two."""
    group, row = np.arange(len(there))[:, None, None], np.arange(there.shape[1])[:, None]
    winners = there[group, row, :, np.argmax(there, axis=3)]  # the logs at both outputs, by winner
    behind = (most[:, :, None] - winners[..., None]).max(axis=3).min(axis=2)
    size = np.max(np.abs(winners), axis=(1, 2, 3))
    kept = (behind >= -(_DEEP + 1 + 16 * UNIT * size)[:, None, None]).any(axis=1)
    return np.argmax(kept, axis=1), kept.shape[1] - 1 - np.argmax(kept[:, ::-1], axis=1)


def _stretch(scale: float, outputs: float) -> float:
    """How far outputs share one window of answers; outputs: how many there are per step of the lattice."""
    reach = _REACH * scale
    # At least NEAR σ, or more where outputs are sparse: to look for a window takes as long as to add up some 20,000
    # terms. Past FARTHEST σ it would be halved again (see `_batches`).
    # How many σ of outputs share one window of answers.
    return min(max(12.0 * scale, sqrt(reach**2 + 20_000 / outputs) - reach), _FARTHEST * scale)


def terms_of(length: float, outputs: float, scale: float) -> float:
    """How many terms the likelihoods at equally many outputs per step of so long a law take, about."""
    return length * outputs * min(length, _stretch(scale, outputs) + 2 * _REACH * scale)
