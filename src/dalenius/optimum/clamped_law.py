"""Laws on a lattice whose points beyond two ends are moved to them (Result 8.2)."""

from dataclasses import replace
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, tanh

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.laws.law import Law


def covering(law: Law, low: int, high: int, axis: int) -> Law:
    """Returns the law with empty points added along the axis, so that the box holds both points, low and high."""
    before, after = max(law.start[axis] - low, 0), max(high - (law.start[axis] + law.box[axis] - 1), 0)
    widths = [(before, after) if place == axis else (0, 0) for place in range(len(law.box))]
    moved = tuple(i - before if place == axis else i for place, i in enumerate(law.start))
    base = np.pad(law.base, widths, mode="edge")
    relative = np.pad(law.relative, [(0, 0), *widths], constant_values=-inf)
    floor = None if law.floor is None else np.pad(law.floor, widths, constant_values=-inf)
    return replace(law, start=moved, base=base, relative=relative, floor=floor)


def tails_merged(law: Law, low: int, high: int, axis: int, beyond: float) -> Law:
    """Merges the points of `law` up to `low` into one, and those from `high` on; both ends lie in the box.

    Args:
        law: The law.
        low: The lower end, a lattice index.
        high: The upper end, a lattice index.
        axis: The axis of the box.
        beyond: The log of the factor by which the box's end points stand for themselves and all points beyond them.
    """
    # The output is constant where a promise is so strict that nothing may be said.
    if low == high:
        return _joined([_run(law, 0, law.box[axis], axis, beyond, beyond)], law, low, axis)
    first, last = low - law.start[axis], high - law.start[axis]
    parts = [_run(law, 0, first + 1, axis, beyond, 0.0)]
    # Because ends next to each other have nothing between them.
    if last > first + 1:
        parts.append(_taken(law, slice(first + 1, last), axis))
    return _joined([*parts, _run(law, last, law.box[axis], axis, 0.0, beyond)], law, low, axis)


def _taken(law: Law, place: slice, axis: int) -> Law:
    """Returns the points of a slice of one axis; where they start is left as it was."""
    index = (slice(None),) * axis + (place,)
    floor = None if law.floor is None else law.floor[index]
    return replace(law, base=law.base[index], relative=law.relative[(slice(None), *index)], floor=floor)


def _run(law: Law, start: int, stop: int, axis: int, before: float, after: float) -> Law:
    """Returns one point for the points start..stop-1; `before` and `after` are added to the first and last logs."""
    part = _taken(law, slice(start, stop), axis)
    weights = np.zeros(stop - start)
    weights[0] += before
    # If the box has one point, it stands for itself once and for all that is beyond it on either side.
    if stop - start == 1 and after:
        weights[0] = np.log(np.exp(before) + np.exp(after) - 1)
    else:
        weights[-1] += after
    shaped = weights.reshape((-1,) + (1,) * (len(law.box) - axis - 1))
    logs = part.base + part.relative + shaped
    tops = np.max(logs, axis=axis + 1, keepdims=True)
    level = np.where(np.max(tops, axis=0) > -inf, np.max(tops, axis=0), 0.0)
    merged = _log_sum(logs - level, axis + 1)
    floor = None if part.floor is None else _log_sum(part.base + part.floor + shaped - level, axis)
    # Because a term below e^-745 of the largest is 0 as a double, its own rounding does not count.
    near = logs > tops - 745.0
    sizes = np.abs(part.base) + np.abs(np.where(near, part.relative, 0.0))
    deepest = float(np.max(np.where(near, sizes, 0.0), initial=0.0))
    error = part.error + (stop - start + 4 * (deepest + float(np.max(np.abs(level)))) + 32) * UNIT
    return replace(part, base=level, relative=merged, floor=floor, error=error)


def _log_sum(logs: Array, axis: int) -> Array:
    """Returns the logs of the sums along an axis, which stays with length 1; −∞ where all are impossible."""
    top = np.max(logs, axis=axis, keepdims=True)
    top = np.where(top > -inf, top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(logs - top), axis=axis, keepdims=True)) + top)


def _joined(parts: list[Law], law: Law, low: int, axis: int) -> Law:
    """Returns the parts side by side along the axis, from the lattice point `low` on."""
    start = tuple(low if place == axis else i for place, i in enumerate(law.start))
    base = np.concatenate([part.base for part in parts], axis=axis)
    relative = np.concatenate([part.relative for part in parts], axis=axis + 1)
    floors = [part.floor for part in parts if part.floor is not None]
    floor = np.concatenate(floors, axis=axis) if floors else None
    return Law(start, base, relative, max(part.error for part in parts), floor)


def end_shares(decay: Fraction | None) -> tuple[float, float]:
    """Returns the logs of Pr[noise = 0] = tanh(1/2b) and of the factor by which merging all beyond an end counts.

    The factor is 1/(1 − e^{−1/b}), b the scale in lattice steps. decay: 1/b; None without noise, where both logs are 0.
    """
    if decay is None:
        return 0.0, 0.0
    near = float(decay)
    return log(tanh(near / 2)), -log1p(-exp(-near)) if near > 1 else -log(-expm1(-near))
