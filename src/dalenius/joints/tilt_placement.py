"""The tilts of a long sum that are computed: their means sweep the sums that outputs can make likely."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, sqrt
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.joints.tilted_sum import TiltedSum

_STRIDE: Final = 4.0
"""Tilted standard deviations from one tilt's mean to the next."""
_FARTHEST_APART: Final = 6.0
"""Standard deviations, of the narrower of two tilts, from which on another tilt is put between."""
_ROUNDS: Final = 6
"""Rounds in which tilts are put between others."""
_LEAST_DEVIATION: Final = 0.2
"""Least width of a tilted law, in steps, for one that is nearly a point."""
_FARTHER: Final = (1.0, 1.2, 1.5, 2.0, 2.7, 3.6, 5.0, 7.0, 10.0, 15.0, 25.0, 40.0)
"""How far tilts go, in multiples of what a normal law would need."""
_DEEP: Final = 90.0
"""Nats of the law about its mean that may be outside of the window: e^-90 of its mass."""
_NEAR: Final = 45.0
"""Nats as for `_DEEP`, where outputs beyond the window are known by their limits."""
_UNEVEN: Final = 2.0
"""The largest variance of tilts that are computed together, over the smallest."""
_FARTHEST: Final = 100.0
"""Largest tilt beyond the noise's rate, in nats for each step."""
_DIGITS: Final = 2.0**28
"""Denominator of tilts, so that their products with sums are exact."""
_WIDEST: Final = 0.5
"""Largest distance between two tilts where noise reads them, in nats for each step."""
_MOST_MORE: Final = 200
"""Tilts that are added so that none is farther from the next."""


def depth_for(rate: float) -> float:
    """Returns how deep Chernoff's bound of the mass outside a window is to be, in nats.

    Args:
        rate: Nats by which the noise's log falls for each step; 0 for a window about the mean alone.
    """
    return _NEAR if rate else _DEEP


@final
@dataclass(frozen=True, eq=False)
class PlacedTilts:
    """Tilts (T,), with means and variances; edges (T + 1,): the sums from which on each is read."""

    tilts: Array
    means: Array
    variances: Array
    edges: IntArray

    @classmethod
    def of(cls, total: TiltedSum, tilts: Array) -> "PlacedTilts":
        """Places tilts so that each sum is read from the tilt whose mean is nearest.

        Args:
            total: The sum.
            tilts: θ for each step of the sum, in rising order (T,).
        """
        means, variances, _ = total.moments(tilts)
        first, last = max(0, floor(means[0])), min(total.most, ceil(means[-1]))
        between = np.floor((means[1:] + means[:-1]) / 2).astype(np.int64) + 1
        edges = np.maximum.accumulate(np.clip(np.concatenate([[first], between, [last + 1]]), first, last + 1))
        # Next to the ends of all sums several tilts have the same mean: one of them is read.
        used = np.flatnonzero(edges[1:] > edges[:-1])
        return cls(tilts[used], means[used], variances[used], edges[[*used, -1]])

    @property
    def first(self) -> int:
        return int(self.edges[0])

    @property
    def last(self) -> int:
        return int(self.edges[-1]) - 1

    def together(self, most: int) -> Iterator[slice]:
        """Tilts that are computed together, so many at most: they share a circle, which is as long as the widest of
        them needs."""
        start = 0
        for end in range(1, len(self.tilts) + 1):
            wide = self.variances[start : end + 1]
            if end == len(self.tilts) or end - start == most or np.max(wide) > _UNEVEN * np.min(wide):
                yield slice(start, end)
                start = end


def placed_tilts(total: TiltedSum, rate: float, depth: float, stride: float = _STRIDE) -> Array | None:
    """Chooses tilts from beyond -rate to beyond rate, `stride` deviations apart.

    Chernoff's bound of the mass beyond the first and last means is e^-depth next to what noise of that rate reads
    there.

    >>> from dalenius.joints.repeating_chain import RepeatingChain
    >>> from dalenius.joints.tilted_steps import ChainTilts
    >>> half, scores, possible = np.full(2, 0.5), np.array([[0, 1]]), np.ones((100, 2), dtype=np.bool_)
    >>> bits = RepeatingChain(100, half, np.full((1, 2, 2), 0.5), scores, 0, 1, possible)
    >>> placed_tilts(ChainTilts(bits), 0.0, 18.0).round(1).tolist()
    [-1.4, -0.7, 0.0, 0.7, 1.4]

    Args:
        total: The sum.
        rate: Nats by which the noise's log falls for each step, at most.
        depth: The depth of the bound, in nats.
        stride: Tilted standard deviations from one tilt's mean to the next.

    Returns:
        The tilts, in rising order (T,); None where steps leave the range of numbers.
    """
    ends = [_end(total, sign * rate, sign, depth) for sign in (-1, 1)]
    if not np.isfinite(ends).all():
        return None
    swept = _swept(total, ends[0], ends[1], stride)
    if swept is None:
        return None
    # Next to the ends of the range means hardly move, and sums that cannot occur are told only by tilts for which those
    # beside them are likely.
    wide = max(_WIDEST, 2 * rate / _MOST_MORE)
    more = np.arange(ceil(max(-rate - 2, ends[0]) / wide), min(rate + 2, ends[1]) / wide) * wide if rate else swept
    near = np.min(np.abs(more[:, None] - swept), axis=1) < wide / 2
    return _refined(total, np.unique(np.rint(np.concatenate([swept, more[~near]]) * _DIGITS) / _DIGITS))


def tilts_between(total: TiltedSum, low: float, high: float) -> Array | None:
    """Chooses tilts from `low` to `high`, these included, STRIDE deviations apart.

    Args:
        total: The sum.
        low: The least tilt, for each step of the sum.
        high: The largest tilt.

    Returns:
        The tilts, in rising order (T,); None where steps leave the range of numbers.
    """
    swept = _swept(total, low, high, _STRIDE)
    return None if swept is None else np.concatenate([[low], _refined(total, swept)[1:-1], [high]])


def _swept(total: TiltedSum, low: float, high: float, stride: float) -> Array | None:
    """Tilts `stride` deviations apart, the first and the last about these."""
    grid = np.linspace(low, high, total.looked_at)
    deviations = np.maximum(np.sqrt(total.moments(grid)[1]), _LEAST_DEVIATION)
    reached = np.concatenate([[0.0], np.cumsum((deviations[1:] + deviations[:-1]) / 2 * np.diff(grid))])
    if not np.isfinite(reached).all():
        return None
    count = max(3, ceil(reached[-1] / stride) + 1)
    return np.asarray(np.interp(np.linspace(0.0, reached[-1], count), reached, grid))


def _refined(total: TiltedSum, tilts: Array) -> Array:
    """Tilts between those whose means are too far apart: a chain that stays where it is goes over from few large
    records to many within a small part of a nat."""
    for _ in range(_ROUNDS):
        means, variances, _ = total.moments(tilts)
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
    _, (variance,), _ = total.moments(np.array([start]))
    nudges = np.minimum(sqrt(2 * depth / variance) * np.array(_FARTHER), _FARTHEST)
    means, _, logs = total.moments(np.concatenate([[start], start + sign * nudges]))
    gain = sign * nudges * means[1:] - (logs[1:] - logs[0])
    end = total.most if sign > 0 else 0
    enough = np.flatnonzero((gain >= depth) | (sign * (end - means[1:]) < 0.5))
    return float(start + sign * nudges[enough[0] if len(enough) else -1])
