"""Where the law of the records is known an attack finds out what the audit says, and never more."""

from math import log

import numpy as np
import pytest

import dalenius as dl
from dalenius.attacks import ByLaw, City, LocationAttack, NoisyCentroids, Prior, Within, attack_locations
from dalenius.attacks.locations.known import Known
from dalenius.graphs import Edges, Grid, clean_edges
from dalenius.laws.law import Array, IntArray

CELLS = 5
GRID = Grid(south=0.0, west=0.0, north=0.1, east=1.0, rows=1, columns=CELLS)
FRIENDS, _ = clean_edges(9, [(0, 1), (0, 2), (1, 3), (2, 5), (6, 7), (7, 8)])
SCALE = 0.04
"""Of the centroid's noise: with one cluster of nine people, of a side of the grid."""
PRIORS = {
    "independent": Prior(smoothing=0.5),
    "within": Prior(FRIENDS, Within(radius=25.0, gain=4.0), smoothing=0.5),
    "law": Prior(FRIENDS, ByLaw(), smoothing=0.5),
}


def city_of(cells: IntArray) -> City:
    """Everybody is at the centre of a cell."""
    lat, lon = GRID.centres()
    return City(np.stack([lat[cells], lon[cells]], axis=-1)[:, None, :], GRID)


def attacked(cells: IntArray, noise: float, prior: Prior) -> LocationAttack:
    """One cluster: its centroid is the mean of everybody's places."""
    city = city_of(cells)
    mean = city.points.mean(axis=0) + np.array([0.0, noise])
    return attack_locations(city, NoisyCentroids(mean[None], np.zeros(len(cells), dtype=np.int64), SCALE), prior)


def priors_of(cells: IntArray, prior: Prior, edges: Edges = FRIENDS) -> Array:
    city, everybody = city_of(cells), np.arange(len(cells))
    known = Known.of(len(cells), None, 0)
    return np.exp(prior.log_of(prior.counts(city, known, everybody), city, known, everybody))


def release_of(law: Array, others: int) -> dl.Release:
    """What the project makes of it: one person whose cell has that law, and a sum that the others add to."""
    person = dl.Independent(n=1, values=list(range(CELLS)), probabilities=law.tolist())
    return dl.Release(person, dl.Sum(), dl.Laplace(scale=SCALE * others * CELLS))


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_the_posterior_is_the_projects(prior: Prior) -> None:
    rng = np.random.default_rng(3)
    for _ in range(4):
        cells = rng.integers(0, CELLS, size=9)
        noise = float(rng.laplace(0, SCALE))
        found = attacked(cells, noise, prior)
        laws = priors_of(cells, prior)
        for person in (0, 4, 7):
            # In units of cells the noisy sum, less what the others add.
            output = int(cells[person]) + noise * 9 * CELLS
            (block,) = dl.posterior(release_of(laws[person], 9), [f"{output:.15f}"]).laws
            after = [each.posterior.middle for each in block.people[0].values]
            assert found.surprise[person] == pytest.approx(
                log(after[cells[person]] / laws[person][cells[person]]), abs=1e-9
            )
            assert found.guess[person] == int(np.argmax(after))
            lost = sum(q * log(q) for q in after) - sum(p * log(p) for p in laws[person])
            assert found.gained[person] == pytest.approx(lost, abs=1e-9)
            assert found.gained[person] != pytest.approx(lost + 1e-6, abs=1e-9)
