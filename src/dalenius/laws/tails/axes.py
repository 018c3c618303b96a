"""How likely outputs are where noises differ from axis to axis."""

from collections.abc import Sequence
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Array, Law
from dalenius.laws.noised.along import Along
from dalenius.laws.tails.losses import PointwiseLoss
from dalenius.laws.tails.outputs import (
    NOTHING_KNOWN,
    Outputs,
    Points,
    Reals,
    lattice_log_weights,
    log_total_along,
    near_weights,
)
from dalenius.laws.tails.tail import Tail, Unknown


@final
class AxesOutputs(Outputs):
    """law: smoothed along every axis. Of outputs that are real on some axes and points on others only single ones are
    known, not the tails of what they leak."""

    def __init__(self, law: Law, axes: Sequence[Along]) -> None:
        self._law = law
        self._axes = tuple(axes)
        self._same: Outputs | None = None
        if not any(axis.real for axis in axes):
            self._same = Points(law, [_log_weights(axis, n) for axis, n in zip(axes, law.box, strict=True)])
        elif all(axis.real for axis in axes):
            self._same = Reals(law, [axis.rate for axis in axes])

    def tail(self, loss: PointwiseLoss) -> Tail:
        return Unknown(loss.most) if self._same is None else self._same.tail(loss)

    def log_near(self, index: Sequence[float], log_prior: Array) -> Enclosure:
        if self._same is not None:
            return self._same.log_near(index, log_prior)
        law = self._law
        if not law.error < 30:
            return NOTHING_KNOWN
        logs = law.base + np.logaddexp.reduce(log_prior.reshape((-1,) + (1,) * law.base.ndim) + law.relative, axis=0)
        deep = float(np.max(np.abs(logs[np.isfinite(logs)]), initial=0.0)) + float(np.max(np.abs(law.base)))
        for place, length, axis in zip(index, law.box, self._axes, strict=True):
            if axis.real:
                logs = log_total_along(logs, near_weights(round(place), length, axis.rate))
            else:
                logs = logs[round(place)] + _log_weights(axis, length)[round(place)]
        error = law.error + (64 * (1 + len(self._axes)) + 2 * law.secrets + 8 * deep) * UNIT
        return Enclosure(float(logs) - error, float(logs) + error)


def _log_weights(axis: Along, length: int) -> Array:
    return np.zeros(length) if axis.decay is None else lattice_log_weights(length, axis.rate)
