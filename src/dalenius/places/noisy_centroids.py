"""Published centroids of everybody's places with Laplace noise, and what they say of a person's cell (DDP Eq 6)."""

from dataclasses import dataclass
from math import isinf
from typing import Self, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.places.beliefs import City, Known


@final
@dataclass(frozen=True, eq=False)
class NoisyCentroids:
    """Centroids as they were published.

    The candidate's centroids μ̂(d̂) are one step of Lloyd's from the clustering at hand: the known others stay in their
    clusters, and d̂ joins the one whose mean of the known others is nearest. A full run might move others too, and the
    adversary does not quite know the labels, which are those with the person's own record. A cluster with no known
    others is taken to be where it was released. What the unknown others do to the centroids is not in the likelihood,
    as in DDP.

    Attributes:
        centroids: The centroids (k, 2q), in the unit cube's coordinates but for the noise.
        labels: The cluster of everybody (people,), from 0.
        scale: The scale of the Laplace noise of every coordinate, one number or as many as coordinates, in the same
            unit; infinite where the output says nothing.
    """

    centroids: Array
    labels: IntArray
    scale: Array | float

    @classmethod
    def drawn(cls, centres: Array, labels: IntArray, epsilon: float, noise: Array) -> Self:
        """Adds the noise of DDP §IV-B: of scale 2q/(size of the cluster · ε).

        2q/size is the most by which one pattern of a cluster moves its centroid if everybody's cluster is held. It
        promises nothing, as clusters are not held (errata E9).

        Args:
            centres: The exact centroids (k, 2q).
            labels: The cluster of everybody (people,).
            epsilon: ε in nats; 0 where nothing is published.
            noise: Noise of scale 1 (k, 2q).
        """
        if not epsilon or isinf(1 / epsilon):
            return cls(centres, labels, np.full(centres.shape, np.inf))
        sizes = np.maximum(np.bincount(labels, minlength=len(centres)), 1)
        scale = np.broadcast_to(centres.shape[1] / (sizes[:, None] * epsilon), centres.shape)
        return cls(centres + scale * noise, labels, scale)

    def log_likelihood(self, city: City, known: Known, people: IntArray, cells: IntArray) -> Array:
        """Returns -Σ |μ̃ - μ̂(d̂)| / scale (people, cells), but for a constant of each person.

        Args:
            city: Everybody's places, and the grid.
            known: The others whom the adversary knows.
            people: The numbers of the people who are looked for (people,).
            cells: The numbers of the cells that are candidates (cells,).
        """
        sums, sizes, means = self._of_others(city, known, people)
        scale = np.broadcast_to(np.asarray(self.scale, dtype=np.float64), self.centroids.shape)
        distances = (np.abs(self.centroids - means) / scale).sum(axis=2)
        candidates = city.candidates[cells]
        joined = _nearest(candidates, means)
        own = np.arange(len(people))[:, None]
        found, after = distances[own, joined], np.zeros(joined.shape)
        # Coordinate by coordinate, so that 10^5 cells of a person take a megabyte.
        for axis, there in enumerate(self.centroids.T):
            moved = (sums[own, joined, axis] + candidates[:, axis % 2]) / (sizes[own, joined] + 1)
            after += np.abs(there[joined] - moved) / scale[joined, axis]
        return np.asarray(found - after)

    def _of_others(self, city: City, known: Known, people: IntArray) -> tuple[Array, Array, Array]:
        """Returns sums (people, k, 2q), sizes (people, k) and means of the known others' clusters."""
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


def _nearest(points: Array, means: Array) -> IntArray:
    """Returns the first of the nearest means (people, k, 2q) of every candidate (cells, 2): (people, cells).

    A candidate has all its q places at one point, so that only the sums of a mean's latitudes and longitudes matter.
    """
    squares = (means**2).sum(axis=2)
    ups, alongs = means[..., 0::2].sum(axis=2), means[..., 1::2].sum(axis=2)
    least = np.full((len(means), len(points)), np.inf)
    found = np.zeros(least.shape, dtype=np.int64)
    for place in range(means.shape[1]):
        products = points[:, 0] * ups[:, place, None] + points[:, 1] * alongs[:, place, None]
        # Squared distances in the unit cube that differ by less count as equal: the first cluster is joined.
        nearer = squares[:, place, None] - 2 * products
        better = nearer < least - 1e-12
        found[better], least[better] = place, nearer[better]
    return found
