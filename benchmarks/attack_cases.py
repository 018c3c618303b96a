"""Attacks on people around a few spots of a square, of whom friends live near each other."""

from time import perf_counter

import numpy as np

from dalenius.places.beliefs import ByLaw, City, Known, Prior
from dalenius.places.grid import Grid
from dalenius.places.inference import inferred
from dalenius.places.noisy_centroids import NoisyCentroids
from papers.dependent.clusters import lloyd
from papers.numbers import IntArray

PLACES, CLUSTERS, FRIENDS = 6, 8, 10


def attacked(people: int, cells: int, known: int | None) -> tuple[float, float, float]:
    """The time of the attack alone, what the output tells on average in nats, and the share of cells guessed."""
    city, friends = towns(people, cells)
    clusters = lloyd(city.points, CLUSTERS, seed=1)
    noisy = clusters.centres + np.random.default_rng(2).laplace(0.0, 0.002, clusters.centres.shape)
    start = perf_counter()
    whom = Known.of(people, known, seed=3)
    found = inferred(city, NoisyCentroids(noisy, clusters.labels, 0.002), Prior(friends, ByLaw()), whom)
    return perf_counter() - start, float(np.mean(found.gained)), found.success


def towns(people: int, cells: int) -> tuple[City, IntArray]:
    """Everybody's places around a spot, and FRIENDS friendships a person, mostly among people of one spot."""
    grid, random = Grid(40.0, -74.0, 40.5, -73.5, cells, cells), np.random.default_rng(0)
    spots = random.uniform([40.1, -73.9], [40.4, -73.6], size=(people // 50, 2))
    own = np.sort(random.integers(0, len(spots), people))
    near = spots[own][:, None, :] + random.normal(0.0, 0.02, size=(people, PLACES, 2))
    places = np.clip(near, [grid.south, grid.west], [grid.north, grid.east])
    first = random.integers(0, people, FRIENDS * people)
    second = np.clip(first + random.integers(-30, 31, len(first)), 0, people - 1)
    pairs = np.unique(np.sort(np.column_stack([first, second]), axis=1), axis=0)
    return City(places, grid), pairs[pairs[:, 0] < pairs[:, 1]]
