"""Convolution with e^{-|y-v|/b} on a lattice, the effect of Laplace and geometric noise on a law (Theory §3).

The logarithm of a smoothed law changes by at most 1/b per unit. So within a block of a few hundred b every value lies
within a double's range of the block's scale, and a block is one matrix product; between blocks two carries suffice.
All terms are positive: the error is a count of roundings. Exponents are kept exact until each exponential is taken,
so that a step over a million points costs no more than one over ten. Smoothing is separable, so that axes may differ:
`Along` is the noise along one of them.

Sometimes only the law of one of several independent parts of a sum is known. The outputs of the sum are then bounded
(`PartLine`, Result 9.6), and so are their limits, where all that is added to that part cancels (`at_infinity`, Result
20.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, product
from math import expm1, inf, nan, tanh
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.laws.integrals.cumulative_probability import TailWeights, of_box, of_lattice, of_reals
from dalenius.laws.law import Law, Line, Piece, without_floor

_WIDEST: Final = 128  # points in a block
_DEEPEST: Final = 200.0  # nats over a block
_FEW_LINES: Final = 12  # secrets and lines, up to which carries are no arrays
_NEAR: Final = 100.0  # a secret this close below the others needs no scale of its own


def smoothed(law: Law, decays: Sequence[Fraction | None]) -> Law:
    """Returns sum_v e^{-sum_a |y_a - v_a|·decays[a]} Pr[v | s] at every y of the box, not normalised.

    Unresolved mass is counted in `error`. Beyond the box the ratio between secrets stays what it is at the box's end,
    since there every law decays at the same rate.

    A record that is 0 or 1, and noise that falls by a nat a step: the ratio of the two at 0 is e.

    >>> law = Law((0,), np.zeros(2), np.array([[0.0, -np.inf], [-np.inf, 0.0]]), 0.0)
    >>> float(np.diff(smoothed(law, [Fraction(1)]).relative[::-1, 0])[0].round(9))
    1.0

    Args:
        law: The exact answer's law.
        decays: By axis, the lattice step over the noise's scale b; None for an axis that stays as it is.
    """
    base, relative, roundings = law.base, law.relative, 0.0
    if law.floor is not None:
        # Because noise spreads unresolved mass like any other, it is one more row.
        relative = np.concatenate([relative, law.floor[None]])
    every = [decay for decay in decays if decay is not None]
    if len(every) == len(decays) and _fits(law.box, every):
        base, relative, roundings = _at_once(base, relative, every)
    else:
        for axis, decay in enumerate(decays):
            if decay is not None:
                base, relative, more = _along(axis, base, relative, decay)
                roundings += more
    floor = None
    if law.floor is not None:
        relative, floor = relative[:-1], relative[-1]
    return without_floor(Law(law.start, base, relative, law.error + roundings * UNIT, floor))


def _fits(box: tuple[int, ...], decays: Sequence[Fraction]) -> bool:
    """Says whether the whole box is one block: small, and every value within a double's range of every other."""
    depth = sum(float(decay) * length for decay, length in zip(decays, box, strict=True))
    # The case of most audits of a few hundred people: one matrix product, and no carries.
    return max(box) <= 4 * _WIDEST and depth <= 2 * _DEEPEST


def _at_once(base: Array, relative: Array, decays: Sequence[Fraction]) -> tuple[Array, Array, float]:
    """Smooths all axes of a box that is one block; returns base, relative, and the roundings behind any entry."""
    axes = tuple(range(1, relative.ndim))
    level = float(np.max(base + np.max(relative, axis=0)))
    # Because a secret whose law lies a thousand nats below the others' would underflow on their level.
    own = np.max(relative + (base - level), axis=axes, keepdims=True)
    own = np.where(own > -np.inf, np.rint(own), 0.0)
    inside = np.exp(relative + (base - level) - own)
    for axis, decay in zip(axes, decays, strict=True):
        offsets = np.arange(inside.shape[axis])
        fall = _falls(decay, range(len(offsets)))
        kernel = fall[np.abs(offsets[:, None] - offsets[None, :])]
        inside = np.moveaxis(np.moveaxis(inside, axis, -1) @ kernel, -1, axis)
    with np.errstate(divide="ignore"):
        return np.full(base.shape, level), np.log(inside) + own, sum(base.shape) + 16.0


