"""Outputs of a sum of independent parts, of which the law of one part is known: a line between bounds (Result 9.6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import nan
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, Law, Line, Piece
from dalenius.laws.noised.along import Along


@final
@dataclass(frozen=True)
class PartLine(Line):
    """hull: the noised part's likelihoods, of which those of all outputs are mixtures; corners: those in the limits of
    the outputs, where what is added to the part cancels."""

    hull: Law
    corners: Law

    def counting(self, error: float) -> "PartLine":
        return PartLine(*(replace(law, error=law.error + error) for law in (self.hull, self.corners)))

    def pieces(self) -> Sequence[Piece]:
        return [_Everything(self.corners, self.hull)]

    def with_mixture(self, log_prior: Array) -> "PartLine":
        return PartLine(self.hull.with_mixture(log_prior), self.corners.with_mixture(log_prior))


@final
class _Everything(Piece):
    def __init__(self, seen: Law, hull: Law) -> None:
        self.seen = seen
        self.hull = hull

    def parts(self) -> Sequence[Piece]:
        return ()


def part_line(hull: Law, axes: Sequence[Along], ends: Sequence[tuple[float, float]]) -> PartLine:
    """hull: the part's likelihoods on its box, smoothed along every axis; ends: of the whole answer on each axis, which
    stand for the outputs at and beyond them; nan for an output that is not looked at."""
    logs, deepest = hull.log_mass(), float(np.max(np.abs(hull.base)))
    for place, axis in enumerate(axes):
        moved = np.moveaxis(logs, place + 1, -1)
        with np.errstate(divide="ignore"):
            weights = np.log(axis.weights(moved.shape[-1]))
        anywhere = np.logaddexp.reduce(moved + weights, axis=-1)
        logs = np.moveaxis(np.stack([moved[..., 0], anywhere, moved[..., -1]], axis=-1), -1, place + 1)
    flat = logs.reshape(hull.secrets, -1)
    # The place at which nothing is looked at says nothing.
    points = np.array(list(product(*((low, nan, high) for low, high in ends))))
    used = ~np.all(np.isnan(points), axis=1)
    base = np.max(flat[:, used], axis=0)
    roundings = sum(hull.box) + 64 + 8 * (deepest + float(np.max(np.abs(base))))
    relative = flat[:, used] - base
    corners = Law((0,), np.zeros(len(base)), relative, hull.error + roundings * UNIT, points=points[used])
    return PartLine(replace(hull, line=None), corners)
