"""The probability that an output of Gaussian noise leaks more than a level.

The line of outputs is divided into cells, which are cut where a level cuts them.
"""

from collections.abc import Iterator, Sequence
from math import expm1, inf, log, pi, sqrt
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine, cell_slacks
from dalenius.laws.integrals.gaussian_noise_likelihoods import LineReading
from dalenius.laws.law import above, log_mix
from dalenius.laws.leakage_of_one_output import PointwiseLoss
from dalenius.laws.leakage_tail import Tail, Unknown, running_log_sums
from dalenius.laws.limits import MOST_TAIL_CELLS
from dalenius.laws.output_chances import NOTHING_KNOWN, Outputs

_FINER: Final = 8
_SMALLEST: Final = 1e-300
"""Smaller masses are lost to underflow."""
_STEPS: Final = 128


@final
class GaussianOutputs(Outputs):
    """All real outputs of Gaussian noise.

    A fair bit plus Gaussian noise of σ = 1: the gain is above .2 where the likelier value's posterior is above e^.2/2
    = .611, that is for y below .0497 or above .9503.

    >>> from dalenius.laws.law import Law
    >>> from dalenius.laws.leakage_of_one_output import Gain
    >>> bit = Law((0,), np.zeros(2), np.array([[0.0, -inf], [-inf, 0.0]]), error=0.0)
    >>> tail = GaussianOutputs(GaussianLine(bit, step=1.0, scale=1.0)).tail(Gain(np.log([0.5, 0.5])))
    >>> round(tail.chance(0.2).upper, 6), round(tail.mean().upper, 6)  # the mean gain, in nats
    (0.690824, 0.309218)
    """

    def __init__(self, line: GaussianLine) -> None:
        self.line = line

    def tail(self, loss: PointwiseLoss) -> Tail:
        # Because logs that are off by 30 nats say nothing of any loss: a law most of which no tilt resolved.
        return _GaussianTail(self.line, loss) if self.line.hull.error < 30 else Unknown(loss.most)

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        """Returns log Pr[Y within half a lattice step of an output].

        Args:
            index: The output, counted from the first answer, in lattice steps (1,).
            log_prior: Log-probabilities of the secrets (secrets,).
        """
        (place,) = index
        # The case of an output at infinity, a limit that a witness may be: it has probability 0.
        if not np.isfinite(place):
            return Enclosure(-inf, -inf)
        if not self.line.hull.error < 30:
            return NOTHING_KNOWN
        ends = np.array([place - 0.5]), np.array([place + 0.5])
        lower, upper = _mass(self.line, log_prior, *ends)
        return Enclosure(_log(lower), _log(upper))


def _log(value: float) -> float:
    return log(value) if value > 0 else -inf


def _mass(line: GaussianLine, log_prior: Array, low: Array, high: Array) -> tuple[float, float]:
    """Bounds Pr[Y in one of these disjoint intervals]."""
    # The case of a level above every loss: no interval is left.
    if not len(low):
        return 0.0, 0.0
    normal = line.normal
    mixture = np.exp(log_prior) @ normal.masses[: len(log_prior)]
    inside, error = normal.between(low, high)
    value, off = float(np.sum(inside @ mixture)), float(np.sum(error @ mixture))
    depth = float(np.max(np.abs(normal.law.base))) + 64
    off += value * (expm1(normal.law.error) + (2 * normal.length + 8 * depth) * UNIT)
    missing = float(np.sum(normal.masses[-1])) if normal.missing else 0.0
    return max(value - off, 0.0), min(value + off + missing + _SMALLEST, 1.0)


