"""Small cities to attack."""

from typing import NamedTuple

import numpy as np

from dalenius.dependent.graphs import Edges, clean_edges
from dalenius.dependent.places import Grid
from papers.dependent.location_beliefs import City, NoisyCentroids

GRID = Grid(south=40.0, west=-74.0, north=40.5, east=-73.5, rows=4, columns=5)


class Town(NamedTuple):
    city: City
    edges: Edges
    released: NoisyCentroids


def town(people: int = 17, q: int = 3, k: int = 3, scale: float = 0.02, seed: int = 5, grid: Grid = GRID) -> Town:
    """Random people around a few spots, friends at random, and clusters with Laplace noise."""
    rng = np.random.default_rng(seed)
    spots = rng.uniform([grid.south, grid.west], [grid.north, grid.east], size=(k, 2))
    labels = np.arange(people) % k
    near = spots[labels][:, None, :] + rng.normal(0, 0.05, size=(people, q, 2))
    places = np.clip(near, [grid.south, grid.west], [grid.north, grid.east])
    city = City(places, grid)
    edges, _ = clean_edges(people, rng.integers(0, people, size=(2 * people, 2)))
    exact = np.stack([city.points[labels == each].mean(axis=0) for each in range(k)])
    return Town(city, edges, NoisyCentroids(exact + rng.laplace(0, scale, exact.shape), labels, scale))
