"""The likelihoods of a law under Gaussian noise, W(y|s) = sum_v Pr[v|s] φ((y-v)/σ), at any outputs.

The law is on one lattice axis. Up to a factor common to all secrets W(y|s) is U_s(y) = sum_v c_s(v) e^{(v-v0)y/σ²}, c
>= 0: convex, and so is its log. The mean E_s[v|y] under the weights of the sum is σ² (log W_s)' + y, increases in y,
and bounds everything in between. Lengths are in lattice steps, counted from the law's start.
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
"""Nats by which a window's weights may move from one of its outputs to another, far from an overflow."""
_DEEP: Final = 50.0
_REACH: Final = sqrt(2 * _DEEP)
_FARTHEST: Final = sqrt(_REACH**2 + 4 * _TILTED) - _REACH
_DRIFT: Final = 1e-12
"""Nats by which rounding may move a log if outputs are taken to be as far from their group's middle as another's."""


@final
@dataclass(frozen=True)
class LineReading:
    """The likelihoods at outputs y (outputs,), or (cells, outputs).

    Args:
        y: The outputs, in steps from the law's start.
        logs: log W(y|s) less `common` (secrets, *outputs).
        mean: The mean of v given y and s (secrets, *outputs).
        variance: The variance of v given y and s (secrets, *outputs).
        common: The part subtracted (*outputs), without the density's factor 1/σ√2π.
        error: How far the logs may be off, in nats.
    """

    y: Array
    logs: Array
    mean: Array
    variance: Array
    common: Array
    error: float

    def at(self, places: slice | IntArray | NDArray[np.bool_]) -> "LineReading":
        """Returns the reading at the outputs with the indices `places`."""
        logs, mean, variance = (each[:, places] for each in (self.logs, self.mean, self.variance))
        return LineReading(self.y[places], logs, mean, variance, self.common[places], self.error)