def _along(axis: int, base: Array, relative: Array, decay: Fraction) -> tuple[Array, Array, float]:
    """Smooths one axis of any length, block by block; returns base, relative, and the roundings behind any entry."""
    moved = np.moveaxis(relative, axis + 1, -1)
    lines = moved.reshape(moved.shape[0], -1, moved.shape[-1])
    ground = np.moveaxis(base, axis, -1).reshape(-1, moved.shape[-1])
    new_ground, new_lines = _lines(ground, lines, decay)
    shape = moved.shape[1:]
    blocks = moved.shape[-1] / _width(decay) + 1
    roundings = _WIDEST + (8.0 if decay * _width(decay) <= 2 * _DEEPEST else 4.0 * float(decay)) * blocks + 16.0
    return (
        np.moveaxis(new_ground.reshape(shape), -1, axis),
        np.moveaxis(new_lines.reshape(moved.shape), -1, axis + 1),
        roundings,
    )


def _width(decay: Fraction) -> int:
    """Returns how many points a block has: DEEPEST nats of the noise's fall, but at most WIDEST."""
    return int(np.clip(_DEEPEST / float(decay), 1, _WIDEST))


@lru_cache(maxsize=256)
def _falls(decay: Fraction, steps: range) -> Array:
    """Returns e^{-k·decay}, each to two roundings. It is cached, because every subject's laws have the same kernel."""
    # Because at k = 10⁶ a rounded decay would shift the answers against each other, this is in fractions.
    exact = [k * decay for k in steps]
    near = [float(exponent) for exponent in exact]
    rest = np.array([float(exponent - Fraction(high)) for exponent, high in zip(exact, near, strict=True)])
    falls: Array = np.exp(-np.array(near)) * (1 - rest)
    falls.setflags(write=False)
    return falls


