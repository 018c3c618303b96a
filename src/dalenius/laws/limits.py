"""Outputs of a sum of independent parts, of which the law of one part is known: bounds (Result 9.6), and the limits of
the outputs, where all that is added to that part cancels (Result 20.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import inf, nan
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, Law, Line, Piece


def at_infinity(law: Law, decays: Sequence[Fraction | None], ends: Sequence[tuple[float, float]]) -> Law:
    """log W(y|s), up to a term common to all secrets, for y far below, not looked at, or far above on each axis.

    law: of the part's exact answer on its box; decays: each axis's step over the scale of its exponential noise, None
    where a limit rules out all but the outermost answers (Gaussian noise, or none); ends: what the outputs at and
    beyond both ends are called. The limit in which nothing is looked at is left out. Unresolved mass makes the error
    infinite.
    """
    logs = law.log_mass()
    deepest = _deepest(logs) + sum(
        float(decay) * length for decay, length in zip(decays, law.box, strict=True) if decay is not None
    )
    for axis, decay in enumerate(decays):
        moved = np.moveaxis(logs, axis + 1, -1)
        sides = [_summed(moved + weights) for weights in _weights(moved, decay)]
        logs = np.moveaxis(np.stack(sides, axis=-1), -1, axis + 1)
    names = np.array(list(product(*((low, nan, high) for low, high in ends))))
    used = ~np.all(np.isnan(names), axis=1)
    flat = logs.reshape(law.secrets, -1)[:, used]
    most = np.max(flat, axis=0)
    base = np.where(most > -inf, most, 0.0)
    roundings = sum(law.box) + len(decays) * (64 + 8 * deepest)
    error = inf if law.floor is not None else law.error + roundings * UNIT
    return Law((0,), np.zeros(len(base)), flat - base, error, points=names[used])


def _weights(logs: Array, decay: Fraction | None) -> list[Array]:
    """What the three sides add to the logs of the answers on the last axis: (answers,)."""
    length = logs.shape[-1]
    if decay is not None:
        fall = np.array([float(decay * place) for place in range(length)])
        return [-fall, np.zeros(length), -fall[::-1]]
    there = np.flatnonzero(np.max(logs.reshape(-1, length), axis=0) > -inf)
    ends = np.full((2, length), -inf)
    ends[0, there[0]] = ends[1, there[-1]] = 0.0
    return [ends[0], np.zeros(length), ends[1]]


def _summed(logs: Array) -> Array:
    """log of the sum over the last axis, each to a few roundings of the largest term's log."""
    most = np.max(logs, axis=-1, keepdims=True)
    level = np.where(most > -inf, most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(logs - level), axis=-1)) + level[..., 0])


def _deepest(logs: Array) -> float:
    return float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))


@final
@dataclass(frozen=True)
class PartLine(Line):
    """hull: the noised part's likelihoods, of which those of all outputs are mixtures; corners: those in the limits of
    the outputs, where what is added to the part cancels; noised: the same as hull, as the noise itself has them."""

    hull: Law
    corners: Law
    noised: Law

    def counting(self, error: float) -> "PartLine":
        line = None if self.noised.line is None else self.noised.line.counting(error)
        hull, corners, noised = (replace(e, error=e.error + error) for e in (self.hull, self.corners, self.noised))
        return PartLine(hull, corners, replace(noised, line=line))

    def pieces(self) -> Sequence[Piece]:
        return [_Everything(self.corners, self.hull)]

    def with_mixture(self, log_prior: Array) -> "PartLine":
        return PartLine(*(each.with_mixture(log_prior) for each in (self.hull, self.corners, self.noised)))


@final
class _Everything(Piece):
    def __init__(self, seen: Law, hull: Law) -> None:
        self.seen = seen
        self.hull = hull

    def parts(self) -> Sequence[Piece]:
        return ()
