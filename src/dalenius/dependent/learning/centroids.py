"""K-means by Lloyd's steps without noise, and noise straight on the centroids it converges to (DDP §IV-B)."""

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from dalenius.dependent.learning.arguments import BadArgument, enough, rows_of, whole
from dalenius.laws.law import Array, IntArray

BLOCK: Final = 2**20
"""Numbers of a block of distances."""


@final
@dataclass(frozen=True)
class Clusters:
    """centres: (k, d); labels: by row its centre; inertia: the sum of squared distances to them."""

    centres: Array
    labels: IntArray
    inertia: float
    steps: int
    converged: bool


def nearest(points: Array, centres: Array) -> IntArray:
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


def squares(points: Array, centres: Array, labels: IntArray) -> float:
    """The sum of squared distances of the rows to their centres."""
    return float(((points - centres[labels]) ** 2).sum())


def lloyd(
    points: Any, k: int, *, start: Any = None, starts: int = 1, seed: int | None = 0, steps: int = 300
) -> Clusters:
    """K-means: rows to the nearest centre, centres to the mean of their rows, until nothing moves. It adds no noise and
    promises nothing. A centre without rows stays where it is.

    start: (k, d) centres to begin with; else k rows drawn by the seed, `starts` times, of which the run with the least
    inertia is kept. InputError for more clusters than rows, and for rows that are not finite numbers.
    """
    rows, count = rows_of(points), whole("k", k)
    enough(count, len(rows), "k")
    whole("steps", steps)
    if start is not None:
        return _converged(rows, centres_of(start, count, rows.shape[1], "start"), steps)
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(len(rows), count, replace=False) for _ in range(whole("starts", starts))]
    return min((_converged(rows, rows[places], steps) for places in drawn), key=lambda found: found.inertia)


def centres_of(given: Any, k: int, axes: int, name: str) -> Array:
    """Centres somebody gives, checked."""
    found = rows_of(given, name)
    if found.shape != (k, axes):
        raise BadArgument(name, f"shape {found.shape}", f"{k} centres of {axes} numbers")
    return found


def _converged(rows: Array, centres: Array, steps: int) -> Clusters:
    labels, converged, done = nearest(rows, centres), False, 0
    while done < steps and not converged:
        sums, counts = sums_by_cluster(rows, labels, len(centres))
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        moved = nearest(rows, centres)
        converged, labels, done = bool((moved == labels).all()), moved, done + 1
    return Clusters(centres, labels, squares(rows, centres, labels), done, converged)
