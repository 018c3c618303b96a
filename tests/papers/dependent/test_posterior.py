"""The attack beside the project's posterior, and how far an entropy may fall at an output (Result 16.2)."""

from math import exp, log, tanh

import numpy as np
import pytest

import dalenius as dl
from papers.dependent.location_beliefs import ByLaw, City, Known, NoisyCentroids, Prior, Within
from papers.dependent.locations import LocationAttack, attack_locations
from papers.dependent.places import Grid
from papers.numbers import Array, IntArray


def fallen(prior: list[float], epsilon: float, word: str) -> tuple[float, float, float]:
    """Of entropy, relative entropy, and the largest log(posterior/prior), after randomised response on the first."""
    share = exp(epsilon) / (1 + exp(epsilon))
    rows = [[share, 1 - share], [1 - share, share]]
    answer = dl.Kernel(answers=[0, 1], outputs=["no", "yes"], probabilities=rows)
    model = dl.Independent(n=1, values=list(range(len(prior))), probabilities=prior)
    found = dl.posterior(dl.Release(model, dl.Count(values=[0]), answer), [word]).laws[0].people[0]
    before, after = [each.prior for each in found.values], [each.posterior.middle for each in found.values]
    relative = sum(q * log(q / p) for p, q in zip(before, after, strict=True))
    entropies = [-sum(p * log(p) for p in law) for law in (before, after)]
    return entropies[0] - entropies[1], relative, found.leaks.upper


@pytest.mark.parametrize(("epsilon", "first"), [(0.1, 0.05), (3.0, 0.9)])
def test_how_far_it_may_fall(epsilon: float, first: float) -> None:
    """Result 16.2 (b): ε + tanh(ε/4) log(max π/min π), and ε where the prior is uniform."""
    prior = [first, *[(1 - first) / 20] * 20]
    for word in ("yes", "no"):
        entropy, relative, most = fallen(prior, epsilon, word)
        assert relative <= most <= epsilon + 1e-9
        assert entropy <= epsilon + tanh(epsilon / 4) * log(max(prior) / min(prior))
        assert fallen([1 / 21] * 21, epsilon, word)[0] <= epsilon


CELLS = 5
GRID = Grid(south=0.0, west=0.0, north=0.1, east=1.0, rows=1, columns=CELLS)
FRIENDS = np.array([(0, 1), (0, 2), (1, 3), (2, 5), (6, 7), (7, 8)])
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


def priors_of(cells: IntArray, prior: Prior) -> Array:
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
