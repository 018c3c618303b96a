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

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray, Law
from dalenius.special_functions import ndtr

_CELLS: Final = 500_000
SHORT: Final = 256
_TILTED: Final = 200.0
"""Nats by which the weights of a window may move from one of its outputs to another, and far from what overflows."""
_DEEP: Final = 50.0
_REACH: Final = sqrt(2 * _DEEP)
_FARTHEST: Final = sqrt(_REACH**2 + 4 * _TILTED) - _REACH
_BLOCK: Final = 256
"""Answers that are left out together, of more than SHORT."""


@final
@dataclass(frozen=True)
class LineReading:
    """At outputs y (outputs,): log W(y|s) less `common` (secrets, outputs), and the mean and variance of v given y and
    s; common (outputs,): the part subtracted, without the density's factor 1/σ√2π; error: of logs, in nats."""

    y: Array
    logs: Array
    mean: Array
    variance: Array
    common: Array
    error: float

    def part(self, first: int, last: int) -> "LineReading":
        """From output `first` up to before `last`."""
        here = slice(first, last)
        moments = self.mean[:, here], self.variance[:, here]
        return LineReading(self.y[here], self.logs[:, here], *moments, self.common[here], self.error)


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

    def terms(self, y: Array, first: int = 0, last: int | None = None) -> tuple[Array, Array, Array]:
        """c (outputs, answers): the logs of the weights all secrets share, less their largest; `common`; and the size
        of the numbers c is a sum of. For the answers from first up to before last."""
        places = np.arange(first, self.length if last is None else last)
        base = self.law.base[first:last]
        top = base + np.max(self.rows[:, first:last], axis=0)
        peak = np.argmax(top - ((places[None, :] - y[:, None]) / self.scale) ** 2 / 2, axis=1)
        # Differences of squares as products: only equal numbers cancel.
        squares = (places[None, :] - places[peak][:, None]) * (places[None, :] + places[peak][:, None] - 2 * y[:, None])
        squares = squares / (2 * self.scale**2)
        bases = base[None, :] - base[peak][:, None]
        common = base[peak] - ((places[peak] - y) / self.scale) ** 2 / 2
        return bases - squares, common, np.abs(bases) + np.abs(squares)

    def read(self, y: Array) -> LineReading:
        """At finite outputs."""
        y = np.asarray(y, dtype=np.float64)
        order = np.argsort(y, kind="stable")
        found = [self._read(y[some], first, last) for some, first, last in self._stretches(y, order)]
        back = np.argsort(order, kind="stable")
        return LineReading(
            y,
            np.concatenate([each.logs for each in found], axis=1)[:, back],
            np.concatenate([each.mean for each in found], axis=1)[:, back],
            np.concatenate([each.variance for each in found], axis=1)[:, back],
            np.concatenate([each.common for each in found])[back],
            max(each.error for each in found),
        )

    def _stretches(self, y: Array, order: IntArray) -> Iterator[tuple[IntArray, int, int]]:
        """The outputs in order, a few at a time, and the window of answers that contribute to them."""
        spread = max(float(y[order[-1]] - y[order[0]]), self.scale)
        # A few hundred people under noise of their own size: all answers serve all outputs.
        if self.length <= SHORT and self.length * spread <= 4 * _TILTED * self.scale**2:
            for some in np.array_split(order, max(1, -(-len(y) * self.length // _CELLS))):
                yield some, 0, self.length
            return
        place = np.floor(y[order] / _stretch(self.scale, len(y) / spread))
        for group in np.split(order, np.flatnonzero(np.diff(place)) + 1):
            yield from self._windowed(y, group)

    def _windowed(self, y: Array, group: IntArray) -> Iterator[tuple[IntArray, int, int]]:
        """Halved as long as the product of distances from the middle is large, which a law of steep sides may make."""
        first, last = self._window(y[group[0]], y[group[-1]])
        if len(group) > 1 and (last - first) * float(y[group[-1]] - y[group[0]]) > 4 * _TILTED * self.scale**2:
            for half in np.array_split(group, 2):
                yield from self._windowed(y, half)
            return
        for some in np.array_split(group, max(1, -(-len(group) * (last - first) // _CELLS))):
            yield some, first, last

    def _window(self, low: float, high: float) -> tuple[int, int]:
        """The answers whose weight is not e^-DEEP of the largest everywhere between those outputs, for some secret.

        The log of a weight is linear in y up to a term common to all. So its difference to that of the winner at either
        end is largest at an end; and the overall winner is never below these two."""
        start, stop = self._blocks_of(low, high)
        shared, _, _ = self.terms(np.array([low, high]), start, stop)
        kept = _behind(*[shared + self.rows[:, None, start:stop]] * 2) >= -_DEEP
        inside = np.flatnonzero(kept.any(axis=0))
        return start + int(inside[0]), start + int(inside[-1]) + 1

    def _blocks_of(self, low: float, high: float) -> tuple[int, int]:
        """The same of blocks of answers: those that may hold one of them. A block's answers weigh no more than its
        likeliest where it is nearest to the output; that of a block which weighs most is no heavier than the winner."""
        tops, places, starts = self._blocks
        ends, reach = np.array([low, high])[:, None], 2 * self.scale**2
        nearest = np.clip(ends, starts, np.minimum(starts + _BLOCK, self.length) - 1)
        most, there = (tops[:, None] - (ends - each) ** 2 / reach for each in (nearest, places[:, None]))
        size = np.max(np.abs(there), axis=(1, 2), where=there > -inf, initial=0.0)
        kept = _behind(most, there) >= -(_DEEP + 1 + 16 * UNIT * size)[:, None]
        inside = np.flatnonzero(kept.any(axis=0))
        return int(starts[inside[0]]), min(int(starts[inside[-1]]) + _BLOCK, self.length)

    @cached_property
    def _blocks(self) -> tuple[Array, IntArray, IntArray]:
        """By row and block the largest log-probability, and where it is; where the blocks start."""
        starts = np.arange(0, self.length, _BLOCK)
        logs = np.full((len(self.rows), len(starts) * _BLOCK), -inf)
        logs[:, : self.length] = self.law.base + self.rows
        blocks = logs.reshape(len(self.rows), len(starts), _BLOCK)
        return blocks.max(axis=2), starts + blocks.argmax(axis=2), starts

    def _read(self, y: Array, first: int, last: int) -> LineReading:
        """(v-y)² = (v-y0)² - 2(v-v0)(y-y0) + what no answer v changes: the exponential of the product serves all rows,
        and those of the squares all outputs."""
        places, (v0, y0) = np.arange(first, last, dtype=np.float64), ((first + last - 1) / 2, (y[0] + y[-1]) / 2)
        tilts = (places - v0)[None, :] * ((y - y0) / self.scale**2)[:, None]
        shared, lift, size = self.terms(np.array([y0]), first, last)
        own = shared + self.rows[:, first:last]
        top = np.max(own, axis=1)
        weights = np.exp(own - top[:, None])
        depth = np.where(np.isfinite(own), np.abs(self.rows[:, first:last]) + size, 0.0)  # the impossible weigh nothing
        # Moments are about each row's mean at y0, so that little cancels.
        # A variance of 1 about a mean of 1e6 would be the difference of two numbers of 1e12.
        middle = (weights @ places) / np.sum(weights, axis=1)
        away = places - middle[:, None]
        columns = [weights, weights * away, weights * away**2, weights * depth]
        total, once, twice, deep = (np.exp(tilts) @ np.stack(columns).reshape(-1, len(places)).T).T.reshape(
            4, len(top), -1
        )
        moved, mean = deep / total, once / total
        logs = top[:, None] + np.log(total)
        common = lift[0] + (y - y0) * ((v0 - y0) - (y - y0) / 2) / self.scale**2
        error = float(np.max(8 * moved + 4 * np.abs(logs))) + 8 * float(np.max(np.abs(tilts))) + (last - first) + 33
        # Each moment is off by as many roundings as a log; what cancels between them is counted in, so that no variance
        # is below the true one.
        variance = np.maximum(twice / total - mean**2, 0.0) + 4 * error * UNIT * (twice / total)
        return LineReading(y, logs, middle[:, None] + mean, variance, common, error * UNIT)

    def partial(self, y: float, side: int) -> tuple[Array, float]:
        """Beyond y, towards side · ∞: log sums of the weights at y of the outermost answer, the outermost two, ..; and
        their error. All likelihoods beyond y are mixtures of these columns (rows, up to length), by Abel's summation:
        with t <= 1, sum_k a_k t^k = sum_k (t^k - t^{k+1}) (a_0 + .. + a_k). The first is the limit."""
        shared, _, size = self.terms(np.array([y]))
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


def _behind(most: Array, there: Array) -> Array:
    """By row, how far at least each answer is behind the winner at one of two outputs (rows, answers), in logs; most,
    there (rows, 2, answers): from above, and of those that win."""
    winners = np.take_along_axis(there, np.argmax(there, axis=2)[:, None], axis=2)
    return np.asarray((most[:, :, None] - winners[..., None]).max(axis=1).min(axis=1))


def _stretch(scale: float, outputs: float) -> float:
    """How far outputs share one window of answers; outputs: how many there are per step of the lattice."""
    reach = _REACH * scale
    # At least NEAR σ, or more where outputs are sparse: to look for a window takes as long as to add up some 20,000
    # terms. Past FARTHEST σ it would be halved again (see `_windowed`).
    # How many σ of outputs share one window of answers.
    return min(max(12.0 * scale, sqrt(reach**2 + 20_000 / outputs) - reach), _FARTHEST * scale)


def terms_of(length: float, outputs: float, scale: float) -> float:
    """How many terms the likelihoods at equally many outputs per step of so long a law take, about."""
    return length * outputs * min(length, _stretch(scale, outputs) + 2 * _REACH * scale)
