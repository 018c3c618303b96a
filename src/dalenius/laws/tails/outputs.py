"""All outputs of a release with their probabilities: what a noise says about how likely they are."""

import abc
from collections.abc import Sequence
from math import expm1, inf, log, tanh
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Array, Law, log_mix
from dalenius.laws.smoothing import Along
from dalenius.laws.tails.losses import PointwiseLoss
from dalenius.laws.tails.parts import Boxes, Cells
from dalenius.laws.tails.tail import Parts, PartsTail, Tail, Unknown

NOTHING_KNOWN = Enclosure(-inf, 0.0)


class Outputs(abc.ABC):
    """Where the likelihoods are those of an index of the law's box, the output is that point and all that it stands
    for."""

    @abc.abstractmethod
    def tail(self, loss: PointwiseLoss) -> Tail:
        """The law of the loss."""

    @abc.abstractmethod
    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        """log Pr[Y is the output of that index]; where outputs are real numbers, within half a lattice step of it, and
        beyond an end of the box."""


@final
class Unweighted(Outputs):
    """Of a noise that does not say how likely its outputs are."""

    def tail(self, loss: PointwiseLoss) -> Tail:
        return Unknown(loss.most)

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        return NOTHING_KNOWN


@final
class AxesOutputs(Outputs):
    """law: smoothed along every axis. Of outputs that are real on some axes and points on others only single ones are
    known, not the tails of what they leak."""

    def __init__(self, law: Law, axes: Sequence[Along]) -> None:
        self.law, self.axes = law, tuple(axes)

    def tail(self, loss: PointwiseLoss) -> Tail:
        law, real = self.law, [axis.real for axis in self.axes]
        if not law.error < 30 or (any(real) and not all(real)):
            return Unknown(loss.most)
        if not any(real):
            return PartsTail(_PointParts(law, self._log_weights(), loss))
        if len(real) == 1:
            return PartsTail(Cells(law, self.axes[0].rate, loss))
        return PartsTail(Boxes(law, [axis.rate for axis in self.axes], loss))

    def _log_weights(self) -> Array:
        """What each point of the box stands for."""
        total = np.zeros(())
        for axis, length in zip(self.axes, self.law.box, strict=True):
            total = total[..., None] + _log_weights(axis, length)
        return total

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        """Along a real axis half a cell to each side; beyond an end all of its tail."""
        law, places = self.law, [round(i) for i in index]
        if not law.error < 30:
            return NOTHING_KNOWN
        if not any(axis.real for axis in self.axes):
            here = tuple(slice(place, place + 1) for place in places)
            floor = None if law.floor is None else law.floor[here]
            there = Law(law.start, law.base[here], law.relative[(slice(None), *here)], law.error, floor)
            return Enclosure(*(float(end.ravel()[0]) for end in masses(there, log_prior, self._log_weights()[here])))
        logs = law.base + log_mix(log_prior, law.relative)
        deep = float(np.max(np.abs(logs[np.isfinite(logs)]), initial=0.0)) + float(np.max(np.abs(law.base)))
        for place, length, axis in zip(places, law.box, self.axes, strict=True):
            if axis.real:
                parts = [logs[knot] + log(weight) for knot, weight in near_weights(place, length, axis.rate).items()]
                logs = np.asarray(np.logaddexp.reduce(np.array(parts), axis=0))
            else:
                logs = logs[place] + _log_weights(axis, length)[place]
        error = law.error + (64 * (1 + len(self.axes)) + 2 * law.secrets + 8 * deep) * UNIT
        return Enclosure(float(logs) - error, float(logs) + error)


@final
class _PointParts(Parts):
    def __init__(self, law: Law, log_weights: Array, loss: PointwiseLoss) -> None:
        logs = law.relative.reshape(law.secrets, -1)
        unresolved = doubts(law).ravel()
        possible = np.max(logs, axis=0) > -inf
        found = np.zeros(logs.shape[1])
        found[possible] = loss.at(logs[:, possible])
        with np.errstate(invalid="ignore"):
            doubt = np.where(unresolved < 30, loss.doubt(found, np.minimum(unresolved, 30.0)), inf)
            self.low = np.where(found == inf, inf, np.maximum(found - doubt, 0.0))
            self.low = np.where(doubt < inf, self.low, 0.0)
            self.high = np.where(doubt < inf, np.minimum(found + doubt, loss.most), loss.most)
        self.least, self.most = (each.ravel() for each in masses(law, loss.log_prior, log_weights))


def doubts(law: Law) -> Array:
    """How far the log-likelihoods at each output may be off, in nats; inf where a mass of 0 may be positive."""
    if law.floor is None:
        return np.full(law.box, law.error)
    with np.errstate(invalid="ignore"):
        apart = np.max(np.where(law.floor > -inf, law.floor - law.relative, -inf), axis=0)
    return np.asarray(law.error + np.logaddexp(0.0, apart))


def masses(law: Law, log_prior: Array, log_weights: Array) -> tuple[Array, Array]:
    """Bounds of log W(y) at every point of the box, times its weight."""
    mixed = log_mix(log_prior, law.relative)
    deep = np.where(np.isfinite(mixed), np.abs(mixed), 0.0) + np.abs(law.base) + np.abs(log_weights)
    doubt = law.error + (64 + 2 * law.secrets + 4 * deep) * UNIT
    logs = law.base + mixed + log_weights
    if law.floor is None:
        return logs - doubt, logs + doubt
    return logs - doubt, np.logaddexp(logs, law.base + law.floor + log_weights) + doubt


def _log_weights(axis: Along, length: int) -> Array:
    """Geometric noise: an end point stands for itself and its whole tail."""
    if axis.decay is None or length == 1:
        return np.zeros(length)
    share = log(tanh(axis.rate / 2)) if axis.rate < 30 else 0.0
    weights = np.full(length, share)
    weights[[0, -1]] = share - log(-expm1(-axis.rate))
    return weights


def near_weights(place: int, length: int, decay: float) -> dict[int, float]:
    """What half a step around a knot weighs, by knot: over half a cell W is the knots' values times
    ∫ sinh(decay - u)/sinh(decay) and ∫ sinh(u)/sinh(decay), u up to decay/2."""
    # (cosh d - cosh d/2)/sinh d and (cosh d/2 - 1)/sinh d
    falls = -expm1(-2 * decay)
    own = -expm1(-decay / 2) * -expm1(-1.5 * decay) / falls / 2
    other = float(np.exp(-decay / 2)) * expm1(-decay / 2) ** 2 / falls / 2
    weights = {place: 0.0}
    for neighbour in (place - 1, place + 1):
        if 0 <= neighbour < length:
            weights[place] += own
            if other > 0:
                weights[neighbour] = other
        else:
            weights[place] += 0.5
    return weights
