"""Exponential-kernel sums and their complements: what Laplace and geometric noise make of point masses.

Σ_j w_j e^{-|a_k - a_j|/b} for all k at once, by blocks, and blocks of blocks: every weight passes at most BLOCK
products per level, all terms are positive, and nothing overflows. Where b is large relative to the span of the
points these sums are nearly the total; their complement Σ_j w_j (1 - e^{-|a_k - a_j|/b}) is then summed directly, so
that it keeps its digits.
"""

import abc
from dataclasses import dataclass
from math import inf, log
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array

BLOCK: Final = 16


@dataclass(frozen=True)
class Fading(abc.ABC):
    """offsets (m,): the points, ascending and distinct, each to a few roundings of the one furthest from 0; scale: b,
    in the same unit; 0 for the kernel that is 1 at distance 0 and 0 elsewhere."""

    offsets: Array
    scale: float

    @abc.abstractmethod
    def at(self, weight: Array, distance: Array) -> Array:
        """The kernel at this distance, times the weight."""

    @abc.abstractmethod
    def carried(self, sums: Array, weights: Array, distance: Array) -> Array:
        """The kernel sum at `distance` beyond a point, of weights of total `weights`, and kernel sum `sums` there."""

    @property
    def span(self) -> float:
        """The widest distance in units of b."""
        width = float(self.offsets[-1] - self.offsets[0])
        if width == 0:
            return 0.0
        return width / self.scale if self.scale > 0 else inf

    @property
    def error(self) -> float:
        """The relative error of every sum of `Arriving`, and of the largest one of `Lost`."""
        levels = 1 + log(len(self.offsets)) / log(BLOCK)
        deep = self.span if self.scale > 0 else 0.0
        return (8 * BLOCK * levels + (256 + 32 * deep) * blur(self.offsets)) * UNIT

    def up_to(self, weights: Array) -> Array:
        """(m,) the kernel sum at each point of the weights (m,) at it and before it."""
        own = self.at(weights, np.zeros(len(weights)))
        return self._scanned(own, weights, self.offsets)[0]

    def before(self, weights: Array) -> Array:
        """(m,) the kernel sum at each point of the weights before it only."""
        found = np.zeros(len(weights))
        own = self.at(weights, np.zeros(len(weights)))
        sums, masses = self._scanned(own, weights, self.offsets)
        found[1:] = self.carried(sums[:-1], masses[:-1], np.diff(self.offsets))
        return found

    def elsewhere(self, weights: Array) -> Array:
        """(m,) the kernel sum at each point of the weights at all other points."""
        return self.before(weights) + self.turned().before(weights[::-1])[::-1]

    def turned(self) -> "Fading":
        """The points mirrored, in ascending order again."""
        return type(self)(-self.offsets[::-1], self.scale)

    def _scanned(self, sums: Array, masses: Array, places: Array) -> tuple[Array, Array]:
        """Kernel sums and total masses up to each place: along all blocks at once, then along the blocks' ends."""
        count = len(sums)
        blocks = -(-count // BLOCK)
        found, heavy, where = (_in_blocks(each, blocks) for each in (sums, masses, places))
        for row in range(1, BLOCK if blocks > 1 else count):
            found[row] += self.carried(found[row - 1], heavy[row - 1], where[row] - where[row - 1])
            heavy[row] += heavy[row - 1]
        if blocks > 1:
            inner, through = self._scanned(found[-1], heavy[-1], where[-1])
            for row in range(BLOCK):  # one at a time stays in a processor's cache
                found[row, 1:] += self.carried(inner[:-1], through[:-1], where[row, 1:] - where[-1, :-1])
                heavy[row, 1:] += through[:-1]
        return found.T.ravel()[:count], heavy.T.ravel()[:count]

    def _kept(self, distance: Array) -> Array:
        if self.scale == 0:
            return np.asarray(distance == 0, dtype=np.float64)
        with np.errstate(over="ignore"):  # of a scale next to 0: nothing is kept, of a distance of 0 all
            return np.asarray(np.exp(distance / -self.scale))


@final
class Arriving(Fading):
    """Kernel e^{-d/b}."""

    def at(self, weight: Array, distance: Array) -> Array:
        return weight * self._kept(distance)

    def carried(self, sums: Array, weights: Array, distance: Array) -> Array:
        return sums * self._kept(distance)


@final
class Lost(Fading):
    """Kernel 1 - e^{-d/b}, the complement. scale above 0."""

    def at(self, weight: Array, distance: Array) -> Array:
        return np.asarray(-weight * np.expm1(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, distance: Array) -> Array:
        return sums * self._kept(distance) + self.at(weights, distance)


def blur(offsets: Array) -> float:
    """The points' error in roundings of their width: 1, or more where all lie on one side, far from 0."""
    width = float(offsets[-1] - offsets[0])
    return max(1.0, float(np.max(np.abs(offsets))) / width) if width > 0 else 1.0


def _in_blocks(numbers: Array, blocks: int) -> Array:
    """(BLOCK, blocks): column after column, the last filled up with copies of the last number."""
    if blocks == 1:
        return numbers[:, None].copy()
    padded = np.full(blocks * BLOCK, numbers[-1])
    padded[: len(numbers)] = numbers
    return padded.reshape(blocks, BLOCK).T.copy()


@final
@dataclass(frozen=True)
class _ClassExtremes:
    """raised, lowered (m,): the suprema over all outputs of ln(posterior/prior) and of ln(prior/posterior), in nats;
    error: |computed - true| of each."""

    raised: Array
    lowered: Array
    error: float


def class_extremes(offsets: Array, masses: Array, scale: float, doubt: float = 0.0) -> _ClassExtremes:
    """Both suprema for every class, under Laplace noise, or geometric noise on a lattice that holds the answers; O(m).

    offsets (m,): the classes' answers, ascending; masses (m,): the probability of each class, above 0, up to a common
    factor and a relative error of `doubt`.

    posterior_k/prior_k = 1/Σ_j w_j e^{(|y-a_k|-|y-a_j|)/scale}. |y-a_k| - |y-a_j| >= -|a_k-a_j|, with equality for
    all j at y = a_k: there k is raised most. To the right of a_k each term grows with y and to its left it falls: k is
    lowered most at an end, and beyond the ends nothing changes.
    """
    total = float(masses.sum())
    span = float(offsets[-1] - offsets[0]) / scale
    if span <= 1:  # the sums are nearly the total: their complements keep their digits
        fading = Lost(offsets, scale)
        logs = np.log1p(-fading.elsewhere(masses) / total)
        error = 3 * span * (fading.error + 2 * doubt + 16 * UNIT)
    else:
        near = Arriving(offsets, scale)
        logs = np.log((masses + near.elsewhere(masses)) / total)
        error = near.error + 2 * doubt + (16 + 8 * span + float(np.abs(logs).max())) * UNIT
    left, right = (offsets - offsets[0]) / scale, (offsets[-1] - offsets) / scale
    return _ClassExtremes(-logs, np.maximum(right + logs[-1], left + logs[0]), error)
