"""The largest of several multiples of likelihoods, on the line of outputs of Gaussian noise: where each is ahead.

Integrals over all outputs of the largest are enclosures.

A bit plus Gaussian noise of σ = 1: δ(1) = Φ(-1/2) - eΦ(-3/2), and the best guess is right with probability Φ(1/2).

>>> from dalenius.laws.law import Law
>>> normal = Normal(Law((0,), np.zeros(2), np.array([[0.0, -inf], [-inf, 0.0]]), error=0.0), 1.0)
>>> reading = normal.read(np.linspace(-2.0, 3.0, 12))
>>> round(lead_integral(normal, reading, 0, 1, epsilon=1.0).upper, 6)
0.126937
>>> round(largest_integral(normal, reading, np.log([0.5, 0.5]).tolist()).upper, 6)
0.691462
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, inf, pi, sqrt
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.gaussian_noise_likelihoods import LineReading, Normal
from dalenius.laws.limits import MOST_ENVELOPE_CELLS, MOST_GUESS_TERMS

_FAIR: Final = 1e-11
"""Share of the largest's integral that may stay undecided, because many may nearly be the largest."""
_SMALLEST: Final = 1e-300
"""Smaller masses are lost to underflow."""
_ALIKE: Final = 1e-10
"""Nats by which a contender may be above another at every answer and still be left out; the error counts it."""


@final
@dataclass(frozen=True)
class _Partition:
    """The line in intervals, one winner each; excess: an upper bound on the integral of the largest less the winner."""

    low: Array
    high: Array
    winner: IntArray
    excess: float