@final
class Normal:
    """A law on one axis under Gaussian noise; `scale` is σ in lattice steps.

    Unresolved mass (`law.floor`) is one more row, the last (`missing`).

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
        """The probabilities Pr[v | s], (rows, length)."""
        masses: Array = np.exp(np.minimum(self.law.base + self.rows, 0.0))
        return masses

    def with_row(self, log_weights: Array) -> "Normal":
        """Returns the law with one more row, the mixture by `log_weights` (secrets,), and without unresolved mass."""
        with np.errstate(invalid="ignore"):
            mixed = np.logaddexp.reduce(log_weights[:, None] + self.law.relative, axis=0)
        law = Law(self.law.start, self.law.base, np.concatenate([self.law.relative, mixed[None]]), self.law.error)
        return Normal(law, self.scale)

    def mixed(self, log_weights: Array, error: float) -> "Normal":
        """Returns the law of mixtures of the secrets in their place.

        There is one per row of log_weights (rows, secrets), each of sum 1. `error` says how far, in nats, their logs
        may be off.
        """
        top = np.max(self.law.relative, axis=0)
        ground = np.where(top > -inf, top, 0.0)
        with np.errstate(divide="ignore"):
            rows = [np.logaddexp.reduce(each[:, None] + (self.law.relative - ground), axis=0) for each in log_weights]
        depth = max(float(np.max(np.abs(row), where=np.isfinite(row), initial=0.0)) for row in rows)
        rounding = (4 * len(self.law.relative) * (1 + depth) + 4 * float(np.max(np.abs(ground)))) * UNIT
        law = replace(self.law, relative=np.stack(rows) + ground, error=self.law.error + error + rounding)
        return Normal(law, self.scale)

    def terms(self, y: Array, places: IntArray) -> tuple[Array, Array, Array]:
        """Returns c (outputs, answers), `common`, and the size of the numbers that c is a sum of.

        c has the logs of the weights that all secrets share, less their largest.

        Args:
            y: Outputs (outputs,), in steps from the law's start.
            places: The indices of answers (outputs or 1, answers).
        """
        base = self.law.base[places]
        top = base + np.max(self.rows[:, places], axis=0)
        peak = np.argmax(top - ((places - y[:, None]) / self.scale) ** 2 / 2, axis=1)
        # The places have one row for all outputs, or one for each.
        at = np.arange(len(y)) % len(places), peak
        winner, highest = places[at][:, None], base[at][:, None]
        # So that only equal numbers cancel: differences of squares as products.
        squares = (places - winner) * (places + winner - 2 * y[:, None]) / (2 * self.scale**2)
        bases = base - highest
        common = highest[:, 0] - ((winner[:, 0] - y) / self.scale) ** 2 / 2
        return bases - squares, common, np.abs(bases) + np.abs(squares)

    def read(self, y: Array) -> LineReading:
        """Reads the likelihoods at finite outputs `y` (outputs,), or cell by cell (cells, outputs), in steps."""
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
        """Yields the outputs in order, as equal groups, each with its window of answers that contribute to it.

        Groups with windows of about the same length come together.
        """
        width = float(y[-1] - y[0])
        # The case of a few hundred people under noise of their own size: all answers serve all outputs.
        if self.length <= SHORT and self.length * max(width, self.scale) <= self._widest:
            for some in np.array_split(np.arange(len(y)), -(-len(y) * self.length // _CELLS)):
                yield _Batch(some[None], np.zeros(1, dtype=np.int64), self.length)
            return
        begin, end = self._groups(y, every, width)
        first, last = self._windows(y[begin], y[end - 1])
        # The case of a law of steep sides: a batch is halved while the product of distances from the middle is large.
        while np.any(wide := (end - begin > 1) & ((last - first) * (y[end - 1] - y[begin]) > self._widest)):
            middle = (begin[wide] + end[wide]) // 2
            halves = np.concatenate([begin[wide], middle]), np.concatenate([middle, end[wide]])
            windows = self._windows(y[halves[0]], y[halves[1] - 1])
            begin, end, first, last = (
                np.concatenate([old[~wide], new])
                for old, new in zip((begin, end, first, last), (*halves, *windows), strict=True)
            )
        # So that arrays are not padded by more than double, a batch has groups of one count and one binary exponent of
        # the length.
        kinds = (end - begin) * 64 + np.frexp((last - first).astype(np.float64))[1]
        for kind in np.unique(kinds):
            some = np.flatnonzero(kinds == kind)
            count, length = int(kind) // 64, int(np.max(last[some] - first[some]))
            for few in np.array_split(some, -(-len(some) * length * (count + 8 * len(self.rows)) // _CELLS)):
                outputs = begin[few, None] + np.arange(count)
                yield _Batch(outputs, np.minimum(first[few], self.length - length), length)

    @property
    def _widest(self) -> float:
        """The largest product of a window's length and its outputs' width for which no exponential overflows."""
        return 4 * _TILTED * self.scale**2

    def _groups(self, y: Array, every: int, width: float) -> tuple[IntArray, IntArray]:
        """Returns the begins and ends of groups of outputs in order.

        As many are in each, where they are spread evenly, cells whole: one table of exponentials then serves all of
        them.
        """
        stretch = _stretch(self.scale, len(y) / max(width, self.scale))
        if len(y) * float(np.max(np.diff(y), initial=0.0)) <= 4 * width:
            # So that the one table takes as long as all groups' own weights, of four moments each.
            count = min(len(y) * stretch / max(width, stretch), sqrt(4 * len(self.rows) * len(y)))
            count = min(every * max(1, int(count / every)), len(y))
            # Because all groups are equal, the last outputs may be in the last two of them.
            begin = np.minimum(np.arange(0, len(y), count), len(y) - count)
            return begin, begin + count
        begin = np.flatnonzero(np.diff(np.floor(y / stretch), prepend=-inf))
        return begin, np.append(begin[1:], len(y))

    def _windows(self, low: Array, high: Array) -> tuple[IntArray, IntArray]:
        """Returns the answers, from first up to before last, that count between two outputs, by group (groups,).

        An answer counts unless its weight is below e^-DEEP of the largest everywhere, for every secret.
        """
        few = max(1, _CELLS // (4 * len(self.rows) * max(len(self._blocks[2]), 2 * self._block)))
        found = [self._window(low[each : each + few], high[each : each + few]) for each in range(0, len(low), few)]
        first, last = (np.concatenate(each) for each in zip(*found, strict=True))
        return first, last

    def _window(self, low: Array, high: Array) -> tuple[IntArray, IntArray]:
        """Finds the window, first of blocks of answers and then of the answers in these.

        A block's answers weigh no more than its likeliest would where it is nearest to the output; the block that
        weighs most is no heavier than the winner.
        """
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
        """The log-probabilities log Pr[v | s], (rows, length)."""
        return np.asarray(self.law.base + self.rows)

    @property
    def _block(self) -> int:
        """The number of answers that are left out together."""
        return int(sqrt(self.length))

    @cached_property
    def _blocks(self) -> tuple[Array, IntArray, IntArray]:
        """The largest log-probability by row and block, its index, and the starts of the blocks."""
        starts = np.arange(0, self.length, self._block)
        logs = np.full((len(self.rows), len(starts) * self._block), -inf)
        logs[:, : self.length] = self._logs
        blocks = logs.reshape(len(self.rows), len(starts), self._block)
        return blocks.max(axis=2), starts + blocks.argmax(axis=2), starts

    def _read(self, y: Array, batch: "_Batch") -> tuple[Array, Array, Array, Array, float]:
        """Returns logs, mean, variance, common and error of a batch's outputs (groups, outputs).

        (v-y)² = (v-y0)² - 2(v-v0)(y-y0) + a term that no answer v changes: the exponential of the product serves all
        rows, and those of the squares all outputs of a group.
        """
        length, places = batch.length, batch.first[:, None] + np.arange(batch.length)
        v0, y0 = batch.first + (length - 1) / 2, (y[:, 0] + y[:, -1]) / 2
        further, moved = np.arange(length) - (length - 1) / 2, y - y0[:, None]
        # The case of an even grid: one table of exponentials for all groups, and how far rounding moves their outputs.
        drift = float(np.max(np.abs(moved - moved[0]))) * length / 2 / self.scale**2
        even = drift <= _DRIFT
        tilts = (moved[:1] if even else moved)[:, None, :] * (further / self.scale**2)[:, None]
        shared, lift, size = self.terms(y0, places)
        own = shared + self.rows[:, places]
        top = np.max(own, axis=2)
        weights = np.exp(own - top[..., None])
        depth = np.where(np.isfinite(own), np.abs(self.rows[:, places]) + size, 0.0)  # the impossible weigh nothing
        # So that little cancels, moments are about each row's mean at y0.
        # Because a variance of 1 about a mean of 1e6 would be the difference of two numbers of 1e12.
        middle = np.sum(weights * places, axis=2) / np.sum(weights, axis=2)
        away = places - middle[..., None]
        columns = np.stack([weights, weights * away, weights * away**2, weights * depth])
        total, once, twice, deep = columns @ np.exp(tilts[0]) if even else _by_group(columns, np.exp(tilts))
        logs, mean = top[..., None] + np.log(total), once / total
        common = lift[:, None] + moved * ((v0 - y0)[:, None] - moved / 2) / self.scale**2
        steepest = 8 * float(np.max(np.abs(tilts))) + length + 33
        error = float(np.max(8 * deep / total + 4 * np.abs(logs))) + steepest + (drift / UNIT if even else 0.0)
        # So that no variance is below the true one: each moment is off by as many roundings as a log, and the part that
        # cancels between them is counted.
        variance = np.maximum(twice / total - mean**2, 0.0) + 4 * error * UNIT * (twice / total)
        return logs, middle[..., None] + mean, variance, common, error * UNIT

    def partial(self, y: float, side: int) -> tuple[Array, float]:
        """Returns the partial log sums of the weights at y, and their error, for the outputs beyond it.

        They are the sums of the outermost answer, the outermost two, .. towards `side` · ∞. All likelihoods beyond y
        are mixtures of these columns (rows, up to length), by Abel's summation: with t <= 1, sum_k a_k t^k = sum_k
        (t^k - t^{k+1}) (a_0 + .. + a_k). The first is the limit.
        """
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
        """Returns Pr[low < y < high | v] for ends `low`, `high` (intervals,), and a bound on its error.

        Both are (intervals, length). The ends may be infinite.
        """
        places = np.arange(self.length)
        left = (low[:, None] - places) / self.scale
        right = (high[:, None] - places) / self.scale
        # Because the difference of two Φ's next to 1 is lost: on the right of an answer both are taken from the other
        # side.
        flip = left > 0
        near, far = np.where(flip, -left, right), np.where(flip, -right, left)
        inner, outer = ndtr(near), ndtr(far)
        doubt = sum(each * (64 + 8 * np.minimum(z**2, 1500)) for each, z in ((inner, near), (outer, far)))
        return inner - outer, doubt * UNIT


@final
@dataclass(frozen=True)
class _Batch:
    """A batch of groups of outputs, whose windows are alike.

    outputs (groups, count): by place in order; first (groups,): the start of each group's window of `length` answers.
    """

    outputs: IntArray
    first: IntArray
    length: int


def _by_group(columns: Array, kernels: Array) -> Array:
    """Returns columns (4, rows, groups, answers) times each group's own kernel (groups, answers, outputs)."""
    own = columns.reshape(-1, *columns.shape[2:]).transpose(1, 0, 2) @ kernels
    return np.asarray(own.transpose(1, 0, 2).reshape(*columns.shape[:3], -1))


