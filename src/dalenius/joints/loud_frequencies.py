"""The frequencies of a long sum's transform that are worth computing, and a bound of the others' share.

The transform of 10^5 tilted records is 0 to every digit at all but some thirty of the thousands of frequencies of its
circle. A bound by powers of one period's steps says at which: |φ| is at most the product of the largest row sums of
|steps multiplied together| (Result 20.40).
"""

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.joints.extended_precision import turned
from dalenius.joints.tilted_steps import ChainTilts, TiltedSteps
from dalenius.joints.tilted_sum import TiltedSum

SILENT: Final = -46.0
"""Log of a frequency's size, beside the rarest value's, below which it is not computed."""
_WRAPPED: Final = -38.0
"""Largest log of the mass that may wrap around the circle, beside the rarest value's."""
_HALF: Final = 9.0
"""Tilted standard deviations that a circle has on either side of the points that are read."""
_LOOKED_AT: Final = 64
"""Number of frequencies at which a period's eigenvalues are computed."""
_NUDGES: Final = np.array([0.5, 1.5, 4.0])
"""Further tilts, in nats for each step, that may bound the mass far out, where the law is nearly a point."""
_LARGEST_NUDGE: Final = 200.0
"""Largest tilt, in nats for each step, that keeps within the range of numbers."""


@final
@dataclass(frozen=True, eq=False)
class LoudFrequencies:
    """The frequencies of a circle that are computed.

    Args:
        points: How many points the circle has.
        places: The frequencies 2π·place/points that are computed, 0 the first.
        missing: A bound of the error of a mass of the tilted law (T,), for the mass that wraps around and for all
            other frequencies.
    """

    points: int
    places: IntArray
    missing: Array

    @classmethod
    def of(cls, points: int, wrapped: Array, bound: Array, loud: NDArray[np.bool_]) -> "LoudFrequencies":
        """Keeps the loud frequencies, and adds the bounds of all others to what wraps around.

        Args:
            points: How many points the circle has.
            wrapped: Log of the mass that wraps around (T,).
            bound: Bounds of the log of the transform's size at each frequency (T, frequencies).
            loud: Which frequencies are computed (frequencies,).
        """
        silent = 2 / points * np.exp(bound[:, ~loud]).sum(axis=1)
        return cls(points, np.flatnonzero(loud), np.exp(np.minimum(wrapped, 0.0)) + silent)

    @property
    def weights(self) -> Array:
        """The count of each frequency in a mass: with its conjugate, or alone."""
        alone = (self.places == 0) | (2 * self.places == self.points)
        return np.where(alone, 1.0, 2.0) / self.points


def loud_frequencies(
    tilted: TiltedSteps, means: Array, variances: Array, core: int, rarity: float, together: int = 1
) -> LoudFrequencies:
    """Finds the frequencies that are worth computing at these tilts.

    Args:
        tilted: The steps of a chain at T tilts.
        means: Means of the tilted sum, in steps (T,).
        variances: Its variances, in steps² (T,).
        core: How far from the means masses are read, in steps.
        rarity: -log of the least probability of any value of a record under the tilts, in nats.
        together: How many records are a secret together.
    """
    points, wrapped = circle(ChainTilts(tilted.chain), tilted.tilts, means, variances, core, rarity)
    bound = _bounds(tilted, points, SILENT - rarity, together)
    loud = np.asarray((bound > SILENT - rarity).any(axis=0))
    loud[0] = True
    return LoudFrequencies.of(points, wrapped, bound, loud)


def memory(tilted: TiltedSteps, variances: Array) -> float:
    """Estimates how much of the past one period keeps, at any tilt and loud frequency, at most 1.

    It serves to choose which records to compute. `tilted` has the steps at T tilts; variances (T,): of the tilted
    sums.
    """
    if tilted.chain.states == 1 or not tilted.chain.repeats:
        return 1.0
    kept = 0.0
    for number, variance in enumerate(variances.tolist()):
        points = int(2 * np.pi * _LOOKED_AT * max(np.sqrt(variance) / (_HALF + 1), 1 / np.pi))
        block = _turned_block(tilted, np.arange(_LOOKED_AT + 1), points, slice(number, number + 1))
        sizes = np.sort(np.abs(np.linalg.eigvals(block)), axis=-1)
        kept = max(kept, float(np.max(sizes[..., -2])))
    return min(kept, 1.0)


def circle(
    total: TiltedSum, tilts: Array, means: Array, variances: Array, core: int, rarity: float
) -> tuple[int, Array]:
    """Chooses how many points the circle has, and bounds the log of the mass that wraps around it (T,).

    Args:
        total: The sum.
        tilts: θ for each step of the sum (T,).
        means: Means of the tilted sum, in steps (T,).
        variances: Its variances, in steps² (T,).
        core: How far from the means masses are read, in steps.
        rarity: -log of the least probability of any value under the tilts, in nats.
    """
    most = total.most
    half = float(np.max(np.sqrt(2 * (_HALF**2 / 2 + rarity) * variances))) + 16
    while (points := int(core + half) + 2) <= most:
        points = _smooth(points)
        # The first further tilt says enough, unless the law is far from a normal one.
        for many in (1, None):
            wrapped = log_outside(total, tilts, means, variances, points - core - 1, many)
            if float(np.max(wrapped)) < _WRAPPED - rarity:
                return points, wrapped
        half *= 1.5
    # Because the whole range fits on the circle, nothing can wrap.
    return _smooth(most + 2), np.full(len(means), -np.inf)