@final
class Envelope:
    """The largest max_j e^{weights_j} W(y | rows_j): where each contender wins."""

    def __init__(
        self,
        normal: Normal,
        rows: Sequence[int],
        weights: Sequence[float],
        doubt: float,
        of: int | None = None,
        fair: float = _FAIR,
        in_nats: bool = False,
    ) -> None:
        """Chooses the contenders.

        Args:
            normal: The law under the noise.
            rows: The contenders' rows.
            weights: The log of each contender's factor.
            doubt: How far any log may be off, in nats.
            of: The contender whose lead over the others is wanted, to a relative error; None: the largest itself, to
                `fair`.
            fair: The share of the integral that may stay undecided.
            in_nats: Whether the excess is that of its log over the winner's, weighted with a mixture of all.
        """
        self.of = of
        self.fair, self.in_nats = fair, in_nats
        self.normal = normal
        self.rows = list(rows)
        self.weights = np.array(weights)[:, None]
        self.doubt = doubt

    def partition(self, first: LineReading) -> _Partition:
        """Cuts the cells of the `first` grid until the excess is negligible relative to `_total`."""
        cells = _cells(self._chosen(first), self)
        tails = [_Tail(self, float(first.y[0]), -1), _Tail(self, float(first.y[-1]), 1)]
        stretch = 2 * self.normal.scale
        for _ in range(80):
            # Because a small share of a lead may stay undecided, cells narrower than that are not cut.
            enough = max((self.fair if self.of is None else 1e-13) * self._total(cells, tails), 1e-310)
            coarse = cells.coarse(enough, self.doubt)
            further = [tail.excess > enough / 8 and tail.gap > 4 * self.doubt for tail in tails]
            # Because cells would be cut for ever where two are almost alike everywhere: the undecided part is then
            # excess.
            if not (coarse.any() or any(further)) or len(cells.winner) > MOST_ENVELOPE_CELLS:
                break
            new = [cells.of(~coarse), self._cut(cells.of(coarse))] if coarse.any() else [cells]
            for place, tail in enumerate(tails):
                if further[place]:
                    near, tails[place] = tail.split(stretch)
                    new.append(near)
            stretch *= 2 if any(further) else 1
            cells = _joined(new)
        return self._merged(cells, tails)

    def excess(self, others: Array, own: Array, gap: Array) -> Array:
        """Bounds the integral of the largest less the winner's, or of its log's lead, (cells,).

        With r = largest/winner <= e^gap, the largest times log r is at most winner times (r - 1)r.

        Args:
            others: Upper bounds of the integrals of all others (cells,).
            own: Upper bounds of the integral of the winner (cells,).
            gap: How many nats the winner may be behind (cells,).
        """
        # Because e^700 is nearly the largest double.
        gap = np.minimum(gap, 700.0)
        with np.errstate(over="ignore"):
            found = np.minimum(own * np.expm1(gap), others)
            return np.minimum(found * np.exp(gap), (others + own) * gap) if self.in_nats else found

    def _total(self, cells: "_Cells", tails: Sequence["_Tail"]) -> float:
        """Returns the scale that errors are compared with."""
        if self.of is None:
            return float(np.exp(np.max(self.weights)))
        ahead = np.sum(cells.lead[cells.winner == self.of])
        return float(ahead) + sum(tail.lead for tail in tails if tail.winner == self.of)

    def read(self, y: Array) -> LineReading:
        return self._chosen(self.normal.read(y))

    def _chosen(self, reading: LineReading) -> LineReading:
        rows, moments = self.rows, (reading.mean[self.rows], reading.variance[self.rows])
        return LineReading(reading.y, reading.logs[rows] + self.weights, *moments, reading.common, reading.error)

    def _cut(self, cells: "_Cells") -> "_Cells":
        """Cuts cells around the crossing of the winners of their ends, or in quarters."""
        left, right = cells.y
        cut, margin = self._crossings(cells), 1e-5 * (right - left)
        nodes = np.stack([left, np.maximum(cut - margin, left), cut, np.minimum(cut + margin, right), right], axis=1)
        quarters = left[:, None] + (right - left)[:, None] * np.linspace(0.0, 1.0, 5)
        nodes = np.where(np.isnan(cut)[:, None], quarters, nodes)
        return _cells(self.read(nodes.ravel()), self, group=nodes.shape[1])

    def _crossings(self, cells: "_Cells") -> Array:
        """Finds crossings by Newton's method, kept in the cell by bisection; nan where both ends have one winner."""
        one, other = cells.best
        low, high = cells.y.copy()
        found = np.where(one != other, (low + high) / 2, np.nan)
        active = np.flatnonzero(one != other)
        for _ in range(60):
            if not len(active):
                break
            reading = self.read(found[active])
            here = np.arange(len(active))
            ahead = reading.logs[one[active], here] - reading.logs[other[active], here]
            slope = (reading.mean[one[active], here] - reading.mean[other[active], here]) / self.normal.scale**2
            low[active] = np.where(ahead > 0, found[active], low[active])
            high[active] = np.where(ahead > 0, high[active], found[active])
            with np.errstate(divide="ignore", invalid="ignore"):
                step = found[active] - ahead / slope
            inside = (step > low[active]) & (step < high[active])
            following = np.where(inside, step, (low[active] + high[active]) / 2)
            done = (np.abs(ahead) <= 4 * reading.error) | (following == found[active])
            found[active] = np.where(done, found[active], following)
            active = active[~done]
        return found

    def _merged(self, cells: "_Cells", tails: Sequence["_Tail"]) -> _Partition:
        """Merges neighbours with the same winner into one interval, from left to right."""
        order = np.argsort(cells.y[0], kind="stable")
        order = order[cells.y[1, order] > cells.y[0, order]]
        low = np.concatenate([[-inf], cells.y[0, order], [tails[1].y]])
        high = np.concatenate([[tails[0].y], cells.y[1, order], [inf]])
        winner = np.concatenate([[tails[0].winner], cells.winner[order], [tails[1].winner]])
        first = np.concatenate([[True], winner[1:] != winner[:-1]])
        starts = np.flatnonzero(first)
        ends = np.concatenate([starts[1:], [len(winner)]]) - 1
        excess = float(np.sum(cells.excess)) + sum(tail.excess for tail in tails)
        return _Partition(low[starts], high[ends], winner[starts].astype(np.int64), excess)


class _Cells(NamedTuple):
    """Cells y (2, cells) with their winners.

    best: the winner at either end; winner: that of the cell, up to `gap` nats and an integral of `excess`; lead:
    roughly the integral of its lead over the runner-up.
    """

    y: Array
    best: IntArray
    winner: IntArray
    gap: Array
    excess: Array
    lead: Array

    def coarse(self, enough: float, doubt: float) -> NDArray[np.bool_]:
        """Returns the cells worth cutting: `enough` is the excess allowed in all, `doubt` the error of logs in nats."""
        open_ = (self.excess > 0) & (self.gap > 4 * doubt)
        open_ &= self.y[1] - self.y[0] > 1e-13 * np.maximum(np.abs(self.y[0]), np.abs(self.y[1]))
        return np.asarray(open_ & (self.excess > enough / (np.count_nonzero(open_) + 1)))

    def of(self, which: NDArray[np.bool_]) -> "_Cells":
        return _Cells._make(each[..., which] for each in self)


def _joined(parts: Sequence[_Cells]) -> _Cells:
    return _Cells._make(np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))


