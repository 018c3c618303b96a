"""Which tilts of a long sum are looked at: their means sweep the sums that outputs can make likely."""

from math import ceil, sqrt
from typing import Final

import numpy as np

from dalenius.arrays import Array
from dalenius.joints.tilted_sum import TiltedSum

_STRIDE: Final = 4.0
"""Tilted standard deviations from one tilt's mean to the next."""
_FARTHEST_APART: Final = 6.0
"""The same, of the narrower of the two, from which on another tilt is put between."""
_ROUNDS: Final = 6
"""How often tilts are put between others."""
_LEAST_DEVIATION: Final = 0.2
"""Steps: a tilted law that is nearly a point counts as wide as this."""
_FARTHER: Final = (1.0, 1.2, 1.5, 2.0, 2.7, 3.6, 5.0, 7.0, 10.0, 15.0, 25.0, 40.0)
"""How far tilts go, in multiples of what a normal law would need."""
_FARTHEST: Final = 100.0
"""Nats for each step beyond the noise's rate, at most."""
_DIGITS: Final = 2.0**28
"""Tilts are whole parts of it, so that their products with sums are exact."""
_WIDEST: Final = 0.5
"""Nats for each step from one tilt to the next, at most, where noise reads them."""
_MOST_MORE: Final = 200
"""Tilts that are added so that none is farther from the next."""


def placed_tilts(total: TiltedSum, rate: float, depth: float) -> Array | None:
    """Tilts from beyond -rate to beyond rate, STRIDE deviations apart, so that Chernoff's bound of what is beyond the
    first and last means is e^-depth next to what noise of that rate reads there. None where steps leave the range of
    numbers.

    >>> from dalenius.joints.repeating_chain import RepeatingChain
    >>> from dalenius.joints.tilted_steps import ChainTilts
    >>> half, scores, possible = np.full(2, 0.5), np.array([[0, 1]]), np.ones((100, 2), dtype=np.bool_)
    >>> bits = RepeatingChain(100, half, np.full((1, 2, 2), 0.5), scores, 0, 1, possible)
    >>> placed_tilts(ChainTilts(bits), 0.0, 18.0).round(1).tolist()
    [-1.4, -0.7, 0.0, 0.7, 1.4]
    """
    ends = [_end(total, sign * rate, sign, depth) for sign in (-1, 1)]
    if not np.isfinite(ends).all():
        return None
    grid = np.linspace(ends[0], ends[1], 129)
    deviations = np.maximum(np.sqrt(moments_at(total, grid)[1]), _LEAST_DEVIATION)
    reached = np.concatenate([[0.0], np.cumsum((deviations[1:] + deviations[:-1]) / 2 * np.diff(grid))])
    if not np.isfinite(reached).all():
        return None
    count = max(3, ceil(reached[-1] / _STRIDE) + 1)
    swept = np.interp(np.linspace(0.0, reached[-1], count), reached, grid)
    # Next to the ends of the range means hardly move, and sums that cannot occur are told only by tilts for which those
    # beside them are likely.
    wide = max(_WIDEST, 2 * rate / _MOST_MORE)
    more = np.arange(ceil(max(-rate - 2, ends[0]) / wide), min(rate + 2, ends[1]) / wide) * wide if rate else swept
    near = np.min(np.abs(more[:, None] - swept), axis=1) < wide / 2
    return _refined(total, np.unique(np.rint(np.concatenate([swept, more[~near]]) * _DIGITS) / _DIGITS))


def _refined(total: TiltedSum, tilts: Array) -> Array:
    """Tilts between those whose means are too far apart: a chain that stays where it is goes over from few large
    records to many within a small part of a nat."""
    for _ in range(_ROUNDS):
        means, variances, _ = moments_at(total, tilts)
        deviations = np.maximum(np.sqrt(np.minimum(variances[1:], variances[:-1])), _LEAST_DEVIATION)
        far = np.diff(means) > np.maximum(_FARTHEST_APART * deviations, 1.0)
        middle = np.rint((tilts[1:] + tilts[:-1])[far] / 2 * _DIGITS) / _DIGITS
        found = np.union1d(tilts, middle)
        if len(found) == len(tilts):
            break
        tilts = found
    return tilts


def _end(total: TiltedSum, start: float, sign: int, depth: float) -> float:
    """The first tilt beyond `start` that is far enough, or whose mean is next to the end of all sums."""
    _, (variance,), _ = moments_at(total, np.array([start]))
    nudges = np.minimum(sqrt(2 * depth / variance) * np.array(_FARTHER), _FARTHEST)
    means, _, logs = moments_at(total, np.concatenate([[start], start + sign * nudges]))
    gain = sign * nudges * means[1:] - (logs[1:] - logs[0])
    end = total.most if sign > 0 else 0
    enough = np.flatnonzero((gain >= depth) | (sign * (end - means[1:]) < 0.5))
    return float(start + sign * nudges[enough[0] if len(enough) else -1])


def moments_at(total: TiltedSum, tilts: Array) -> tuple[Array, Array, Array]:
    """Mean, variance and log-mass of the tilted sum (T,), about: they place windows, and bound nothing."""
    nudge, found = total.nudge, []
    for start in range(0, len(tilts), total.together):
        own = tilts[start : start + total.together]
        logs = total.log_masses(np.concatenate([own - nudge, own, own + nudge]))[0].reshape(3, -1)
        mean, variance = (logs[2] - logs[0]) / (2 * nudge), (logs[2] + logs[0] - 2 * logs[1]) / nudge**2
        found.append(np.stack([mean, np.maximum(variance, 1e-12), logs[1]]).astype(np.float64))
    mean, variance, log_mass = np.concatenate(found, axis=1)
    return mean, variance, log_mass
