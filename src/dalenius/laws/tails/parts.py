"""What outputs of Laplace noise leak: on one axis cell by cell between neighbouring knots (Result 3.5), on several in
cells whose likelihoods are mixtures of their corners'."""

from collections.abc import Iterable, Sequence
from itertools import product
from math import expm1, inf, log, prod, tanh
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.outputs import merged_along, with_knots
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.tails.losses import PointwiseLoss
from dalenius.laws.tails.tail import Parts

SMALL: Final = 1.0
AT_ONCE: Final = 1 << 18
NEGLIGIBLE: Final = 1e-24
LOG_HALF: Final = -log(2)


@final
class Cells(Parts):
    """The two tails, where the posterior is constant, then the cells; the loss is largest at one of a cell's ends, and
    where it is above a level inside is known in closed form, or by bisection."""

    divisible: ClassVar[bool] = True

    def __init__(self, law: Law, decay: float, loss: PointwiseLoss) -> None:
        self.law, self.decay, self.loss = law, decay, loss
        logs = law.relative
        self.knots = loss.at(logs)
        self.doubt = loss.doubt(self.knots, law.error)
        self._mixed = np.asarray(law.base + loss.mixed(logs))
        self._error = law.error + (96 + 2 * law.secrets + 8 * float(np.max(np.abs(self._mixed)))) * UNIT
        ends = [0, -1]
        inside = self._inside()
        upper = np.maximum((self.knots + self.doubt)[:-1], (self.knots + self.doubt)[1:])
        self.low = np.concatenate([np.maximum(self.knots - self.doubt, 0.0)[ends], inside])
        self.high = np.concatenate([(self.knots + self.doubt)[ends], upper])
        chords = log(tanh(decay / 2)) + LOG_HALF + np.logaddexp(self._mixed[:-1], self._mixed[1:])
        whole = np.concatenate([self._mixed[ends] + LOG_HALF, chords])
        self.least, self.most = whole - self._error, whole + self._error

    def _inside(self) -> Array:
        """A lower bound of the loss in each cell."""
        logs, found = self.law.relative, np.zeros(len(self.knots) - 1)
        for first in range(0, len(found), AT_ONCE):
            some = slice(first, min(first + AT_ONCE, len(found)))
            after = slice(some.start + 1, some.stop + 1)
            least = self.loss.least_over(np.stack([logs[:, some], logs[:, after]], axis=1))
            found[some] = least - self.loss.doubt(least, self.law.error)
        return np.maximum(found, 0.0)

    def cut(self, which: IntArray, levels: Array) -> tuple[Array, Array]:
        """The tails are not cut: they leak the same everywhere."""
        least, most = np.full(len(which), -inf), self.most[which]
        cells = np.flatnonzero(which >= 2)
        if not len(cells):
            return least, most
        at, level = which[cells] - 2, levels[cells]
        slack = self.loss.doubt(level, self.law.error + 16 * UNIT) + 64 * UNIT * (1 + level)
        least[cells] = self._above(at, level + slack) - self._error
        most[cells] = np.minimum(self._above(at, np.maximum(level - slack, 0.0)) + self._error, most[cells])
        return least, most

    def _above(self, at: IntArray, level: Array) -> Array:
        """log of the mass of W where the loss is above the level, in these cells."""
        ground = np.maximum(self.law.base[at], self.law.base[at + 1])
        left = self.law.relative[:, at] + (self.law.base[at] - ground)
        right = self.law.relative[:, at + 1] + (self.law.base[at + 1] - ground)
        until, since = self.loss.beyond(left, right, level)
        start, end = self._mixed[at], self._mixed[at + 1]
        parts = np.logaddexp(self._mass(start, end, until), self._mass(end, start, -since))
        whole = log(tanh(self.decay / 2)) + LOG_HALF + np.logaddexp(start, end)
        return np.where(until >= since, whole, np.minimum(parts, whole))

    def _mass(self, start: Array, end: Array, log_odds: Array) -> Array:
        """log ∫ W du/2 from the knot `start` to where θ has these log-odds: the knots' values times (cosh d - cosh v)/
        sinh d and (cosh u - 1)/sinh d, u the way from it and v = d - u the rest."""
        decay = self.decay
        way, rest = place(log_odds, decay), place(-log_odds, decay)
        with np.errstate(divide="ignore"):
            near = np.log(-np.expm1(-way)) + np.log(-np.expm1(-decay - rest))
            far = 2 * np.log(-np.expm1(-way)) - rest
        both = np.logaddexp(start + near, end + far) - log(-expm1(-2 * decay)) + LOG_HALF
        return np.asarray(np.where(log_odds > -inf, both, -inf))

    def integrated(self) -> Enclosure | None:
        """Cells that hold next to nothing by their bounds only."""
        active = 2 + np.flatnonzero(self.most[2:] > log(NEGLIGIBLE))
        total, error = 0.0, 0.0
        for some in np.array_split(active, max(1, len(active) * self.law.secrets // AT_ONCE)):
            ground = np.maximum(self.law.base[some - 2], self.law.base[some - 1])
            left = self.law.relative[:, some - 2] + (self.law.base[some - 2] - ground)
            right = self.law.relative[:, some - 1] + (self.law.base[some - 1] - ground)
            found = self.loss.over_cell(left, right, self.decay)
            if found is None:
                return None
            area, off = found
            scale, whole = np.exp(ground), np.exp(self.most[some])
            moved = self.loss.doubt(self.high[some], self.law.error) + self._error * self.high[some]
            total += float(np.sum(area * scale))
            error += float(np.sum(off * scale + 1.01 * moved * whole))
        rest = np.ones(len(self.low), dtype=bool)
        rest[active] = False
        low = float(np.sum(np.exp(self.least[rest]) * self.low[rest]))
        high = float(np.sum(np.exp(self.most[rest]) * self.high[rest]))
        error += (total + high) * (len(rest) + 64) * UNIT
        return Enclosure(total + low - error, total + high + error)


def place(log_odds: Array, decay: float) -> Array:
    """u of θ = sinh(u)/(sinh(u) + sinh(decay - u)), to full relative accuracy."""
    if decay > SMALL:
        inner = np.clip(log_odds, -1e9, 1e9)
        found = (np.logaddexp(0.0, inner + decay) - np.logaddexp(0.0, inner - decay)) / 2
        return np.asarray(np.where(log_odds == inf, decay, np.where(log_odds == -inf, 0.0, found)))
    # tanh u = ξ sinh d/(1 + ξ cosh d)
    near = np.minimum(log_odds, -log_odds)
    odds = np.exp(near)
    way = np.arctanh(odds * np.sinh(decay) / (1 + odds * np.cosh(decay)))
    return np.asarray(np.where(log_odds <= 0, way, decay - way))


MOST_POINTS: Final = 400_000
"""Likelihoods at knots, the lattice points and those added between them."""


@final
class Boxes(Parts):
    """Between the lattice points as many knots are added as MOST_POINTS allows. A cell whose corners all leak at most a
    level does so everywhere; one that is cut by the level counts from above only."""

    def __init__(self, law: Law, decays: Sequence[float], loss: PointwiseLoss) -> None:
        self._law, self._decays, self._loss = law, decays, loss
        room = MOST_POINTS / (law.secrets * prod(law.box))
        parts = int(np.clip(room ** (1 / len(decays)), 1, 64))
        logs, deepest = law.relative, float(np.max(np.abs(law.base)))
        logs = law.base + logs
        finer = [decay / parts for decay in decays]
        for axis, decay in enumerate(decays):
            logs = with_knots(logs, axis + 1, parts, decay)
        error = law.error + (64 + 4 * deepest) * UNIT * len(decays)
        corners = _corners(logs)
        at = np.max(np.stack([self._upper(corner, loss, error) for corner in corners]), axis=0)
        least = loss.least_over(np.stack(corners, axis=1))
        self.low = np.maximum(least - loss.doubt(least, error), 0.0).ravel()
        self.high = at.ravel()
        mixed = loss.mixed(logs)
        for axis, decay in enumerate(finer):
            mixed = merged_along(mixed, axis, decay)
        off = error + (64 + 4 * np.abs(mixed)) * UNIT * len(decays)
        self.least, self.most = (mixed - off).ravel(), (mixed + off).ravel()

    def integrated(self) -> Enclosure | None:
        return self._loss.over_boxes(self._law, self._decays)

    def _upper(self, logs: Array, loss: PointwiseLoss, error: float) -> Array:
        found = loss.at(logs)
        return np.asarray(found + loss.doubt(found, error))


def _corners(logs: Array) -> list[Array]:
    """The corners of all cells, the outermost of which lie beyond the box: there the end stands for all."""
    ends: list[Iterable[slice]] = [(slice(0, -1), slice(1, None))] * (logs.ndim - 1)
    padded = np.pad(logs, [(0, 0), *[(1, 1)] * (logs.ndim - 1)], mode="edge")
    return [padded[(slice(None), *chosen)] for chosen in product(*ends)]
