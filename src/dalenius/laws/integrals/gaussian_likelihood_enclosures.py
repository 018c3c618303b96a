"""The real line of outputs of Gaussian noise, in intervals whose likelihoods are bounded ever closer (Result 3.3).

log W(y|s) + y²/2σ² is convex in y whatever the law of the exact answers.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.integrals.gaussian_noise_likelihoods import LineReading, Normal, terms_of
from dalenius.laws.law import Law, Line, Piece, above, log_mix
from dalenius.laws.limits import MOST_GAUSSIAN_TERMS

_FINER: Final = 4
"""Number of cells that one is cut into."""
_FAINTEST: Final = 1e-20
"""Mass of answers whose outputs are left out of averages at first."""


def cell_slacks(reading: LineReading, scale: float) -> Array:
    """Bounds how far log W of any secret in a cell is from that of a mixture of the cell's ends, in nats, (cells,).

    U_s is convex with U_s'' = E_s[(v-v0)²|y] U_s/σ⁴. So its chord is above it by at most h²/8 times the largest of
    that sum of exponentials, which is below the sum of its ends'; and U_s is above its tangents. v0, which belongs to
    the common factor, lies amid the means. Cells lie between neighbouring outputs of `reading`; `scale` is σ in
    steps.
    """
    width = np.diff(reading.y)
    left, right = reading.mean[:, :-1], reading.mean[:, 1:]
    middle = (np.min(np.minimum(left, right), axis=0) + np.max(np.maximum(left, right), axis=0)) / 2
    above = np.zeros_like(left)
    for mean, variance, sign in ((left, reading.variance[:, :-1], -1), (right, reading.variance[:, 1:], 1)):
        with np.errstate(over="ignore", invalid="ignore"):
            fall = np.exp(width * np.maximum(sign * (mean - middle), 0.0) / scale**2)
            above += (variance + (mean - middle) ** 2) / scale**4 * fall
    # Because a common factor may lie between, only half of it; a little more for rounding.
    with np.errstate(over="ignore"):
        return np.asarray(np.max(np.log1p(width**2 / 8 * above), axis=0) / 2 * (1 + 1e-9) + 1e-16)


def _cells(length: int, scale: float) -> int:
    """Returns the number of cells of the first grid."""
    return max(8, int((length - 1 + 4 * scale) / min(scale / 2, scale**2 / 2)) + 1)


def is_short(length: int, secrets: int, scale: float) -> bool:
    """Says whether laws on `length` answers take some ten seconds at most, at the first grid's outputs.

    `secrets` is how many secrets there are, and `scale` is σ in lattice steps.
    """
    cells = _cells(length, scale)
    # Because an output takes as long as a hundred terms of its sum: at a hundredth of a step there are 10^6 for 50
    # answers.
    return (terms_of(length, cells / length, scale) + 100 * cells) * (secrets + 1) <= MOST_GAUSSIAN_TERMS


@final
class GaussianLine(Line):
    """All real outputs of Gaussian noise on one sum. `is_short` says whether it takes seconds.

    A bit plus Gaussian noise of σ = 1: the log-ratio at y is (y - 1)²/2 - y²/2 = 1/2 - y, and half of all outputs are
    below 1/2 if both values are equally likely.

    >>> bit = Law((0,), np.zeros(2), np.array([[0.0, -inf], [-inf, 0.0]]), error=0.0)
    >>> line = GaussianLine(bit, step=1.0, scale=1.0)
    >>> float(np.diff(line.at(2.0, 0.0).relative[::-1, 0])[0].round(9))
    -1.5
    >>> round(line.sides(0.5, np.log([0.5, 0.5])).at_most.upper, 9)
    0.5

    Args:
        law: The exact answer's law on one axis.
        step: The lattice step, in the query's unit.
        scale: σ in steps.
    """

    def __init__(self, law: Law, step: float, scale: float) -> None:
        """Makes a first grid of outputs, at most σ/2 apart, from 2σ below the least answer to 2σ above the greatest."""
        self.hull = law
        self.step = step
        self.normal = Normal(law, scale)
        cells = _cells(self.normal.length, scale)
        self._nodes = np.linspace(-2 * scale, self.normal.length - 1 + 2 * scale, cells + 1)

    @cached_property
    def reading(self) -> LineReading:
        """The likelihoods at the first grid's outputs."""
        return self.normal.read(self._nodes)

    @cached_property
    def middle(self) -> LineReading:
        """The reading without the first grid's outputs beyond which there is next to nothing of any of the laws."""
        masses = np.sum(self.normal.masses, axis=0)
        inside = np.flatnonzero((np.cumsum(masses) > _FAINTEST) & (np.cumsum(masses[::-1])[::-1] > _FAINTEST))
        away = 9 * self.normal.scale
        near = (self._nodes >= inside[0] - away) & (self._nodes <= inside[-1] + away)
        return self.reading.at(near) if "reading" in vars(self) else self.normal.read(self._nodes[near])

    def likelihood(self) -> Law:
        """Returns the first grid with the limits on either side; its error covers everything between."""
        tails = [self.normal.partial(float(self._nodes[end]), side) for end, side in ((0, -1), (-1, 1))]
        columns = [tails[0][0][:, :1], self.reading.logs, tails[1][0][:, :1]]
        error = max(self.reading.error, tails[0][1], tails[1][1])
        slack = float(np.max(cell_slacks(self.reading, self.normal.scale)))
        for sums, _ in tails:
            # The slack between the limit and y: the log of all against the outermost two.
            with np.errstate(invalid="ignore"):
                gap = sums[:, -1] - sums[:, min(1, sums.shape[1] - 1)]
            slack = max(slack, float(np.max(np.where(np.isnan(gap), inf, gap))) / 2)
        points = np.concatenate([[-inf], self._nodes, [inf]])
        law = self.law(points, np.concatenate(columns, axis=1), error, slack)
        return Law(law.start, law.base, law.relative, law.error, points=law.points, line=self)

    def counting(self, error: float) -> "GaussianLine":
        """Returns the line with every log-likelihood known to `error` nats less."""
        found = GaussianLine(replace(self.hull, error=self.hull.error + error), self.step, self.normal.scale)
        # Because a reading does not depend on the law's own error, it is kept where there is one.
        for name in {"reading", "middle"} & vars(self).keys():
            vars(found)[name] = vars(self)[name]
        return found

    def pieces(self) -> Sequence[Piece]:
        first, last, stretch = float(self._nodes[0]), float(self._nodes[-1]), 2 * self.normal.scale
        return [_Stretch(self, self.reading), _Tail(self, first, -1, stretch), _Tail(self, last, 1, stretch)]

    def with_mixture(self, log_prior: Array) -> "GaussianLine":
        return GaussianLine(self.hull.with_mixture(log_prior), self.step, self.normal.scale)

    def at(self, place: float, lift: float) -> Law:
        """Returns the likelihoods at one finite output `place`, in steps from the law's start.

        `lift` is added to the log that all secrets share, in nats.
        """
        reading = self.normal.read(np.array([place]))
        # Because an output off by a rounding moves the log-ratios by at most the answers' range over σ² times that.
        moved = 4 * UNIT * abs(place) * self.normal.length / self.normal.scale**2
        law = self.law(reading.y, reading.logs, reading.error + moved)
        return Law((0,), reading.common + lift, law.relative, law.error)

    def sides(self, place: float, log_prior: Array) -> Sides:
        """Encloses how much of the mixture by `log_prior` (secrets,) is at most, and at least, an output.

        `place` is the output, in steps from the law's start.
        """
        weights, off = self.normal.between(np.array([-inf, place]), np.array([place, inf]))
        masses = np.exp(np.minimum(self.hull.base + log_mix(log_prior, self.hull.relative), 0.0))
        depth = float(np.max(np.abs(self.hull.base)))
        doubt = np.expm1(min(self.hull.error, 700.0)) + (2 * self.normal.length + 4 * depth + 512) * UNIT
        missing = float(np.sum(self.normal.masses[-1])) if self.normal.missing else 0.0
        found = []
        for value, slack in zip(weights @ masses, off @ masses, strict=True):
            error = float(value * doubt + slack)
            found.append(Enclosure(max(float(value) - error, 0.0), min(float(value) + error + missing, 1.0)))
        return Sides(*found)

    def law(self, y: Array, logs: Array, error: float, slack: float = 0.0) -> Law:
        """Returns the law at the outputs `y` and, with a slack, at all between.

        Unresolved mass is counted in the error.

        Args:
            y: Outputs (outputs,), in steps from the law's start.
            logs: Log-likelihoods at them (rows, outputs), up to a common term.
            error: How far the logs may be off, in nats.
            slack: How far a likelihood between two outputs may be from a mixture of theirs, in nats.
        """
        total = error + slack + self.hull.error
        if self.normal.missing:
            logs, floor = logs[:-1], logs[-1]
            total += float(np.logaddexp(0.0, np.max(above(floor, logs)) + 2 * slack))
        points = (y + self.hull.start[0]) * self.step
        return Law((0,), np.zeros(len(y)), logs, total, points=points)


