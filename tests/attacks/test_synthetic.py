"""Where the law of the records is known an attack finds out what the audit says, and never more."""

from itertools import product
from math import exp, log

import numpy as np
import pytest

import dalenius as dl
from dalenius.attacks import ByLaw, City, LocationAttack, NoisyCentroids, Prior, Within, attack_locations, bayes_attacks
from dalenius.attacks.locations.known import Known
from dalenius.graphs import Edges, Grid, clean_edges
from dalenius.laws.law import Array, IntArray
from dalenius.notions import BayesianPrivacy, InformationPrivacy, MutualInformationPrivacy

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


@pytest.mark.slow
def test_never_more_than_the_audit_says() -> None:
    """Over cells drawn from the adversary's own prior: then it is the true one."""
    prior = PRIORS["law"]
    rng = np.random.default_rng(8)
    cells = rng.integers(0, CELLS, size=9)
    laws = priors_of(cells, prior)
    release = release_of(laws[0], 9)
    information, mutual = (each.leakage(release) for each in (InformationPrivacy(), MutualInformationPrivacy()))
    surprises, gains = [], []
    for _ in range(600):
        cells[0] = rng.choice(CELLS, p=laws[0])
        found = attacked(cells, float(rng.laplace(0, SCALE)), prior)
        surprises.append(found.surprise[0])
        gains.append(found.gained[0])
    assert max(surprises) <= information.upper + 1e-9
    assert max(surprises) > 0.9 * information.lower  # nearly attained: a bound a tenth lower would be broken
    for drawn in (surprises, gains):  # each has I(S; Y) as its mean
        off = float(np.std(drawn)) / len(drawn) ** 0.5
        assert abs(float(np.mean(drawn)) - mutual.epsilon) < 4 * off
        assert not abs(float(np.mean(drawn)) - 2.5 * mutual.epsilon) < 4 * off
    assert mutual.upper <= information.upper <= 1 / (SCALE * 9 * CELLS) * (CELLS - 1)


def chain_of_cells(rng: np.random.Generator) -> dl.Table:
    """Four people, each in one of three cells, near the one before."""
    step = rng.dirichlet(np.ones(3) / 2, size=3)
    first = rng.dirichlet(np.ones(3))
    records = list(product(range(3), repeat=4))
    law = [first[a] * step[a, b] * step[b, c] * step[c, d] for a, b, c, d in records]
    return dl.Table(records=records, probabilities=(np.array(law) / sum(law)).tolist())


@pytest.mark.parametrize("seed", [1, 4])
def test_networks_of_cells(seed: int) -> None:
    """A linear query of cell-valued records, to somebody who knows nobody, and who knows one neighbour."""
    rng = np.random.default_rng(seed)
    model, noise = chain_of_cells(rng), dl.Laplace(scale=float(rng.uniform(1, 4)))
    nobody: dict[str, int] = {}
    for known in (nobody, {"2": int(rng.integers(3))}):
        release = dl.Release(model, dl.Sum(), noise, adversary=dl.Adversary(known=known))
        bounds = {kind: kind().leakage(release) for kind in (InformationPrivacy, MutualInformationPrivacy)}
        everybody = BayesianPrivacy().leakage(dl.Release(model, dl.Sum(), noise))
        for each in bayes_attacks(release):
            assert each.leaked is not None
            assert each.odds is not None
            assert each.raised is not None
            assert each.success is not None
            assert each.prior_success is not None
            assert 0 <= each.leaked.lower <= bounds[MutualInformationPrivacy].upper + 1e-12
            assert each.leaked.lower <= each.raised.reached.upper <= bounds[InformationPrivacy].upper + 1e-9
            assert each.raised.reached.lower <= each.odds.reached.upper <= everybody.upper + 1e-9
            assert each.success.lower <= each.prior_success * exp(each.raised.bound.upper) + 1e-12
            lie = each.odds.bound.lower - 1e-6
            assert each.odds.reached.lower > lie  # an audit that said so little would be refuted
