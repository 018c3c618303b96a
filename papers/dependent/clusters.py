"""K-means by Lloyd's steps: without noise, and from noisy sums and counts, each step a release and its centres nothing
but post-processing (Result 17.1).

Blum et al. 2005 (SuLQ); the shares of sums and counts are those of Su et al. 2016. One nat for five steps in two
columns: each step has .054 for its counts, noise of 37 people, and .073 for each column of sums.

>>> split = Split.of(epsilon=1.0, steps=5, axes=2, moved=2)
>>> [round(float(each), 3) for each in (split.count, split.value, split.count_scale)]
[0.054, 0.073, 37.032]
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Self, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from papers.numbers import Array, IntArray

HALF: Final = 2**15
"""Lattice steps from the middle of the unit cube to each of its sides."""
SPREAD: Final = 0.225
"""How far from the middle a cluster's centre is taken to be on each axis, as a share of the cube's width."""
BLOCK: Final = 2**20
"""Numbers of a block of distances."""
STEPS: Final = 300
"""Without noise, where rounding might let two clusterings take turns."""


@final
@dataclass(frozen=True, eq=False)
class Clusters:
    """centres: (k, d); labels: by row its centre; inertia: the sum of squared distances to them."""

    centres: Array
    labels: IntArray
    inertia: float


def nearest_centre(points: Array, centres: Array) -> IntArray:
    """By row the place of the nearest centre, the first of equally near ones. Exact for whole numbers x, c where
    d(|c|² + 2|x||c|) < 2⁵³: then no sum is rounded, in whatever order it is made."""
    lengths = (centres * centres).sum(axis=1)
    rows = max(1, BLOCK // len(centres))
    found = np.empty(len(points), np.int64)
    for start in range(0, len(points), rows):
        block = points[start : start + rows]
        found[start : start + rows] = np.argmin(lengths - 2 * (block @ centres.T), axis=1)
    return found


def sums_by_cluster(points: Array, labels: IntArray, k: int) -> tuple[Array, IntArray]:
    """By cluster the sum of its rows, and how many they are."""
    sums = np.stack([np.bincount(labels, column, minlength=k) for column in points.T], axis=1)
    return sums.astype(np.float64), np.bincount(labels, minlength=k).astype(np.int64)


def lloyd(points: Array, k: int, start: ArrayLike | None = None, starts: int = 1, seed: int = 0) -> Clusters:
    """K-means: rows to the nearest centre, centres to the mean of their rows, until nothing moves. It adds no noise and
    promises nothing. A centre without rows stays where it is.

    start: (k, d) centres to begin with; else k rows drawn by the seed, `starts` times, of which the run with the least
    inertia is kept.
    """
    if start is not None:
        return _converged(points, np.asarray(start, dtype=np.float64))
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(len(points), k, replace=False) for _ in range(starts)]
    return min((_converged(points, points[places]) for places in drawn), key=lambda found: found.inertia)


def _converged(rows: Array, centres: Array) -> Clusters:
    """Lloyd's steps from these centres until no row changes its cluster, or after STEPS of them."""
    labels = nearest_centre(rows, centres)
    for _ in range(STEPS):
        sums, counts = sums_by_cluster(rows, labels, len(centres))
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        before, labels = labels, nearest_centre(rows, centres)
        if np.array_equal(before, labels):
            break
    return Clusters(centres, labels, float(((rows - centres[labels]) ** 2).sum()))


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
        per_step, ratio = Fraction(epsilon) / steps, Fraction((4 * axes * SPREAD**2) ** (1 / 3))
        count = per_step * ratio / (axes + ratio)
        return cls(steps, moved, count, (per_step - count) / axes)

    @property
    def count_scale(self) -> Fraction:
        """In people."""
        return self.moved / self.count

    @property
    def value_scale(self) -> Fraction:
        """In lattice steps: a coordinate is at most HALF from the middle."""
        return HALF * self.moved / self.value


Noise: TypeAlias = Callable[[Fraction, tuple[int, ...]], Array]
"""From a scale and a shape to noise."""
CAP: Final = 2.0**62 / HALF
"""Noise beyond it says nothing more."""


def noisy_steps(points: Array, start: Array, split: Split, noise: Noise) -> Array:
    """Centres (k, d) of points (n, d) in the unit cube, from `start` (k, d), chosen without the data.

    Every row goes to the nearest centre, compared in whole numbers, so that where it goes depends on itself and on what
    was released before, and on nobody else. A cluster whose noisy count is below 1 keeps its centre.
    """
    places, centres = lattice(points), lattice(start)
    for _ in range(split.steps):
        sums, counts = sums_by_cluster(places, nearest_centre(places, centres), len(centres))
        noisy_counts = np.rint(counts + noise(split.count_scale, counts.shape))
        noisy_sums = np.rint(np.clip(sums + noise(split.value_scale, sums.shape), -CAP, CAP))
        centres = next_centres(noisy_counts.astype(np.int64), noisy_sums, centres)
    return np.asarray((centres / HALF + 1) / 2)


def lattice(points: Array) -> Array:
    """Points as whole numbers from -HALF to HALF, clipped to the unit cube; a function of each number alone."""
    return np.asarray(np.clip(np.rint((2 * np.clip(points, 0.0, 1.0) - 1) * HALF), -HALF, HALF))


def next_centres(counts: IntArray, sums: Array | IntArray, before: Array) -> Array:
    """The quotients of noisy sums and counts, on the lattice and in the box."""
    means = np.rint(sums / np.maximum(counts, 1)[:, None])
    return np.where(counts[:, None] >= 1, np.clip(means, -HALF, HALF), before)