def _cells(reading: LineReading, envelope: Envelope, group: int | None = None) -> _Cells:
    """Returns the cells between neighbouring outputs; within groups of so many outputs, where given."""
    count = len(reading.y)
    left = np.arange(count - 1)
    if group is not None:
        left = left[(left + 1) % group != 0]
    right = left + 1
    y = np.stack([reading.y[left], reading.y[right]])
    scale = envelope.normal.scale
    best = np.argmax(reading.logs, axis=0)
    ends = np.stack([best[left], best[right]])
    gaps = [_gap(reading, left, right, ends[end], scale) for end in (0, 1)]
    winner = np.where(gaps[0] <= gaps[1], ends[0], ends[1])
    gap = np.maximum(np.minimum(*gaps) + 2 * envelope.doubt, 0.0)
    width = y[1] - y[0]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        density = np.exp(reading.logs + reading.common) / (scale * sqrt(2 * pi))
        # Because log W + y²/2σ² is convex, W is at most e^{h²/8σ²} times the larger of its ends.
        heights = np.maximum(density[:, left], density[:, right]) * np.exp(width**2 / (8 * scale**2)) * width
        own = np.take_along_axis(heights, winner[None], axis=0)[0]
        excess = envelope.excess(np.sum(heights, axis=0) - own, own, gap)
    excess = np.maximum(excess, 0.0)
    ordered = np.sort(density, axis=0)
    ahead = ordered[-1] - ordered[-2]
    lead = (ahead[left] + ahead[right]) / 2 * width
    return _Cells(y, ends, winner, gap, excess, lead)


def _gap(reading: LineReading, left: IntArray, right: IntArray, winner: IntArray, scale: float) -> Array:
    """Bounds how far another contender gets ahead of the winner inside the cell.

    It follows from the values and the slopes, which lie between what the means at the ends allow.
    """
    here = np.arange(len(left))
    width = reading.y[right] - reading.y[left]
    start = reading.logs[:, left] - reading.logs[:, left][winner, here]
    end = reading.logs[:, right] - reading.logs[:, right][winner, here]
    rise = (reading.mean[:, right] - reading.mean[:, left][winner, here]) / scale**2
    fall = (reading.mean[:, left] - reading.mean[:, right][winner, here]) / scale**2
    margin = 4 * reading.error * np.sqrt(reading.variance[:, left] + reading.variance[:, right]) / scale**2
    rise, fall = rise + margin, fall - margin
    with np.errstate(divide="ignore", invalid="ignore"):
        place = np.clip((end - start - fall * width) / (rise - fall), 0.0, width)
        inside = np.minimum(start + rise * place, end - fall * (width - place))
    bound = np.where((rise > 0) & (fall < 0), inside, -inf)
    bound = np.maximum(np.maximum(start, end), bound)
    bound[winner, here] = -inf
    gap: Array = np.max(bound, axis=0)
    return gap


@final
class _Tail:
    """All outputs beyond y."""

    def __init__(self, envelope: Envelope, y: float, side: int) -> None:
        """Takes one side: -1 for the outputs below y, 1 for those above.

        The winner is that of the limit or that at y, whichever leaves less excess.
        """
        self.envelope, self.y, self.side = envelope, y, side
        normal, rows = envelope.normal, envelope.rows
        sums, error = normal.partial(y, side)
        logs = sums[rows] + envelope.weights
        ends = (-inf, y) if side < 0 else (y, inf)
        inside, _ = normal.between(np.array([ends[0]]), np.array([ends[1]]))
        mass = np.exp(envelope.weights[:, 0]) * (normal.masses[rows] @ inside[0])
        choices = []
        for winner in {int(np.argmax(logs[:, 0])), int(np.argmax(logs[:, -1]))}:
            with np.errstate(invalid="ignore"):
                ahead = np.delete(logs, winner, axis=0) - logs[winner]
            gap = max(float(np.max(np.where(np.isnan(ahead), -inf, ahead))) + 2 * (envelope.doubt + error), 0.0)
            others = float(np.sum(mass)) - float(mass[winner])
            choices.append((float(envelope.excess(np.asarray(others), mass[winner], np.asarray(gap))), gap, winner))
        self.excess, self.gap, self.winner = min(choices)
        ordered = np.sort(mass)
        self.lead = float(ordered[-1] - ordered[-2])

    def split(self, stretch: float) -> tuple[_Cells, "_Tail"]:
        """Returns eight cells of the next `stretch`, in steps, and the tail beyond."""
        further = self.y + self.side * stretch
        nodes = np.sort(np.linspace(self.y, further, 9))
        return _cells(self.envelope.read(nodes), self.envelope), _Tail(self.envelope, further, self.side)


