"""All outputs of a release with their probabilities, as the tails and means of losses read them.

Outputs of Laplace noise are taken cell by cell: on one axis between neighbouring knots (Result 3.5), on several in
cells whose likelihoods are mixtures of their corners'.
"""

import abc
from collections.abc import Iterable, Sequence
from itertools import product
from math import exp, expm1, inf, log, log1p, prod, tanh
from typing import ClassVar, Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.functionals_over_outputs import merged_along, with_knots
from dalenius.laws.integrals.laplace_cells import place_at
from dalenius.laws.laplace_smoothing import Along
from dalenius.laws.law import Law, above, log_mix
from dalenius.laws.leakage_of_one_output import PointwiseLoss
from dalenius.laws.leakage_tail import Parts, PartsTail, Tail, TailWithin, Unknown

_AT_ONCE: Final = 1 << 18
_LOG_HALF: Final = -log(2)
NOTHING_KNOWN = Enclosure(-inf, 0.0)


@final
class _Cells(Parts):
    """The two tails, where the posterior is constant, then the cells between knots.

    The loss is largest at one of a cell's ends. Where it is above a level inside is known in closed form, or by
    bisection.
    """

    divisible: ClassVar[bool] = True

    def __init__(self, law: Law, decay: float, loss: PointwiseLoss) -> None:
        """Reads `law`, one axis, smoothed; `decay` is the step over the scale."""
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
        chords = log(tanh(decay / 2)) + _LOG_HALF + np.logaddexp(self._mixed[:-1], self._mixed[1:])
        log_masses = np.concatenate([self._mixed[ends] + _LOG_HALF, chords])
        self.least, self.most = log_masses - self._error, log_masses + self._error

    def _inside(self) -> Array:
        """Returns a lower bound of the loss in each cell."""
        logs, found = self.law.relative, np.zeros(len(self.knots) - 1)
        for first in range(0, len(found), _AT_ONCE):
            some = slice(first, min(first + _AT_ONCE, len(found)))
            after = slice(some.start + 1, some.stop + 1)
            least = self.loss.least_over(np.stack([logs[:, some], logs[:, after]], axis=1))
            found[some] = least - self.loss.doubt(least, self.law.error)
        return np.maximum(found, 0.0)

    def cut(self, which: IntArray, levels: Array) -> tuple[Array, Array]:
        """Bounds the log-probability above `levels` in the cells `which`; the tails leak the same everywhere."""
        least, most = np.full(len(which), -inf), self.most[which]
        cells = np.flatnonzero(which >= 2)
        if not len(cells):
            return least, most
        at, level = which[cells] - 2, levels[cells]
        slack = self.loss.doubt(level, self.law.error + 16 * UNIT) + 64 * UNIT * (1 + level)
        both = np.concatenate([level + slack, np.maximum(level - slack, 0.0)])
        above = self._above(np.concatenate([at, at]), both)
        least[cells] = above[: len(at)] - self._error
        most[cells] = np.minimum(above[len(at) :] + self._error, most[cells])
        return least, most

    def _above(self, at: IntArray, level: Array) -> Array:
        """Returns the log of the mass of W on the part of these cells where the loss is above the level."""
        ground = np.maximum(self.law.base[at], self.law.base[at + 1])
        left = self.law.relative[:, at] + (self.law.base[at] - ground)
        right = self.law.relative[:, at + 1] + (self.law.base[at + 1] - ground)
        until, since = self.loss.beyond(left, right, level)
        start, end = self._mixed[at], self._mixed[at + 1]
        parts = np.logaddexp(self._mass(start, end, until), self._mass(end, start, -since))
        full_mass = log(tanh(self.decay / 2)) + _LOG_HALF + np.logaddexp(start, end)
        return np.where(until >= since, full_mass, np.minimum(parts, full_mass))

    def _mass(self, start: Array, end: Array, log_odds: Array) -> Array:
        """Returns log ∫ W du/2 from the knot `start` to the place where θ has these log-odds.

        It is the knots' values times (cosh d - cosh v)/sinh d and (cosh u - 1)/sinh d, u the way from the knot and v
        = d - u the rest.
        """
        decay = self.decay
        way, rest = place_at(log_odds, decay), place_at(-log_odds, decay)
        with np.errstate(divide="ignore"):
            near = np.log(-np.expm1(-way)) + np.log(-np.expm1(-decay - rest))
            far = 2 * np.log(-np.expm1(-way)) - rest
        both = np.logaddexp(start + near, end + far) - log(-expm1(-2 * decay)) + _LOG_HALF
        return np.asarray(np.where(log_odds > -inf, both, -inf))

    def integrated(self) -> Enclosure | None:
        """Encloses the mean loss; cells that hold next to nothing get their bounds only."""
        active = 2 + np.flatnonzero(self.most[2:] > log(1e-24))
        total, error = 0.0, 0.0
        for some in np.array_split(active, max(1, len(active) * self.law.secrets // _AT_ONCE)):
            ground = np.maximum(self.law.base[some - 2], self.law.base[some - 1])
            left = self.law.relative[:, some - 2] + (self.law.base[some - 2] - ground)
            right = self.law.relative[:, some - 1] + (self.law.base[some - 1] - ground)
            found = self.loss.over_cell(left, right, self.decay)
            if found is None:
                return None
            area, off = found
            scale, most_mass = np.exp(ground), np.exp(self.most[some])
            moved = self.loss.doubt(self.high[some], self.law.error) + self._error * self.high[some]
            total += float(np.sum(area * scale))
            error += float(np.sum(off * scale + 1.01 * moved * most_mass))
        rest = np.ones(len(self.low), dtype=bool)
        rest[active] = False
        low = float(np.sum(np.exp(self.least[rest]) * self.low[rest]))
        high = float(np.sum(np.exp(self.most[rest]) * self.high[rest]))
        error += (total + high) * (len(rest) + 64) * UNIT
        return Enclosure(total + low - error, total + high + error)


@final
class Boxes(Parts):
    """Cells of Laplace noise on several axes, with as many knots between the lattice points as memory allows.

    A cell whose corners all leak at most a level does so everywhere; one that the level cuts counts from above only.
    """

    def __init__(self, law: Law, decays: Sequence[float], loss: PointwiseLoss) -> None:
        """Reads `law`, smoothed on every axis; `decays` has each axis's step over the scale."""
        self._law, self._decays, self._loss = law, decays, loss
        # So that likelihoods at knots, the lattice points and those added between them, are some 400,000 at most.
        room = 400_000 / (law.secrets * prod(law.box))
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
    """Returns the corners of all cells; the outermost cells lie beyond the box, where its end stands for all."""
    ends: list[Iterable[slice]] = [(slice(0, -1), slice(1, None))] * (logs.ndim - 1)
    padded = np.pad(logs, [(0, 0), *[(1, 1)] * (logs.ndim - 1)], mode="edge")
    return [padded[(slice(None), *chosen)] for chosen in product(*ends)]


class Outputs(abc.ABC):
    """All outputs of one release: an index of the law's box stands for that point and for all outputs like it."""

    @abc.abstractmethod
    def tail(self, loss: PointwiseLoss) -> Tail:
        """Returns the law of the `loss`."""

    @abc.abstractmethod
    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        """Encloses log Pr[Y is the output of the `index` (axes,)], by `log_prior` (secrets,).

        Where outputs are real numbers, it is that of outputs within half a lattice step of it, and beyond an end of
        the box.
        """


@final
class Unweighted(Outputs):
    """The outputs of a noise that does not say how likely they are."""

    def tail(self, loss: PointwiseLoss) -> Tail:
        return Unknown(loss.most)

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        return NOTHING_KNOWN


@final
class AxesOutputs(Outputs):
    """The outputs of a law that is smoothed along every axis.

    Where outputs are real on some axes and points on others, only single ones are known, not the tails of their
    losses.

    A bit, 1 with probability .1, that is reported as it is with probability 3/4: a report of 1, which has probability
    .3, raises that of a 1 from .1 to .25.

    >>> law = Law((0,), np.zeros(2), np.log([[0.75, 0.25], [0.25, 0.75]]), error=0.0)
    >>> from dalenius.laws.leakage_of_one_output import Gain
    >>> tail = AxesOutputs(law, [Along(None)]).tail(Gain(np.log([0.9, 0.1])))
    >>> round(tail.most, 4), round(tail.chance(0.5).upper, 4)  # log 2.5, in nats
    (0.9163, 0.3)
    >>> round(tail.quantile(0.35).upper, 4)  # all but the report of 1: log(.75/.7)
    0.069
    """

    def __init__(self, law: Law, axes: Sequence[Along]) -> None:
        self.law, self.axes = law, tuple(axes)

    def tail(self, loss: PointwiseLoss) -> Tail:
        """Returns the law of the `loss` by points, cells of a line, or boxes; `Unknown` for unknown likelihoods."""
        law, real = self.law, [axis.real for axis in self.axes]
        # Because logs that are off by 30 nats say nothing of any loss.
        # The case of Laplace noise on one answer beside geometric on another: cells with points on one side are not
        # worked out; the greatest loss bounds the tail.
        if not law.error < 30 or (any(real) and not all(real)):
            return Unknown(loss.most)
        if not any(real):
            return PartsTail(_PointParts(law, self._log_weights(), loss))
        if len(real) == 1:
            knots = loss.at(law.relative)
            most = float(np.max(knots + loss.doubt(knots, law.error)))
            return TailWithin(lambda: PartsTail(_Cells(law, self.axes[0].rate, loss)), most)
        return PartsTail(Boxes(law, [axis.rate for axis in self.axes], loss))

    def _log_weights(self) -> Array:
        """Returns the log-weight of each point of the box: how many outputs' mass it stands for."""
        total = np.zeros(())
        for axis, length in zip(self.axes, self.law.box, strict=True):
            total = total[..., None] + _log_weights(axis, length)
        return total

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        """Encloses the log-probability near `index` by `log_prior`: half a cell to each side, or all of a tail."""
        # The case of an output at infinity, a limit that a witness may be: it has probability 0.
        if not np.all(np.isfinite(index)):
            return Enclosure(-inf, -inf)
        law, places = self.law, [round(i) for i in index]
        if not law.error < 30:
            return NOTHING_KNOWN
        if not any(axis.real for axis in self.axes):
            here = tuple(slice(place, place + 1) for place in places)
            floor = None if law.floor is None else law.floor[here]
            there = Law(law.start, law.base[here], law.relative[(slice(None), *here)], law.error, floor)
            return Enclosure(*(float(end.ravel()[0]) for end in _masses(there, log_prior, self._log_weights()[here])))
        logs = law.base + log_mix(log_prior, law.relative)
        deep = float(np.max(np.abs(logs[np.isfinite(logs)]), initial=0.0)) + float(np.max(np.abs(law.base)))
        for place, length, axis in zip(places, law.box, self.axes, strict=True):
            if axis.real:
                parts = [logs[knot] + log(weight) for knot, weight in _near_weights(place, length, axis.rate).items()]
                logs = np.asarray(np.logaddexp.reduce(np.array(parts), axis=0))
            else:
                logs = logs[place] + _log_weights(axis, length)[place]
        error = law.error + (64 * (1 + len(self.axes)) + 2 * law.secrets + 8 * deep) * UNIT
        return Enclosure(float(logs) - error, float(logs) + error)


@final
class _PointParts(Parts):
    """Every point of the box as a part: no noise, geometric noise, or a matrix of probabilities."""

    def __init__(self, law: Law, log_weights: Array, loss: PointwiseLoss) -> None:
        """Reads log_weights (*box): the log of how many outputs' mass each point stands for (see `_log_weights`)."""
        logs = law.relative.reshape(law.secrets, -1)
        unresolved = _doubts(law).ravel()
        # Because a loss is of outputs that can occur: points between two ranks of a maximum have no mass, and no loss.
        possible = np.max(logs, axis=0) > -inf
        found = np.zeros(logs.shape[1])
        found[possible] = loss.at(logs[:, possible])
        with np.errstate(invalid="ignore"):
            doubt = np.where(unresolved < 30, loss.doubt(found, np.minimum(unresolved, 30.0)), inf)
            self.low = np.where(found == inf, inf, np.maximum(found - doubt, 0.0))
            self.low = np.where(doubt < inf, self.low, 0.0)
            self.high = np.where(doubt < inf, np.minimum(found + doubt, loss.most), loss.most)
        self.least, self.most = (each.ravel() for each in _masses(law, loss.log_prior, log_weights))


def _doubts(law: Law) -> Array:
    """Returns how far the log-likelihoods at each output may be off, in nats; inf where a mass of 0 may be positive."""
    if law.floor is None:
        return np.full(law.box, law.error)
    return np.asarray(law.error + np.logaddexp(0.0, np.max(above(law.floor, law.relative), axis=0)))


def _masses(law: Law, log_prior: Array, log_weights: Array) -> tuple[Array, Array]:
    """Bounds log W(y) at every point of the box, times its weight."""
    mixed = log_mix(log_prior, law.relative)
    deep = np.where(np.isfinite(mixed), np.abs(mixed), 0.0) + np.abs(law.base) + np.abs(log_weights)
    doubt = law.error + (64 + 2 * law.secrets + 4 * deep) * UNIT
    logs = law.base + mixed + log_weights
    if law.floor is None:
        return logs - doubt, logs + doubt
    return logs - doubt, np.logaddexp(logs, law.base + law.floor + log_weights) + doubt


def _log_weights(axis: Along, length: int) -> Array:
    """Returns the log-weights of geometric noise: an end point stands for itself and its whole tail."""
    if axis.decay is None or length == 1:
        return np.zeros(length)
    # Because noise of a thirtieth of a step leaves 2e-13 of log tanh(rate/2): no rounding, and so it is counted.
    beyond = log1p(exp(-axis.rate))
    weights = np.full(length, log(-expm1(-axis.rate)) - beyond)
    weights[[0, -1]] = -beyond
    return weights


def _near_weights(place: int, length: int, decay: float) -> dict[int, float]:
    """Returns the weight of half a step around a knot, by knot.

    Over half a cell W is the knots' values times ∫ sinh(decay - u)/sinh(decay) and ∫ sinh(u)/sinh(decay), u up to
    decay/2.
    """
    # Because these are (cosh d - cosh d/2)/sinh d and (cosh d/2 - 1)/sinh d.
    falls = -expm1(-2 * decay)
    own = -expm1(-decay / 2) * -expm1(-1.5 * decay) / falls / 2
    other = float(np.exp(-decay / 2)) * expm1(-decay / 2) ** 2 / falls / 2
    weights = {place: 0.0}
    for neighbour in (place - 1, place + 1):
        # Because there is no knot beyond an end of the box, all of the tail counts.
        if 0 <= neighbour < length:
            weights[place] += own
            if other > 0:
                weights[neighbour] = other
        else:
            weights[place] += 0.5
    return weights
