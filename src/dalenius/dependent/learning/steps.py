"""Lloyd's steps from noisy sums and counts: each step a release, its centres nothing but post-processing (Result 17.1).

Blum et al. 2005 (SuLQ); the shares of sums and counts are those of Su et al. 2016.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Self, final

import numpy as np

from dalenius.dependent.learning.box import HALF
from dalenius.dependent.learning.centroids import nearest, sums_by_cluster
from dalenius.laws.law import Array, IntArray
from dalenius.noise.sampling import with_discrete_laplace

SPREAD: Final = 0.225
"""How far from the middle a cluster's centre is taken to be on each axis, as a share of the box's width."""

SPAN: Final = 3 * HALF // 4
CANDIDATES: Final = 16


@final
@dataclass(frozen=True)
class Split:
    """How one ε is spent: each of `steps` steps has count for all counts together, and value for each column of sums.

    moved: how many counts one person changes: 1 where neighbours have a record more, 2 where one has another value.
    Exactly steps·(count + d·value) = ε.
    """

    steps: int
    moved: int
    count: Fraction
    value: Fraction

    @classmethod
    def of(cls, epsilon: float, steps: int, axes: int, moved: int) -> Self:
        """The share of the counts that makes the centres' expected squared error least: the error of a centre of
        coordinates m_j in a cluster of C is that of S_j/C, (Var S_j + m_j² Var C)/C² to first order, so the counts' ε
        is (Σ m_j²)^(1/3) times that of a column, m_j in half-widths. With m_j = 2·SPREAD that is ∛(4dρ²)."""
        whole, ratio = Fraction(epsilon) / steps, Fraction((4 * axes * SPREAD**2) ** (1 / 3))
        count = whole * ratio / (axes + ratio)
        return cls(steps, moved, count, (whole - count) / axes)

    @property
    def count_scale(self) -> Fraction:
        """In people."""
        return self.moved / self.count

    @property
    def value_scale(self) -> Fraction:
        """In lattice steps: a coordinate is at most HALF from the middle."""
        return HALF * self.moved / self.value


@final
@dataclass(frozen=True)
class NoisySteps:
    """All that goes out, by step: noisy counts (steps, k) and sums (steps, k, d), and the centres made of them."""

    counts: IntArray
    sums: IntArray
    centres: Array

    @property
    def last(self) -> Array:
        """(k, d) in lattice steps from the box's middle."""
        return np.asarray(self.centres[-1])


def noisy_lloyd(places: Array, start: Array, split: Split) -> NoisySteps:
    """places: (n, d) whole numbers up to ±HALF; start: (k, d) likewise, chosen without the data.

    Every row goes to the nearest centre, compared in whole numbers, so that where it goes depends on itself and on what
    was released before, and on nobody else. A cluster whose noisy count is below 1 keeps its centre.
    """
    centres, k = np.asarray(start, np.float64), len(start)
    counts, sums, path = [], [], []
    for _ in range(split.steps):
        exact_sums, exact_counts = sums_by_cluster(places, nearest(places, centres), k)
        counts.append(_noised(exact_counts, split.count_scale))
        sums.append(_noised(exact_sums, split.value_scale))
        centres = next_centres(counts[-1], sums[-1], centres)
        path.append(centres)
    return NoisySteps(np.stack(counts), np.stack(sums), np.stack(path))


def next_centres(counts: IntArray, sums: IntArray, before: Array) -> Array:
    """The quotients of noisy sums and counts, on the lattice and in the box."""
    means = np.rint(sums / np.maximum(counts, 1)[:, None])
    return np.where(counts[:, None] >= 1, np.clip(means, -HALF, HALF), before)


def _noised(exact: Array | IntArray, scale: Fraction) -> IntArray:
    values = [int(value) for value in exact.ravel()]
    return np.array(with_discrete_laplace(values, scale), np.int64).reshape(exact.shape)


def spread_start(k: int, axes: int, seed: int | None) -> Array:
    """k places in the middle three quarters of the box, apart from each other, by the seed and without the data: of so
    many drawn uniformly each next is the one farthest from those before."""
    generator = np.random.default_rng(seed)
    found = np.rint(generator.uniform(-SPAN, SPAN, (1, axes)))
    for _ in range(k - 1):
        drawn = np.rint(generator.uniform(-SPAN, SPAN, (CANDIDATES, axes)))
        apart = ((drawn[:, None] - found) ** 2).sum(axis=2).min(axis=1)
        found = np.vstack([found, drawn[np.argmax(apart)]])
    return found
