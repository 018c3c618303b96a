"""The tilts of a long sum that are computed: their means sweep the sums that outputs can make likely."""

from math import ceil, sqrt
from typing import Final

import numpy as np

from dalenius.arrays import Array
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tilted_steps import tilted_steps

_STRIDE: Final = 4.0
"""Tilted standard deviations from one tilt's mean to the next."""
_FARTHEST_APART: Final = 6.0
"""Standard deviations, of the narrower of two tilts, from which on another tilt is put between."""
_ROUNDS: Final = 6
"""Rounds in which tilts are put between others."""
_LEAST_DEVIATION: Final = 0.2
"""Least width of a tilted law, in steps, for one that is nearly a point."""
_FARTHER: Final = (1.0, 1.2, 1.5, 2.0, 2.7, 3.6, 5.0, 7.0, 10.0, 15.0, 25.0, 40.0)
"""Distances that tilts go, in multiples of the distance a normal law would need."""
_FARTHEST: Final = 100.0
"""Largest tilt beyond the noise's rate, in nats for each step."""
_DIGITS: Final = 2.0**28
"""Denominator of tilts, so that their products with sums are exact."""
_WIDEST: Final = 0.5
"""Largest distance between two tilts where noise reads them, in nats for each step."""
_MOST_MORE: Final = 200
"""Most tilts that are added so that none is farther from the next."""
_TOGETHER: Final = 1 << 17
"""Most numbers of all steps at all tilts that are in memory at once."""


def placed_tilts(chain: RepeatingChain, rate: float, depth: float) -> Array | None:
    """Chooses tilts from beyond -rate to beyond rate, STRIDE deviations apart.

    Chernoff's bound of the mass beyond the first and last means is e^-depth next to the mass that noise of that rate
    reads there. None where steps leave the range of numbers.

    >>> half, scores, possible = np.full(2, 0.5), np.array([[0, 1]]), np.ones((100, 2), dtype=np.bool_)
    >>> bits = RepeatingChain(100, half, np.full((1, 2, 2), 0.5), scores, 0, 1, possible)
    >>> placed_tilts(bits, 0.0, 18.0).round(1).tolist()
    [-1.4, -0.7, 0.0, 0.7, 1.4]

    Args:
        chain: The chain and its scores.
        rate: Nats by which the noise's log falls for each step, at most.
        depth: Nats.
    """
    ends = [_end(chain, sign * rate, sign, depth) for sign in (-1, 1)]
    if not np.isfinite(ends).all():
        return None
    grid = np.linspace(ends[0], ends[1], 129)
    deviations = np.maximum(np.sqrt(moments_at(chain, grid)[1]), _LEAST_DEVIATION)
    reached = np.concatenate([[0.0], np.cumsum((deviations[1:] + deviations[:-1]) / 2 * np.diff(grid))])
    if not np.isfinite(reached).all():
        return None
    count = max(3, ceil(reached[-1] / _STRIDE) + 1)
    swept = np.interp(np.linspace(0.0, reached[-1], count), reached, grid)
    # Because means hardly move next to the ends of the range, and sums that cannot occur are told only by tilts for
    # which those beside them are likely.
    wide = max(_WIDEST, 2 * rate / _MOST_MORE)
    more = np.arange(ceil(max(-rate - 2, ends[0]) / wide), min(rate + 2, ends[1]) / wide) * wide if rate else swept
    near = np.min(np.abs(more[:, None] - swept), axis=1) < wide / 2
    return _refined(chain, np.unique(np.rint(np.concatenate([swept, more[~near]]) * _DIGITS) / _DIGITS))


def _refined(chain: RepeatingChain, tilts: Array) -> Array:
    """Adds tilts between those whose means are too far apart.

    A chain that stays where it is goes over from few large records to many within a small part of a nat.
    """
    for _ in range(_ROUNDS):
        means, variances, _ = moments_at(chain, tilts)
        deviations = np.maximum(np.sqrt(np.minimum(variances[1:], variances[:-1])), _LEAST_DEVIATION)
        far = np.diff(means) > np.maximum(_FARTHEST_APART * deviations, 1.0)
        middle = np.rint((tilts[1:] + tilts[:-1])[far] / 2 * _DIGITS) / _DIGITS
        found = np.union1d(tilts, middle)
        if len(found) == len(tilts):
            break
        tilts = found
    return tilts


def _end(chain: RepeatingChain, start: float, sign: int, depth: float) -> float:
    """Returns the first tilt beyond `start` that is far enough, or whose mean is next to the end of all sums."""
    _, (variance,), _ = moments_at(chain, np.array([start]))
    nudges = np.minimum(sqrt(2 * depth / variance) * np.array(_FARTHER), _FARTHEST)
    means, _, logs = moments_at(chain, np.concatenate([[start], start + sign * nudges]))
    gain = sign * nudges * means[1:] - (logs[1:] - logs[0])
    end = chain.most if sign > 0 else 0
    enough = np.flatnonzero((gain >= depth) | (sign * (end - means[1:]) < 0.5))
    return float(start + sign * nudges[enough[0] if len(enough) else -1])


def moments_at(chain: RepeatingChain, tilts: Array) -> tuple[Array, Array, Array]:
    """Estimates mean, variance and log-mass of the sum of `chain` at `tilts` (T,): they place windows only."""
    size = max(1, _TOGETHER // (len(chain.steps) * chain.states**2))
    nudge = 1e-3 / (sqrt(chain.n) * max(1, int(chain.scores.max())))
    found = []
    for start in range(0, len(tilts), size):
        own = tilts[start : start + size]
        logs = tilted_steps(chain, np.concatenate([own - nudge, own, own + nudge])).log_mass.reshape(3, -1)
        mean, variance = (logs[2] - logs[0]) / (2 * nudge), (logs[2] + logs[0] - 2 * logs[1]) / nudge**2
        found.append(np.stack([mean, np.maximum(variance, 1e-12), logs[1]]).astype(np.float64))
    mean, variance, log_mass = np.concatenate(found, axis=1)
    return mean, variance, log_mass