def largest_integral(normal: Normal, first: LineReading, weights: Sequence[float]) -> Enclosure:
    """Encloses ∫ max_s e^{weights_s} W(y|s) dy.

    Args:
        normal: The law under the noise.
        first: The likelihoods at the first grid's outputs.
        weights: The log of each secret's factor.
    """
    doubt = normal.law.error + 2 * first.error
    kept = contenders(normal, weights, _ALIKE)
    masses = np.exp(np.array(weights)[kept])[:, None] * normal.masses[kept]
    excess = off = 0.0
    # The case of a guess that no output changes: one contender is at least as large everywhere, but for ALIKE.
    if len(kept) == 1:
        value = float(np.sum(masses))
    else:
        found = Envelope(normal, kept, [weights[each] for each in kept], doubt).partition(first)
        inside, error = normal.between(found.low, found.high)
        own = masses[found.winner]
        value, off, excess = float(np.sum(own * inside)), float(np.sum(own * error)), found.excess
    off += value * (expm1(normal.law.error) + _rounded(normal))
    left_out = 1.01 * _ALIKE * value if len(kept) < len(weights) else 0.0
    return Enclosure(max(value - off, 0.0), value + off + 1.01 * excess + left_out + _missing(normal))


def contenders(normal: Normal, weights: Sequence[float], alike: float) -> list[int]:
    """Returns the rows without those that another is above at every exact answer, and so at every output.

    Where two hardly differ, only the finest of cells would tell which is the largest.

    Args:
        normal: The law under the noise.
        weights: The log of each row's factor.
        alike: How many nats one may be above another and still be left out.
    """
    count = len(weights)
    # The case of thousands of guesses about a long sum: comparing all pairs takes too long, and all are kept.
    if count**2 * normal.length > MOST_GUESS_TERMS:
        return list(range(count))
    logs = normal.rows[:count] + np.array(weights)[:, None]
    kept: list[int] = []
    for each in np.argsort(-np.array(weights), kind="stable"):
        if not any(np.all(logs[each] <= logs[other] + alike) for other in kept):
            kept.append(int(each))
    return sorted(kept)


def lead_integral(normal: Normal, first: LineReading, secret: int, against: int, epsilon: float) -> Enclosure:
    """Encloses ∫ max(W(y|secret) - e^epsilon W(y|against), 0) dy: between the crossings it is a sum of Φ's.

    `normal` is the law under the noise, and `first` has the likelihoods at the first grid's outputs.
    """
    doubt = normal.law.error + 2 * first.error + 4 * epsilon * UNIT
    missing = _missing(normal)
    most = _furthest_ahead(normal, secret, against, epsilon) + 2 * doubt
    largest = -expm1(-most) * (1 + _rounded(normal)) + missing + _SMALLEST
    # Because no cell would be fine enough to say which of two laws is larger if they differ by no more than a log's
    # doubt.
    if most <= 4.0 * doubt:
        return Enclosure(0.0, min(largest, 1.0))
    found = Envelope(normal, [secret, against], [0.0, epsilon], doubt, of=0).partition(first)
    won = found.winner == 0
    inside, error = normal.between(found.low[won], found.high[won])
    raised = normal.law.base + normal.rows[against] + epsilon
    more, less = normal.masses[secret], np.exp(np.minimum(raised, 700.0))
    value = float(np.sum(inside @ more)) - float(np.sum(inside @ less))
    both = more + less
    relative = 1.01 * (expm1(normal.law.error) + _rounded(normal) + 4 * epsilon * UNIT)
    off = float(np.sum(error @ both)) + float(np.sum(inside @ both)) * relative
    lower = value - off - (missing * float(np.exp(min(epsilon, 700.0))) if missing else 0.0)
    upper = min(value + off + 1.01 * found.excess + missing + _SMALLEST, largest)
    return Enclosure(min(max(lower, 0.0), 1.0), min(max(upper, _SMALLEST), 1.0))


def _furthest_ahead(normal: Normal, secret: int, against: int, epsilon: float) -> float:
    """Returns how many nats W(y|secret) is above e^epsilon W(y|against) at any output, at most, or 0.

    Both are mixtures over the exact answers, and are nowhere further apart than there.
    """
    one, other = normal.rows[secret], normal.rows[against]
    there = one > -inf
    return max(float(np.max(one[there] - other[there], initial=-inf)) - epsilon, 0.0)


def _missing(normal: Normal) -> float:
    """Bounds all of the law's unresolved mass."""
    return float(np.sum(normal.masses[-1])) if normal.missing else 0.0


def _rounded(normal: Normal) -> float:
    depth = float(np.max(np.abs(normal.law.base))) + 64
    return (2 * normal.length + 4 * depth) * UNIT
