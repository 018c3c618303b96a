"""K-means by Lloyd's steps without noise, as the paper has it: it promises nothing. Noisy steps are the package's."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import ArrayLike

from dalenius.dependent.noisy_lloyd_steps import nearest, sums_and_counts
from papers.numbers import Array, IntArray

STEPS: Final = 300
"""Without noise, where rounding might let two clusterings take turns."""


@final
@dataclass(frozen=True, eq=False)
class Clusters:
    """centres: (k, d); labels: by row its centre; inertia: the sum of squared distances to them."""

    centres: Array
    labels: IntArray
    inertia: float


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
    labels = nearest(rows, centres)
    for _ in range(STEPS):
        sums, counts = sums_and_counts(rows, centres)
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        before, labels = labels, nearest(rows, centres)
        if np.array_equal(before, labels):
            break
    return Clusters(centres, labels, float(((rows - centres[labels]) ** 2).sum()))