def _smooth(points: int) -> int:
    """Returns the least even number from `points` on whose prime factors are 2, 3 and 5: its transform is quick.

    >>> _smooth(20_001), _smooth(7)
    (20250, 8)
    """
    return min(
        found << max(1, ((points - 1) // found).bit_length())
        for found in (int(3**three * 5**five) for three in range(9) for five in range(6))
    )


def log_outside(
    total: TiltedSum, tilts: Array, means: Array, variances: Array, half: float, most: int | None = None
) -> Array:
    """Bounds the log of the tilted mass that is `half` or farther from the means (T,), by Chernoff.

    Args:
        total: The sum.
        tilts: θ for each step of the sum (T,).
        means: Means of the tilted sum, in steps (T,).
        variances: Its variances, in steps² (T,).
        half: The distance from the means, in steps.
        most: How many further tilts are tried on each side; None for all.
    """
    poisson = np.log1p(half / variances)
    fixed = np.multiply.outer(_NUDGES, np.ones_like(variances))
    nudges = np.stack([_HALF / np.sqrt(variances), half / variances, poisson, poisson / 2, poisson / 4, *fixed])
    nudges = np.minimum(nudges, _LARGEST_NUDGE)[:most]
    logs, error = total.log_masses(np.concatenate([tilts, *(tilts - nudges), *(tilts + nudges)]))
    here, count, sides = logs[: len(tilts)], nudges.size, []
    for sign, there in ((-1, logs[len(tilts) : len(tilts) + count]), (1, logs[len(tilts) + count :])):
        # Because so far out nothing may be left of the law: -inf and an infinite error make no number.
        with np.errstate(invalid="ignore"):
            rise = there.reshape(nudges.shape) - here - nudges * (sign * np.rint(means) + half)
            found = rise.astype(np.float64) + 2 * error
        sides.append(np.min(np.where(np.isfinite(found), found, 0.0), axis=0))
    return np.asarray(np.logaddexp(*np.minimum(sides, 0.0)))


def _bounds(tilted: TiltedSteps, points: int, wanted: float, together: int) -> Array:
    """Bounds log |φ| at the frequencies 0 .. points/2 for any record, or so many, and value (T, frequencies).

    No bound below `wanted` is sought.
    """
    chain, room = tilted.chain, tilted.log_room[:, None]
    found = np.repeat(room, points // 2 + 1, axis=1)
    if not chain.repeats:
        return np.minimum(found, room + _by_pairs(tilted, points))
    open_ = np.arange(points // 2 + 1)
    block = _turned_block(tilted, open_, points)
    length = chain.period
    # Because a secret record in the middle, and each known one, may cut a block in two, and the next begins in phase.
    cuts = together + len(chain.known)
    while (blocks := (chain.n - 1 - cuts * chain.period) // length - 1 - cuts) > 0:
        # Because every entry is off by roundings of the same product at frequency 0, whose rows sum to 1.
        rounded = 4 * length * (chain.states + 16) * UNIT
        sizes = np.minimum(np.abs(block).sum(axis=-1).max(axis=-1) + rounded, 1.0)
        with np.errstate(divide="ignore"):
            found[:, open_] = np.minimum(found[:, open_], room + blocks * np.log(sizes))
        left = (found[:, open_] > wanted).any(axis=0)
        # So that at least some eight blocks are left, doubling ends then.
        if not left.any() or blocks < 16:
            break
        open_, block, length = open_[left], block[:, left], 2 * length
        block = block @ block
    return found


def _turned_block(tilted: TiltedSteps, places: IntArray, points: int, some: slice = slice(None)) -> np.ndarray:
    """Returns one period of steps of some tilts at these frequencies (T, frequencies, k, k), in doubles."""
    chain, found = tilted.chain, None
    for phase, step in enumerate(tilted.steps):
        waves = turned(places[:, None] * chain.scores[(phase + 1) % chain.period], points).astype(np.complex128)
        own = step[some].astype(np.float64)[:, None] * waves[None, :, None, :]
        found = own if found is None else found @ own
    assert found is not None
    return found


def _by_pairs(tilted: TiltedSteps, points: int) -> Array:
    """Bounds log |φ| for steps that never repeat: records at odd places are independent given those at even ones.

    Each adds two scores with weights that fall by Σ c_d (1 - cos ωd) at least, over all neighbours that it may have
    (Result 20.12).
    """
    chain, falls = tilted.chain, dict[int, Array]()
    # Because one record may lie in the pair of the secret, the largest fall of any pair is left out.
    largest = dict[int, Array]()
    for place in range(0, chain.n - 2, 2):
        through = (
            tilted.steps[place].astype(np.float64)[:, :, :, None] * tilted.steps[place + 1].astype(np.float64)[:, None]
        )
        weights = through / np.maximum(through.sum(axis=2, keepdims=True), 1e-300)
        scores = chain.scores[place + 1]
        possible = through.sum(axis=2) > 0
        for one in range(chain.states):
            for other in range(one):
                distance = abs(int(scores[one] - scores[other]))
                if distance:
                    pair = weights[:, :, one] * weights[:, :, other]
                    least = np.min(np.where(possible, pair, 1.0), axis=(1, 2)) * (1 - 1e-9)
                    falls[distance] = falls.get(distance, 0.0) + least
                    largest[distance] = np.maximum(largest.get(distance, 0.0), least)
    found = np.zeros((len(tilted.tilts), points // 2 + 1))
    for distance, fall in falls.items():
        half = np.pi * ((np.arange(points // 2 + 1) * distance) % points) / points
        found -= (fall - largest[distance])[:, None] * 2 * np.sin(half) ** 2 * (1 - 1e-9)
    return found
