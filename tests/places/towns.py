"""Small cities to attack."""

from typing import NamedTuple

import numpy as np

from dalenius.arrays import IntArray
from dalenius.places.beliefs import City, Known, Prior
from dalenius.places.grid import Grid
from dalenius.places.inference import Inferred, inferred
from dalenius.places.noisy_centroids import NoisyCentroids

GRID = Grid(south=40.0, west=-74.0, north=40.5, east=-73.5, rows=4, columns=5)


class Town(NamedTuple):
    city: City
    friends: IntArray
    released: NoisyCentroids


def town(people: int = 17, q: int = 3, k: int = 3, scale: float = 0.02, seed: int = 5, grid: Grid = GRID) -> Town:
    """Random people around a few spots, friends at random, and clusters with Laplace noise."""
    rng = np.random.default_rng(seed)
    spots = rng.uniform([grid.south, grid.west], [grid.north, grid.east], size=(k, 2))
    labels = np.arange(people) % k
    near = spots[labels][:, None, :] + rng.normal(0, 0.05, size=(people, q, 2))
    places = np.clip(near, [grid.south, grid.west], [grid.north, grid.east])
    city = City(places, grid)
    pairs = np.unique(np.sort(rng.integers(0, people, size=(2 * people, 2)), axis=1), axis=0)
    exact = np.stack([city.points[labels == each].mean(axis=0) for each in range(k)])
    noisy = NoisyCentroids(exact + rng.laplace(0, scale, exact.shape), labels, scale)
    return Town(city, pairs[pairs[:, 0] < pairs[:, 1]], noisy)


def attacked(town: Town, prior: Prior, known: int | None = None, seed: int = 0) -> Inferred:
    """The attack on everybody of the town."""
    return inferred(town.city, town.released, prior, Known.of(town.city.people, known, seed))
