"""Sums of a functional over all outputs of a channel, whose noises may differ from axis to axis, as enclosures.

A bit whose noise has the scale of its step: δ(0) is 1 - e^-1/2 for Laplace noise and tanh 1/2 for geometric.

>>> from dalenius.laws.integrals.convex_functionals import HockeyStick
>>> from dalenius.laws.laplace_smoothing import smoothed
>>> bit = Law((0,), np.zeros(2), np.array([[0.0, -np.inf], [-np.inf, 0.0]]), error=0.0)
>>> law, lead = smoothed(bit, [Fraction(1)]), HockeyStick(0, 1, epsilon=0.0)
>>> [round(over_axes(lead, law, [Along(Fraction(1), real)]).upper, 6) for real in (True, False)]
[0.393469, 0.462117]
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.errors import DaleniusError
from dalenius.laws.integrals.box_subdivision import over_boxes
from dalenius.laws.integrals.convex_functionals import Functional, between
from dalenius.laws.laplace_smoothing import Along
from dalenius.laws.law import Law
from dalenius.laws.limits import MOST_BESIDE_POINTS

_AT_ONCE = 1 << 17  # likelihoods that stay in a processor's cache
_MANY_CELLS = 1 << 16  # cells of a line from which on the bounds of convexity are tried before a rule


def over_points(functional: Functional, law: Law) -> Enclosure:
    """Encloses the sum of `functional` over the lattice points of `law`, without noise.

    Mass that could not be resolved may change anything.
    """
    return over_axes(functional, law, [Along(None)] * len(law.box))


def over_reals(functional: Functional, smooth: Law, decays: Sequence[float]) -> Enclosure:
    """Encloses the sum of `functional` under Laplace noise on every axis of the smoothed law `smooth`.

    `decays` has each axis's lattice step over the noise's scale.
    """
    return over_axes(functional, smooth, [Along(Fraction(decay), real=True) for decay in decays])


def over_axes(functional: Functional, law: Law, axes: Sequence[Along]) -> Enclosure:
    """Encloses the sum of a functional over all outputs, whose noises may differ from axis to axis.

    It is an exact sum where all outputs are lattice points, the closed form or quadrature of every line where one
    axis is real, and bounds by convexity where several are.

    Args:
        functional: The function φ of the likelihoods of one output.
        law: The likelihoods, smoothed along every axis.
        axes: The noise along each axis.
    """
    # Because with an error beyond 600 nats likelihoods may be anything, and the part they may add overflows.
    if law.error > 600.0 or law.floor is not None:
        return Enclosure(0.0, functional.most)
    real = [place for place, axis in enumerate(axes) if axis.real]
    if not real:
        return _weighted(functional, law, _outer([axis.weights(n) for n, axis in zip(law.box, axes, strict=True)]))
    # The case of nearly every release: one sum under Laplace noise.
    if len(axes) == 1:
        return _over_line(functional, law, axes[0])
    # The case of two or three sums, all under Laplace noise, and of real ones beside few points, such as a sum beside a
    # small count. All others get bounds that may be wide.
    rates = [axes[place].rate for place in real]
    points = math.prod(law.box) // math.prod(law.box[place] for place in real)
    if points <= MOST_BESIDE_POINTS:
        merged = law if len(real) == len(axes) else _beside_points(law, axes, real)
        if len(real) == 1:
            return _by_lines(functional, merged, axes[real[0]])
        found = over_boxes(functional, merged, [*rates, *[None] * (len(merged.box) - len(real))])
        if found is not None:
            return _rounded(*found)
    return _by_knots(functional, law, axes)


def _beside_points(law: Law, axes: Sequence[Along], real: Sequence[int]) -> Law:
    """Returns the likelihoods along the real axes, and along a last one of points (secrets, *real, points).

    Points of all other axes that say the same of every secret, as the outputs of equal noises in any order do, become
    one with the weight of all.
    """
    weights = _outer([np.ones(1) if axis.real else axis.weights(n) for n, axis in zip(law.box, axes, strict=True)])
    with np.errstate(divide="ignore"):
        logs = np.moveaxis(law.log_mass() + np.log(weights), [place + 1 for place in real], range(1, len(real) + 1))
    logs = logs.reshape(*logs.shape[: len(real) + 1], -1)
    heights = logs.max(axis=tuple(range(logs.ndim - 1)))
    # Because a point of the others that no secret allows (a count next to a maximum that rules it out) adds nothing.
    there = np.flatnonzero(heights > -np.inf)
    shapes = logs[..., there] - heights[there]
    first, total, doubt = dict[bytes, int](), dict[int, float](), 0.0
    for place, height in enumerate(heights[there].tolist()):
        like = first.setdefault(np.round(shapes[..., place], 10).tobytes(), place)
        total[like] = float(np.logaddexp(total.get(like, -np.inf), height))
        with np.errstate(invalid="ignore"):
            apart = np.abs(shapes[..., place] - shapes[..., like])
        doubt = max(doubt, float(np.max(apart, where=np.isfinite(apart), initial=0.0)))
    merged = shapes[..., list(total)] + np.array(list(total.values()))
    base = merged.max(axis=0)
    base = np.where(base > -np.inf, base, 0.0)
    error = law.error + doubt + (16 + 4 * float(np.abs(heights[there]).max())) * UNIT * (1 + len(there))
    return Law((0,) * base.ndim, base, merged - base, error)


def _weighted(functional: Functional, law: Law, weights: Array) -> Enclosure:
    """Encloses the weighted sum over the box's points, a part of them at a time."""
    scale = (weights * np.exp(law.base)).ravel()
    # Because most outputs of a sum of thousands have a mass of 0 as a double.
    there = np.flatnonzero(scale)
    scale, base, logs = scale[there], law.base.ravel()[there], law.relative.reshape(law.secrets, -1)[:, there]
    doubt = scale * (512 + 4 * np.abs(base)) * UNIT
    total, error = 0.0, 0.0
    for some in _slices(logs.shape[1], max(1, _AT_ONCE // law.secrets)):
        values, slack = functional.at_with_slack(logs[:, some], law.error)
        total += float(values @ scale[some])
        error += float(slack @ scale[some]) + float(values @ doubt[some])
    return _rounded(total, total, error)


def _slices(length: int, width: int) -> Iterator[slice]:
    for first in range(0, length, width):
        yield slice(first, first + width)


def _over_line(functional: Functional, smooth: Law, axis: Along) -> Enclosure:
    """Encloses the sum over one real axis: two tails that fall like e^{-|y|/b}, and cells.

    Cells that hold next to nothing get the bounds of convexity only.
    """
    decay = axis.rate
    values, slack = _at_all(functional, smooth)
    scale = np.exp(smooth.base)
    ends = (scale[0] * values[0] + scale[-1] * values[-1]) / 2
    chords = math.tanh(decay / 2) / 2 * (scale[:-1] * values[:-1] + scale[1:] * values[1:])
    all_mass = _sum(chords) + ends
    active = np.flatnonzero(chords > 1e-24 * all_mass)
    weights = axis.weights(len(scale))
    inside, error = 0.0, _sum(weights * scale * slack)
    error += _sum(weights * scale * values * (512 + 4 * np.abs(smooth.base)) * UNIT)
    if len(active) > _MANY_CELLS:
        merged = _merged_cells(functional, smooth, decay) + ends
        if all_mass - merged <= error:
            return _rounded(merged, all_mass, error)
    for some in np.array_split(active, max(1, len(active) * smooth.secrets // 1_000_000)):
        ground = np.maximum(smooth.base[some], smooth.base[some + 1])
        left = smooth.relative[:, some] + (smooth.base[some] - ground)
        right = smooth.relative[:, some + 1] + (smooth.base[some + 1] - ground)
        area, bound = functional.over_cell(left, right, decay)
        inside += _sum(area * np.exp(ground))
        error += _sum(bound * np.exp(ground))
    outside = np.ones(len(chords), dtype=bool)
    outside[active] = False
    return _rounded(inside + ends, inside + ends + _sum(chords[outside]), error)


def _merged_cells(functional: Functional, smooth: Law, decay: float) -> float:
    """Returns the sum with each cell's outputs made one: less, φ being convex and homogeneous."""
    base, logs, found = smooth.base, smooth.relative, 0.0
    for some in _slices(len(base) - 1, max(1, _AT_ONCE // smooth.secrets)):
        near, far = base[:-1][some], base[1:][some]
        ground = np.maximum(near, far)
        both = np.logaddexp(logs[:, :-1][:, some] + (near - ground), logs[:, 1:][:, some] + (far - ground))
        found += _sum(functional.at(both) * np.exp(ground))
    return found * math.tanh(decay / 2) / 2


def _at_all(functional: Functional, law: Law) -> tuple[Array, Array]:
    """Returns φ at every point of one axis, and how far the law's error may move it."""
    slices = _slices(law.box[0], max(1, _AT_ONCE // law.secrets))
    values, slack = zip(*(functional.at_with_slack(law.relative[:, some], law.error) for some in slices), strict=True)
    return np.concatenate(values), np.concatenate(slack)


def with_knots(logs: Array, axis: int, parts: int, decay: float) -> Array:
    """Adds `parts` - 1 knots in every cell of one axis of the likelihoods.

    Args:
        logs: The likelihoods (secrets, *box).
        axis: The axis, of `logs`.
        parts: Into how many each cell is cut.
        decay: The width of a cell over the noise's scale.
    """
    moved = np.moveaxis(logs, axis, -1)
    left, right = moved[..., :-1], moved[..., 1:]
    between_knots = np.stack([between(left, right, decay, part / parts) for part in range(parts)], axis=-1)
    flat = between_knots.reshape((*moved.shape[:-1], -1))
    return np.moveaxis(np.concatenate([flat, moved[..., -1:]], axis=-1), -1, axis)


def between_knots(smooth: Law, places: Sequence[Fraction], decays: Sequence[float], lift: float) -> Law:
    """Returns the likelihoods under Laplace noise at one output.

    Between two knots they are the combination of e^{±y/b} that the knots determine (Result 3.4); beyond the ends all
    fall alike.

    Args:
        smooth: The smoothed law.
        places: The output by axis, from the box's start, in steps.
        decays: Each axis's step over the noise's scale.
        lift: A number added to the log that all secrets share, in nats.
    """
    cell, fractions = [], []
    for place, length, decay in zip(places, smooth.box, decays, strict=True):
        inside = min(max(place, Fraction(0)), Fraction(length - 1))
        lift -= decay * float(abs(place - inside))
        first = min(int(inside), max(length - 2, 0))
        cell.append(slice(first, first + 2))
        fractions.append(float(inside - first))
    base = smooth.base[tuple(cell)]
    ground = float(np.max(base))
    logs = smooth.relative[(slice(None), *cell)] + (base - ground)
    error = smooth.error
    for decay, fraction in zip(decays, fractions, strict=True):
        near, far = logs[:, 0], logs[:, -1]
        logs = between(near, far, decay, fraction)
        # Because nothing is combined and nothing rounded at a lattice point.
        if fraction not in (0.0, 1.0):
            error += (64 + 4 * (decay + abs(ground))) * UNIT
    if any(fraction not in (0.0, 1.0) for fraction in fractions):
        error += 8 * float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0)) * UNIT
    return Law((0,), np.array([ground + lift]), logs.reshape(-1, 1), error)


def merged_along(logs: Array, axis: int, decay: float) -> Array:
    """Returns each cell's whole mass, and each tail's, along one `axis` of the likelihoods `logs` (secrets, *box).

    `decay` is the width of a cell over the noise's scale.
    """
    moved = np.moveaxis(logs, axis, -1)
    cells = np.logaddexp(moved[..., :-1], moved[..., 1:]) + math.log(math.tanh(decay / 2) / 2)
    tails = [moved[..., :1] - math.log(2), cells, moved[..., -1:] - math.log(2)]
    return np.moveaxis(np.concatenate(tails, axis=-1), -1, axis)


def _outer(weights: Iterable[Array]) -> Array:
    product = np.ones(())
    for axis in weights:
        product = product[..., None] * axis
    return product


def _rounded(lower: float, upper: float, error: float) -> Enclosure:
    """Returns the enclosure. DaleniusError where a bound is no number: none is better than one that looks like one."""
    if math.isnan(lower) or math.isnan(upper) or math.isnan(error):
        raise DaleniusError("a sum over outputs lost its value to overflow: use a scale nearer to the answer's range")
    return Enclosure(max(0.0, float(lower) - error), float(upper) + error)


def _sum(values: Array) -> float:
    return float(np.sum(values))


def _by_lines(functional: Functional, law: Law, axis: Along) -> Enclosure:
    """Sums over one real axis, and perhaps points beside it: a line of outputs for each of them."""
    if len(law.box) == 1:
        return _over_line(functional, law, axis)
    lines = [Law((0,), law.base[:, i], law.relative[..., i], law.error) for i in range(law.box[1])]
    found = [_over_line(functional, line, axis) for line in lines]
    off = 16 * UNIT
    return Enclosure(
        math.fsum(each.lower for each in found) * (1 - off), math.fsum(each.upper for each in found) * (1 + off)
    )


def _by_knots(functional: Functional, law: Law, axes: Sequence[Along]) -> Enclosure:
    """Sums over several axes by convexity: knots bound φ from above and merged cells from below.

    As many knots are added between the lattice points of real axes as memory allows.
    """
    real = [place for place, axis in enumerate(axes) if axis.real]
    room = 2_000_000 / (law.secrets * math.prod(law.box))
    most = int(np.clip(room ** (1 / len(real)), 1, 64))
    # So that a sum of 0, or one far from the number it is compared with, costs next to nothing.
    for parts in sorted({1, min(8, most), most}):
        lower, upper, error = _between_knots(functional, law, axes, real, parts)
        if functional.settles(lower, upper):
            break
    return _rounded(lower, upper, error)


def _between_knots(
    functional: Functional, law: Law, axes: Sequence[Along], real: Sequence[int], parts: int
) -> tuple[float, float, float]:
    """Returns bounds with `parts` cells between two lattice points of each real axis, and their error."""
    logs = law.log_mass()
    for place in real:
        logs = with_knots(logs, place + 1, parts, axes[place].rate)
    merged = logs
    for place in real:
        merged = merged_along(merged, place + 1, axes[place].rate / parts)
    finer = [Along(axis.decay / parts, True) if axis.real and axis.decay is not None else axis for axis in axes]
    weights = _outer([axis.weights(n) for n, axis in zip(logs.shape[1:], finer, strict=True)])
    upper = weights * functional.at(logs)
    error = float(np.sum(weights * functional.slack(logs, law.error)))
    error += float(np.sum(upper)) * (512 + 4 * float(np.max(np.abs(law.base)))) * UNIT
    # Because merged cells of real axes are all of their outputs.
    shares = [np.ones(n) if axis.real else axis.weights(n) for n, axis in zip(merged.shape[1:], axes, strict=True)]
    return float(np.sum(functional.at(merged) * _outer(shares))), float(np.sum(upper)), error