class _Cells(NamedTuple):
    """Intervals of outputs from left to right, with their bounds.

    low, high: bounds of the loss; log_mass: an upper bound.
    """

    left: Array
    right: Array
    low: Array
    high: Array
    log_mass: Array

    def taken(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> "_Cells":
        return _Cells._make(each[which] for each in self)


def _joined(parts: Sequence[_Cells]) -> _Cells:
    """Joins parts in order, from left to right."""
    every = _Cells._make(np.concatenate(each) for each in zip(*parts, strict=True))
    return every.taken(np.argsort(every.left, kind="stable"))


@final
class _GaussianTail(Tail):
    """The law of the loss, from cells between neighbouring outputs y.

    On each cell the likelihoods are mixtures of those at its ends up to a slack, so that the loss lies between two
    bounds. The outputs beyond the outermost ones are two more cells.
    """

    def __init__(self, line: GaussianLine, loss: PointwiseLoss) -> None:
        """Makes the cells of the line's first grid, and the two ends; a level cuts them further."""
        self.line, self.loss = line, loss
        first = line.reading
        # Because all likelihoods are mixtures of those of the exact answers.
        exact = loss.at(line.hull.relative)
        self._most = min(float(np.max(exact + loss.doubt(exact, line.hull.error))), loss.most)
        # Because unresolved mass may be of any secret, an exact answer may say more than is known of it.
        if line.normal.missing:
            self._most = loss.most
        self._unseen = 2 * float(loss.doubt(np.zeros(()), line.hull.error + first.error))
        self._cells = _joined([self._end(float(first.y[0]), -1), self._of(first), self._end(float(first.y[-1]), 1)])

    @property
    def most(self) -> float:
        return min(float(np.max(self._cells.high)), self._most)

    def log_above(self, levels: Array) -> tuple[Array, Array]:
        """Bounds log Pr[ℓ > level] at `levels`. Each call cuts the first cells anew, as levels differ."""
        cells = self._refined(levels)
        lower, upper = np.full(len(levels), -inf), np.full(len(levels), -inf)
        for place, level in enumerate(levels):
            lower[place] = _log(self._probability(cells, cells.low > level)[0])
            if level < self._most:
                upper[place] = _log(self._probability(cells, cells.high > level)[1])
        return np.minimum(lower, 0.0), np.minimum(upper, 0.0)

    def mean(self) -> Enclosure:
        """Encloses the mean loss: by its own integral, or by ∫ Pr[ℓ > ε] dε at many levels, denser towards 0."""
        found = self.loss.over_line(self.line)
        if found is not None:
            return Enclosure(max(found.lower, 0.0), min(found.upper, self.most))
        # Because the tail at finitely many levels says nothing about the mean of a loss without a largest value (a
        # log-ratio, where an answer is impossible given some secret).
        if self.most == inf:
            return Enclosure(0.0, inf)
        levels = self.most * np.linspace(0.0, 1.0, _STEPS) ** 3
        lower, upper = (np.exp(each) for each in self.log_above(levels))
        width = np.diff(levels)
        rounding = (_STEPS + 16) * UNIT
        return Enclosure(float(width @ lower[1:]) * (1 - rounding), float(width @ upper[:-1]) * (1 + rounding))

    def _probability(self, cells: _Cells, chosen: NDArray[np.bool_]) -> tuple[float, float]:
        """Bounds the probability of the chosen cells, neighbours joined."""
        edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]])))
        starts, ends = edges[::2], edges[1::2] - 1
        return _mass(self.line, self.loss.log_prior, cells.left[starts], cells.right[ends])

    def _refined(self, levels: Array) -> _Cells:
        """Cuts the cells that a level cuts, until they hold next to nothing of its tail."""
        cells = self._cells
        for _ in range(40):
            coarse = np.flatnonzero(self._coarse(cells, levels))
            if not len(coarse) or len(cells.low) > MOST_TAIL_CELLS:
                break
            kept = np.ones(len(cells.low), dtype=bool)
            kept[coarse] = False
            cells = _joined([cells.taken(kept), *self._cut(cells.taken(coarse))])
        return cells

    def _coarse(self, cells: _Cells, levels: Array) -> NDArray[np.bool_]:
        """Returns the cells worth cutting: a level lies between their bounds, and they hold enough of its tail."""
        chosen = np.zeros(len(cells.low), dtype=bool)
        order = np.argsort(-cells.high, kind="stable")
        tails = running_log_sums(cells.log_mass[order])
        counts = np.searchsorted(-cells.high[order], -levels, side="left")
        for level, count in zip(levels, counts, strict=True):
            if level <= self._unseen or level >= self._most:
                continue  # rounding decides, or the bound of all outputs
            reaching = order[:count]
            open_ = reaching[cells.low[reaching] <= level]
            if len(open_):
                # Because cells that a level cuts may hold a mass of so small a share of the tail.
                enough = max(float(tails[count - 1]) + log(1e-10 / len(open_)), log(_SMALLEST))
                chosen[open_[cells.log_mass[open_] > enough]] = True
        width, size = cells.right - cells.left, np.minimum(np.abs(cells.left), np.abs(cells.right))
        chosen &= cells.high - cells.low > 2 * self._unseen * (1 + cells.low)  # else rounding decides
        return np.asarray(chosen & (width > 1e-13 * size) & (size < (2.0**40) * (self.line.normal.length + 1)))

    def _cut(self, cells: _Cells) -> Iterator[_Cells]:
        """Yields finite cells in FINER equal parts, and an infinite one as a stretch next to its end and the rest."""
        finite = np.isfinite(cells.right - cells.left)
        if finite.any():
            left, right = cells.left[finite], cells.right[finite]
            nodes = left[:, None] + (right - left)[:, None] * np.linspace(0.0, 1.0, _FINER + 1)
            nodes[:, -1] = right
            yield self._of(self.line.normal.read(nodes.ravel()), _FINER + 1)
        for left, right in zip(cells.left[~finite], cells.right[~finite], strict=True):
            side, edge = (-1, float(right)) if left == -inf else (1, float(left))
            middle = (self.line.normal.length - 1) / 2
            further = edge + side * max(2 * self.line.normal.scale, abs(edge - middle) / 4)
            yield self._of(self.line.normal.read(np.sort(np.linspace(edge, further, 2 * _FINER + 1))))
            yield self._end(further, side)

    def _of(self, reading: LineReading, group: int | None = None) -> _Cells:
        """Returns the cells between these outputs; within groups of so many outputs, where given."""
        left = np.arange(len(reading.y) - 1)
        # Because nodes of several cells come one after another, the gap between two groups is no cell.
        if group is not None:
            left = left[(left + 1) % group != 0]
        with np.errstate(invalid="ignore", over="ignore"):
            slack = cell_slacks(reading, self.line.normal.scale)[left]
        logs, scale = reading.logs[: len(self.loss.log_prior)], self.line.normal.scale
        corners = np.stack([logs[:, left], logs[:, left + 1]], axis=1)
        error = reading.error + self.line.hull.error + slack + self._unresolved(reading, left, slack)
        width = reading.y[left + 1] - reading.y[left]
        # Because log W + y²/2σ² is convex, W is at most e^{h²/8σ²} times the larger of its ends.
        density = log_mix(self.loss.log_prior, logs) + reading.common - log(scale * sqrt(2 * pi))
        with np.errstate(divide="ignore"):
            mass = np.maximum(density[left], density[left + 1]) + width**2 / (8 * scale**2) + np.log(width)
        return _Cells(reading.y[left], reading.y[left + 1], *self._bounds(corners, error), mass)

    def _unresolved(self, reading: LineReading, left: NDArray[np.int64], slack: Array) -> Array:
        """Bounds by how many nats the mass that no tilt resolved, one more row, may raise any likelihood of a cell."""
        if not self.line.normal.missing:
            return np.zeros(len(left))
        ratio = np.max(above(reading.logs[-1], reading.logs[:-1]), axis=0)
        return np.asarray(np.logaddexp(0.0, np.maximum(ratio[left], ratio[left + 1]) + 2 * slack))

    def _end(self, y: float, side: int) -> _Cells:
        """Returns the cell of all outputs beyond y."""
        sums, error = self.line.normal.partial(y, side)
        logs = sums[: len(self.loss.log_prior)]
        slack = np.zeros(1)
        if self.line.normal.missing:
            slack = np.logaddexp(0.0, np.full(1, np.max(above(sums[-1], logs))))
        corners = logs[:, :, None]
        bases = sorted({0, logs.shape[1] - 1})
        bounds = self._bounds(corners, error + self.line.hull.error + slack, bases)
        ends = (-inf, y) if side < 0 else (y, inf)
        mass = _log(_mass(self.line, self.loss.log_prior, np.array([ends[0]]), np.array([ends[1]]))[1])
        return _Cells(np.array([ends[0]]), np.array([ends[1]]), *bounds, np.array([mass]))

    def _bounds(self, corners: Array, error: Array, bases: list[int] | None = None) -> tuple[Array, Array]:
        """Bounds the loss over all mixtures of the corners, with logs off by `error`; trivially past 30 nats."""
        known = error < 30
        small = np.where(known, error, 30.0)
        each = self.loss.at(corners)
        high = np.max(each + self.loss.doubt(each, small), axis=0)
        least = self.loss.least_over(corners, bases)
        low = np.maximum(least - self.loss.doubt(least, small), 0.0)
        return np.where(known, low, 0.0), np.where(known, np.minimum(high, self.loss.most), self.loss.most)