def _lines(base: Array, relative: Array, decay: Fraction) -> tuple[Array, Array]:
    """Smooths base (lines, length) and relative (secrets, lines, length); returns the same shapes."""
    secrets, lines, length = relative.shape
    width = min(_width(decay), length)
    blocks = -(-length // width)
    padding = blocks * width - length
    # So that all blocks have one length, the last one is filled up with points of mass 0.
    if padding:
        base = np.pad(base, ((0, 0), (0, padding)))
        relative = np.pad(relative, ((0, 0), (0, 0), (0, padding)), constant_values=-np.inf)
    base = base.reshape(lines, blocks, width)
    relative = relative.reshape(secrets, lines, blocks, width)
    level, own = _scales(base, relative, float(decay * width))
    masses = np.exp(relative + (base - level[..., None]) - own[..., None])
    offsets, fall = np.arange(width), _falls(decay, range(width + 1))
    kernel = fall[np.abs(offsets[:, None] - offsets[None, :])]
    inside = (masses.reshape(-1, width) @ kernel).reshape(masses.shape)
    scale = level + own
    to_right, to_left = masses @ fall[width - 1 - offsets], masses @ fall[offsets]
    forward = _carries(to_right, scale, decay, width)
    backward = _carries(to_left[..., ::-1], scale[..., ::-1], decay, width)[..., ::-1]
    inside += forward[..., None] * fall[offsets]
    inside += backward[..., None] * fall[width - 1 - offsets]
    with np.errstate(divide="ignore"):
        logs = (np.log(inside) + own[..., None]).reshape(secrets, lines, -1)[..., :length]
    return np.repeat(level, width, axis=-1)[..., :length], logs


def _scales(base: Array, relative: Array, drop: float) -> tuple[Array, Array]:
    """Returns the scale of each block: level (lines, blocks), and each secret's own.

    The level is shared by the secrets. `own` (secrets, lines, blocks) is a whole number of nats to add for a secret
    so far below the others that it would underflow on their level.
    """
    tops = _levels(np.max(base + relative, axis=-1), drop)
    level = np.max(tops, axis=0)
    level = np.where(np.isfinite(level), level, 0.0)
    own = np.rint(np.where(np.isfinite(tops), tops, 0.0) - level)
    return level, np.where(np.isfinite(tops) & (own < -_NEAR), own, 0.0)


def _levels(tops: Array, drop: float) -> Array:
    """Returns max_j tops[j] - |i - j|·drop: within a few nats of the largest smoothed value of each block i."""
    ramp = drop * np.arange(tops.shape[-1])
    ahead = np.maximum.accumulate(tops + ramp, axis=-1) - ramp
    behind = (np.maximum.accumulate((tops - ramp)[..., ::-1], axis=-1))[..., ::-1] + ramp
    level: Array = np.maximum(ahead, behind)
    return level


def _carries(sums: Array, scale: Array, decay: Fraction, width: int) -> Array:
    """Returns the mass that all blocks before block i bring to its first point, on block i's own scale.

    `sums` has the mass that each block brings to its own last point, on its own scale. Scales of neighbours differ by
    at most one block's fall and the NEAR nats within which a secret keeps the common level, so no product below
    overflows. Only the scale of a zero law, which brings nothing, may differ by more.
    """
    carries = np.zeros_like(sums)
    # The case of one block: nothing comes before it.
    if sums.shape[-1] == 1:
        return carries
    fall, step = float(decay * width), float(decay)
    # Because zero laws may be at any distance: they bring nothing, and the bound keeps the exponential a double.
    change = np.minimum(scale[..., :-1] - scale[..., 1:], fall + _NEAR + 4)
    if fall <= 2 * _DEEPEST:
        # So that rounding the sum of two exponents does not add up over thousands of blocks: separate factors.
        falls = _falls(decay, range(width + 1))
        through, out = falls[width] * np.exp(change), falls[1] * np.exp(change)
    else:
        # The case of noise so narrow that one step is more than DEEPEST nats: a block is one point.
        through, out = np.exp(change - fall), np.exp(change - step)
    added = sums[..., :-1] * out
    # Because for a record of few values and a million people Python's numbers are quicker than arrays of two of them.
    if carries[..., 0].size <= _FEW_LINES:
        lines = zip(*(each.reshape(-1, each.shape[-1]) for each in (carries, through, added)), strict=True)
        for line, factors, terms in lines:
            line[:] = list(accumulate(zip(factors.tolist(), terms.tolist(), strict=True), _next, initial=0.0))
        return carries
    for block in range(1, sums.shape[-1]):
        carries[..., block] = carries[..., block - 1] * through[..., block - 1] + added[..., block - 1]
    return carries


def _next(carry: float, block: tuple[float, float]) -> float:
    """Returns the carry after a block: its factor times the `carry` before, plus its own mass."""
    through, added = block
    return carry * through + added


@final
@dataclass(frozen=True)
class Along:
    """The noise along one axis.

    `decay` is the lattice step over the noise's scale; None where nothing is added. `real` says whether outputs lie
    between lattice points.
    """

    decay: Fraction | None
    real: bool = False

    @property
    def rate(self) -> float:
        """The decay as a double; 0 where nothing is added."""
        return 0.0 if self.decay is None else float(self.decay)

    def weights(self, length: int) -> Array:
        """Returns how much of all outputs each point of an axis of `length` points stands for (length,).

        Between real points a functional that is convex and homogeneous is at most so much.
        """
        if self.decay is None:
            return np.ones(length)
        return _cell_weights(length, self.rate) if self.real else _lattice_weights(length, self.rate)

    def sides(self, length: int, place: Fraction) -> TailWeights:
        """Returns the weights of outputs up to `place`, and from it on, on an axis of `length` points.

        `place` is counted from the box's start, in lattice steps.
        """
        if self.decay is None:
            return of_box(length, round(place))
        if self.real:
            return of_reals(length, self.rate, float(place))
        return of_lattice(length, self.rate, round(place))


def _lattice_weights(length: int, decay: float) -> Array:
    """Returns how much of all outputs of geometric noise each point of an axis stands for."""
    share = tanh(decay / 2)
    weights = np.full(length, share)
    # The case of one exact answer: all outputs leak the same, nothing, and are one.
    if length == 1:
        return np.ones(1)
    weights[[0, -1]] = share / -expm1(-decay)
    return weights


def _cell_weights(length: int, decay: float) -> Array:
    """Returns each point's weight under Laplace noise, for a convex homogeneous functional, from above."""
    weights = np.full(length, tanh(decay / 2))
    weights[0] = weights[-1] = 0.5 + tanh(decay / 2) / 2
    return weights if length > 1 else np.ones(1)


def at_infinity(law: Law, decays: Sequence[Fraction | None], ends: Sequence[tuple[float, float]]) -> Law:
    """Returns log W(y|s), up to a term common to all secrets, for y far below, not read, or far above on each axis.

    A bit under Laplace noise whose scale is its step: far out the log-ratio is 1 or -1, with whichever is added.

    >>> law = Law((0,), np.zeros(2), np.array([[0.0, -inf], [-inf, 0.0]]), error=0.0)
    >>> far = at_infinity(law, [Fraction(1)], [(-inf, inf)])
    >>> far.points.ravel().tolist(), (far.relative[0] - far.relative[1]).round(9).tolist()
    ([-inf, inf], [1.0, -1.0])

    law: of the part's exact answer on its box; decays: each axis's step over the scale of its exponential noise, None
    where a limit rules out all but the outermost answers (Gaussian noise, or none); ends: what the outputs at and
    beyond both ends are called. The limit in which nothing is looked at is left out. Unresolved mass makes the error
    infinite.

    The limit in which no axis is read is left out. Unresolved mass makes the error infinite.

    Args:
        law: The law of the part's exact answer on its box.
        decays: Each axis's step over the scale of its exponential noise; None where a limit rules out all but the
            outermost answers (Gaussian noise, or none).
        ends: The names of the outputs at and beyond both ends of each axis.
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
    """Returns the logs that the three sides add to those of the answers on the last axis (answers,)."""
    length = logs.shape[-1]
    if decay is not None:
        fall = np.array([float(decay * place) for place in range(length)])
        return [-fall, np.zeros(length), -fall[::-1]]
    # Because the ratios of Gaussian noise grow without bound, only the outermost answer is left; so without noise.
    there = np.flatnonzero(np.max(logs.reshape(-1, length), axis=0) > -inf)
    ends = np.full((2, length), -inf)
    ends[0, there[0]] = ends[1, there[-1]] = 0.0
    return [ends[0], np.zeros(length), ends[1]]


def _summed(logs: Array) -> Array:
    """Returns the log of the sum over the last axis, each to a few roundings of the largest term's log."""
    most = np.max(logs, axis=-1, keepdims=True)
    level = np.where(most > -inf, most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(logs - level), axis=-1)) + level[..., 0])


def _deepest(logs: Array) -> float:
    return float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))


@final
@dataclass(frozen=True)
class PartLine(Line):
    """All outputs of a sum if the law of only one part is known.

    Args:
        hull: The noised part's likelihoods, of which those of all outputs are mixtures.
        corners: The likelihoods in the limits of the outputs, where all that is added to the part cancels.
        noised: The likelihoods of `hull`, as the noise itself has them.
    """

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
    """All outputs as one interval that cannot be cut: they are seen in their limits only."""

    def __init__(self, sampled: Law, hull: Law) -> None:
        self.sampled = sampled
        self.hull = hull

    def parts(self) -> Sequence[Piece]:
        return ()
