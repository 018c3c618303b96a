"""Weights on a line that fade with distance as e^{-d/b}: what Laplace and geometric noise make of point masses.

Σ_j w_j e^{-|a_k - a_j|/b} for all k at once, by blocks, and blocks of blocks: every weight passes at most BLOCK
products per level, all terms are positive, and nothing overflows. Where b is wide next to the points these sums are
nearly the total, and what says something is how much was lost on the way, Σ_j w_j (1 - e^{-|a_k - a_j|/b}): summed by
itself, it keeps its digits.
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
    in the same unit; 0 where nothing arrives anywhere else."""

    offsets: Array
    scale: float

    @abc.abstractmethod
    def at(self, weight: Array, distance: Array) -> Array:
        """What counts of a weight so far away."""

    @abc.abstractmethod
    def carried(self, sums: Array, weights: Array, distance: Array) -> Array:
        """What counts of several weights, of which `sums` counts somewhere, so much further on."""

    @property
    def span(self) -> float:
        """The widest distance in units of b."""
        width = float(self.offsets[-1] - self.offsets[0])
        if width == 0:
            return 0.0
        return width / self.scale if self.scale > 0 else inf

    @property
    def error(self) -> float:
        """The relative error of what arrives anywhere, and of the largest that is lost."""
        levels = 1 + log(len(self.offsets)) / log(BLOCK)
        deep = self.span if self.scale > 0 else 0.0
        return (8 * BLOCK * levels + (256 + 32 * deep) * blur(self.offsets)) * UNIT

    def up_to(self, weights: Array) -> Array:
        """(m,) what counts at each point of the weights (m,) there and before it."""
        own = self.at(weights, np.zeros(len(weights)))
        return self._scanned(own, weights, self.offsets)[0]

    def before(self, weights: Array) -> Array:
        """(m,) what counts at each point of the weights before it only."""
        found = np.zeros(len(weights))
        own = self.at(weights, np.zeros(len(weights)))
        sums, masses = self._scanned(own, weights, self.offsets)
        found[1:] = self.carried(sums[:-1], masses[:-1], np.diff(self.offsets))
        return found

    def elsewhere(self, weights: Array) -> Array:
        """(m,) what counts at each point of the weights at all others."""
        return self.before(weights) + self.turned().before(weights[::-1])[::-1]

    def turned(self) -> "Fading":
        """The same line from the other end."""
        return type(self)(-self.offsets[::-1], self.scale)

    def _scanned(self, sums: Array, masses: Array, places: Array) -> tuple[Array, Array]:
        """Sums and masses at each place of all up to it: along all blocks at once, and along the blocks' ends."""
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
        return np.asarray(np.exp(distance / -self.scale))


@final
class Arriving(Fading):
    """What arrives: e^{-d/b} of each weight."""

    def at(self, weight: Array, distance: Array) -> Array:
        return weight * self._kept(distance)

    def carried(self, sums: Array, weights: Array, distance: Array) -> Array:
        return sums * self._kept(distance)


@final
class Lost(Fading):
    """What is lost on the way: 1 - e^{-d/b} of each weight. scale above 0."""

    def at(self, weight: Array, distance: Array) -> Array:
        return np.asarray(-weight * np.expm1(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, distance: Array) -> Array:
        return sums * self._kept(distance) + self.at(weights, distance)


def blur(offsets: Array) -> float:
    """How many roundings of their width the points are off by: 1, or more where all lie on one side, far from 0."""
    width = float(offsets[-1] - offsets[0])
    return max(1.0, float(np.max(np.abs(offsets))) / width) if width > 0 else 1.0


def _in_blocks(numbers: Array, blocks: int) -> Array:
    """(BLOCK, blocks): column after column, the last filled up with copies of the last number."""
    if blocks == 1:
        return numbers[:, None].copy()
    padded = np.full(blocks * BLOCK, numbers[-1])
    padded[: len(numbers)] = numbers
    return padded.reshape(blocks, BLOCK).T.copy()