def _kept(most: Array, there: Array) -> tuple[IntArray, IntArray]:
    """Returns the first and the last answer that for some row is not below e^-DEEP of the winners at both outputs.

    most, there (groups, rows, 2, answers): logs from above, and those of the answers that win. The log of a weight is
    linear in y up to a term common to all. So its difference to that of the winner at either end is largest at an
    end, and the overall winner is never below these two.
    """
    group, row = np.arange(len(there))[:, None, None], np.arange(there.shape[1])[:, None]
    winners = there[group, row, :, np.argmax(there, axis=3)]  # the logs at both outputs, by winner
    behind = (most[:, :, None] - winners[..., None]).max(axis=3).min(axis=2)
    size = np.max(np.abs(winners), axis=(1, 2, 3))
    kept = (behind >= -(_DEEP + 1 + 16 * UNIT * size)[:, None, None]).any(axis=1)
    return np.argmax(kept, axis=1), kept.shape[1] - 1 - np.argmax(kept[:, ::-1], axis=1)


def _stretch(scale: float, outputs: float) -> float:
    """Returns how far outputs share one window of answers; outputs: how many there are per step of the lattice."""
    reach = _REACH * scale
    # Because finding a window takes as long as adding up some 20,000 terms, outputs share one of 12 σ or more, wider
    # where outputs are sparse. Past _FARTHEST σ it would be halved again (see `_batches`).
    return min(max(12.0 * scale, sqrt(reach**2 + 20_000 / outputs) - reach), _FARTHEST * scale)


def terms_of(length: float, outputs: float, scale: float) -> float:
    """Returns about how many terms the likelihoods of a law take.

    Args:
        length: How many answers the law has.
        outputs: How many outputs there are per lattice step.
        scale: σ in lattice steps.
    """
    return length * outputs * min(length, _stretch(scale, outputs) + 2 * _REACH * scale)
