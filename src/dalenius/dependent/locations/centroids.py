"""What released centroids say of somebody's cell: the likelihood of DDP Eq 6."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.dependent.locations.city import City
from dalenius.dependent.locations.known import Known
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray

SAME: Final = 1e-12
"""Squared distances that differ by less count as equal: the first cluster is joined."""
Recluster: TypeAlias = Callable[[Array], Array]
"""The exact centroids (k, 2q) of points (n, 2q), in the order of the released ones."""


@final
@dataclass(frozen=True, eq=False)
class NoisyCentroids:
    """centroids: as released (k, 2q), in the unit cube's coordinates but for the noise. labels: the cluster of
    everybody (people,), from 0. scale: of the Laplace noise of every coordinate, one number or as many as coordinates,
    in the same unit; infinite where the output says nothing.

    The candidate's centroids μ̂(d̂) are one step of Lloyd's from the clustering at hand: the known others stay in
    their clusters, and d̂ joins the one whose mean of the known others is nearest. A full run might move others too, and
    the adversary does not quite know the labels, which are those with the person's own record; `recluster` runs K-means
    on the known others and d̂ for every candidate instead. A cluster with no known others is taken to be where it was
    released. What the unknown others do to the centroids is not in the likelihood, as in DDP.
    """

    centroids: Array
    labels: IntArray
    scale: Array | float
    recluster: Recluster | None = None

    def check(self, city: City) -> None:
        """InputError where it is not of the city's people."""
        width = city.points.shape[1]
        if self.centroids.ndim != 2 or self.centroids.shape[1] != width or not len(self.centroids):
            raise InputError("centroids", f"of shape {self.centroids.shape}", f"rows of {width} coordinates")
        if not np.all(np.isfinite(self.centroids)):
            raise InputError("centroids", "not all finite", "finite numbers")
        if len(self.centroids) > city.people:
            raise InputError("k", len(self.centroids), f"at most the number of people, {city.people}")
        if self.labels.shape != (city.people,) or self.labels.min() < 0 or self.labels.max() >= len(self.centroids):
            wanted = f"a cluster from 0 to {len(self.centroids) - 1} for each of {city.people} people"
            raise InputError("labels", f"of shape {self.labels.shape}", wanted)
        if not np.all(np.asarray(self.scale) > 0):
            raise InputError("scale", float(np.min(self.scale)), "above 0")

    def log_likelihood(self, city: City, known: Known, people: IntArray) -> Array:
        """-Σ |μ̃ - μ̂(d̂)| / scale (people, cells), but for a constant of each person."""
        if self.recluster is not None:
            return np.stack([self._rerun(city, known, int(person), self.recluster) for person in people])
        sums, sizes, means = self._of_others(city, known, people)
        scale = np.broadcast_to(np.asarray(self.scale, dtype=np.float64), self.centroids.shape)
        apart = (np.abs(self.centroids - means) / scale).sum(axis=2)
        joined = _nearest(city.candidates, means)
        own = np.arange(len(people))[:, None]
        moved = (sums[own, joined] + city.candidates) / (sizes[own, joined] + 1)[..., None]
        after = (np.abs(self.centroids[joined] - moved) / scale[joined]).sum(axis=2)
        return np.asarray(apart[own, joined] - after)

    def _of_others(self, city: City, known: Known, people: IntArray) -> tuple[Array, Array, Array]:
        """Sums (people, k, 2q), sizes (people, k) and means of the known others' clusters."""
        k, width = self.centroids.shape

        def summed(whose: IntArray) -> Array:
            total = np.zeros((k, width + 1))
            np.add.at(total, self.labels[whose], np.column_stack([city.points[whose], np.ones(len(whose))]))
            return total

        own = np.zeros((len(people), k, width + 1))
        own[np.arange(len(people)), self.labels[people], :width] = city.points[people]
        own[np.arange(len(people)), self.labels[people], width] = 1.0
        found = known.totals(summed, own, people)
        sums, sizes = found[..., :width], found[..., width]
        some = sizes[..., None] > 0
        means = np.where(some, sums / np.maximum(sizes, 1.0)[..., None], self.centroids)
        return np.where(some, sums, 0.0), sizes, means

    def _rerun(self, city: City, known: Known, person: int, recluster: Recluster) -> Array:
        everybody = np.arange(city.people)
        others = city.points[known.of_each(np.full(city.people, person), everybody) > 0]
        found = np.empty(city.cells)
        for cell, candidate in enumerate(city.candidates):
            moved = recluster(np.vstack([others, candidate]))
            found[cell] = -np.sum(np.abs(self.centroids - moved) / self.scale)
        return found


def _nearest(points: Array, means: Array) -> IntArray:
    """The first of the nearest means (people, k, 2q) of every point (points, 2q): (people, points)."""
    # Not by BLAS, whose rounding depends on the block: equal runs are to be equal bit for bit.
    squares = np.einsum("ukd,ukd->uk", means, means)
    products = np.einsum("cd,ukd->uck", points, means)
    apart = squares[:, None, :] - 2 * products
    return np.asarray(np.argmax(apart <= apart.min(axis=2, keepdims=True) + SAME, axis=2))
