"""Sums of a functional over all outputs of noises that differ from axis to axis, as enclosures."""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import (
    MOST_POINTS,
    UNKNOWN,
    merged_along,
    outer,
    over_reals,
    rounded,
    weighted,
    with_knots,
)
from dalenius.laws.law import Array, Law
from dalenius.laws.noised.along import Along

FEW_LINES = 20_000


def over_axes(functional: Functional, law: Law, axes: Sequence[Along]) -> Enclosure:
    """law: smoothed along every axis. Exact sums where all outputs are lattice points; the closed form or quadrature of
    every line where one axis is real; bounds by convexity on several, which are those of `over_reals`."""
    if law.error > UNKNOWN or law.floor is not None:
        return Enclosure(0.0, functional.most)
    real = [place for place, axis in enumerate(axes) if axis.real]
    if len(real) == len(axes):
        return over_reals(functional, law, [axis.rate for axis in axes])
    if not real:
        return weighted(functional, law, outer([axis.weights(n) for n, axis in zip(law.box, axes, strict=True)]))
    lines = math.prod(law.box) // law.box[real[0]]
    if len(real) == 1 and lines <= FEW_LINES:
        return _by_lines(functional, law, axes, real[0])
    return _over_boxes(functional, law, axes)


def _by_lines(functional: Functional, law: Law, axes: Sequence[Along], real: int) -> Enclosure:
    others = [place for place in range(len(axes)) if place != real]
    weights = [axes[place].weights(law.box[place]) for place in others]
    base, relative = np.moveaxis(law.base, real, -1), np.moveaxis(law.relative, real + 1, -1)
    lower, upper = [], []
    for index in product(*(range(law.box[place]) for place in others)):
        weight = math.prod(float(own[i]) for own, i in zip(weights, index, strict=True))
        place: tuple[slice | int, ...] = (slice(None), *index)
        line = Law((0,), base[index], relative[place], law.error)
        if np.max(line.relative) > -np.inf:
            found = over_reals(functional, line, [axes[real].rate])
            lower.append(weight * found.lower)
            upper.append(weight * found.upper)
    off = (16 + 4 * len(others)) * UNIT
    return Enclosure(math.fsum(lower) * (1 - off), math.fsum(upper) * (1 + off))


def _over_boxes(functional: Functional, law: Law, axes: Sequence[Along]) -> Enclosure:
    real = [place for place, axis in enumerate(axes) if axis.real]
    room = MOST_POINTS / (law.secrets * math.prod(law.box))
    parts = int(np.clip(room ** (1 / len(real)), 1, 64))
    logs = law.log_mass()
    for place in real:
        logs = with_knots(logs, place + 1, parts, axes[place].rate)
    merged = logs
    for place in real:
        merged = merged_along(merged, place + 1, axes[place].rate / parts)
    finer = [Along(axis.decay / parts, True) if axis.real and axis.decay is not None else axis for axis in axes]
    weights = outer([axis.weights(n) for n, axis in zip(logs.shape[1:], finer, strict=True)])
    upper = weights * functional.at(logs)
    error = float(np.sum(weights * functional.slack(logs, law.error)))
    error += float(np.sum(upper)) * (512 + 4 * float(np.max(np.abs(law.base)))) * UNIT
    lower = float(np.sum(functional.at(merged) * _of_points(merged.shape[1:], axes)))
    return rounded(lower, float(np.sum(upper)), error)


def _of_points(box: Sequence[int], axes: Sequence[Along]) -> Array:
    """What each merged cell still has to be weighted by: along a real axis nothing."""
    return outer([np.ones(n) if axis.real else axis.weights(n) for n, axis in zip(box, axes, strict=True)])