@final
class _Stretch(Piece):
    """Adjacent cells: the likelihoods at every output are nearly a mixture of those at its cell's ends."""

    def __init__(self, line: GaussianLine, reading: LineReading) -> None:
        self.line = line
        self.reading = reading
        slack = float(np.max(cell_slacks(reading, line.normal.scale)))
        self.sampled = line.law(reading.y, reading.logs, reading.error)
        self.hull = line.law(reading.y, reading.logs, reading.error, slack)

    def parts(self) -> Sequence[Piece]:
        """Returns halves of several cells, or FINER parts of a single one; none between neighbouring doubles."""
        count = len(self.reading.y)
        # Because the hulls of single cells are narrower than that of all, a stretch comes apart into cells first, and
        # only then into finer ones.
        if count > 2:
            middle = count // 2
            halves = self.reading.at(slice(middle + 1)), self.reading.at(slice(middle, count))
            return [_Stretch(self.line, half) for half in halves]
        left, right = (float(y) for y in self.reading.y)
        # Because neighbouring doubles have no output in between, nothing is left to cut.
        nodes = np.unique(np.linspace(left, right, _FINER + 1))
        return [_Stretch(self.line, self.line.normal.read(nodes))] if len(nodes) == _FINER + 1 else []


@final
class _Tail(Piece):
    """All outputs beyond y: the partial sums are a hull of them, the first one their limit."""

    def __init__(self, line: GaussianLine, y: float, side: int, stretch: float) -> None:
        self.line, self.y, self.side, self.stretch = line, y, side, stretch
        sums, error = line.normal.partial(y, side)
        self.sampled = line.law(np.array([side * inf]), sums[:, :1], error)
        self.hull = line.law(np.full(sums.shape[1], side * inf), sums, error)

    def parts(self) -> Sequence[Piece]:
        """Returns the next stretch, and the rest beyond it."""
        further = self.y + self.side * self.stretch
        # Because each tail is twice as long as the one before: after forty such cuts nothing more is found.
        if abs(further) > 2.0**40 * (self.line.normal.length + self.line.normal.scale):
            return []
        nodes = np.sort(np.linspace(self.y, further, 2 * _FINER + 1))
        near = _Stretch(self.line, self.line.normal.read(nodes))
        return [near, _Tail(self.line, further, self.side, 2 * self.stretch)]
