"""All outputs of a release with their probabilities: what a noise says about how likely they are."""

import abc
from collections.abc import Iterable, Sequence
from math import expm1, inf, log, tanh
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Array, Law
from dalenius.laws.tails.boxes import Boxes
from dalenius.laws.tails.cells import Cells
from dalenius.laws.tails.losses import PointwiseLoss
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
class Points(Outputs):
    """The points of the box. log_weights: what each stands for, along each axis; none where for itself only."""

    def __init__(self, law: Law, log_weights: Iterable[Array] = ()) -> None:
        self.law = law
        self.log_weights = np.zeros(law.box) + _outer_sum(log_weights)

    def tail(self, loss: PointwiseLoss) -> Tail:
        if not self.law.error < 30:
            return Unknown(loss.most)
        return PartsTail(_PointParts(self.law, self.log_weights, loss))

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        if not self.law.error < 30:
            return NOTHING_KNOWN
        place = tuple(round(i) for i in index)
        here = (slice(None), *(slice(i, i + 1) for i in place))
        floor = None if self.law.floor is None else self.law.floor[here[1:]]
        law = Law(self.law.start, self.law.base[here[1:]], self.law.relative[here], self.law.error, floor)
        least, most = masses(law, log_prior, self.log_weights[here[1:]])
        return Enclosure(float(least.ravel()[0]), float(most.ravel()[0]))


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
    mixed = np.logaddexp.reduce(log_prior.reshape((-1,) + (1,) * law.base.ndim) + law.relative, axis=0)
    deep = np.where(np.isfinite(mixed), np.abs(mixed), 0.0) + np.abs(law.base) + np.abs(log_weights)
    doubt = law.error + (64 + 2 * law.secrets + 4 * deep) * UNIT
    logs = law.base + mixed + log_weights
    if law.floor is None:
        return logs - doubt, logs + doubt
    return logs - doubt, np.logaddexp(logs, law.base + law.floor + log_weights) + doubt


def lattice_log_weights(length: int, decay: float) -> Array:
    """Geometric noise: an end point stands for itself and its whole tail."""
    share = log(tanh(decay / 2)) if decay < 30 else 0.0
    weights = np.full(length, share)
    weights[[0, -1]] = share - log(-expm1(-decay))
    return weights if length > 1 else np.zeros(1)


@final
class Reals(Outputs):
    """All real outputs of Laplace noise; decays: each axis's step over the scale."""

    def __init__(self, law: Law, decays: Sequence[float]) -> None:
        self.law = law
        self.decays = tuple(decays)

    def tail(self, loss: PointwiseLoss) -> Tail:
        if not self.law.error < 30:
            return Unknown(loss.most)
        return PartsTail(self._parts(loss))

    def _parts(self, loss: PointwiseLoss) -> Parts:
        if len(self.decays) == 1:
            return Cells(self.law, self.decays[0], loss)
        return Boxes(self.law, self.decays, loss)

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        """Half a cell to each side; beyond an end all of its tail."""
        if not self.law.error < 30:
            return NOTHING_KNOWN
        logs = np.logaddexp.reduce(log_prior.reshape((-1,) + (1,) * self.law.base.ndim) + self.law.relative, axis=0)
        logs = self.law.base + logs
        deep = float(np.max(np.abs(logs[np.isfinite(logs)]), initial=0.0)) + float(np.max(np.abs(self.law.base)))
        for place, length, decay in zip(index, self.law.box, self.decays, strict=True):
            logs = log_total_along(logs, near_weights(round(place), length, decay))
        error = self.law.error + (64 * (1 + len(self.decays)) + 2 * self.law.secrets + 8 * deep) * UNIT
        return Enclosure(float(logs) - error, float(logs) + error)


def log_total_along(logs: Array, weights: dict[int, float]) -> Array:
    """The weighted sum over some indices of the first axis, in logs."""
    parts = [logs[place] + log(weight) for place, weight in weights.items()]
    return np.asarray(np.logaddexp.reduce(np.array(parts), axis=0))


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


def _outer_sum(each: Iterable[Array]) -> Array:
    total = np.zeros(())
    for axis in each:
        total = total[..., None] + axis
    return total
