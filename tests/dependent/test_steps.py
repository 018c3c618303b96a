"""Noisy Lloyd's steps: one person's part in every step is bounded, and the whole release keeps ε (Result 17.1).

How far an entropy may fall at an output (Result 16.2), and the attack beside the project's posterior.
"""

from fractions import Fraction
from itertools import product
from math import exp, log, sinh, tanh

import numpy as np
import pytest

import dalenius as dl
from dalenius.dependent.arguments import HALF
from dalenius.dependent.graphs import Edges, clean_edges
from dalenius.dependent.learning import Split, noisy_lloyd
from dalenius.dependent.places import Grid
from dalenius.dependent.solvers import nearest_centre, next_centres, sums_by_cluster
from dalenius.laws.law import Array, IntArray
from papers.dependent.location_beliefs import ByLaw, City, Known, NoisyCentroids, Prior, Within
from papers.dependent.locations import LocationAttack, attack_locations
from tests.reference import lloyd as reference

MOVED = {"replace": 2, "add_remove": 1}


def changes(rng: np.random.Generator, corner: bool, replace: bool) -> tuple[Array, Array, Array]:
    """Two neighbouring data sets and centres."""
    n, d, k = int(rng.integers(2, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    draw = (
        (lambda *shape: rng.choice([-HALF, HALF], shape))
        if corner
        else (lambda *shape: rng.integers(-HALF, HALF + 1, shape))
    )
    rows, centres = draw(n, d).astype(float), draw(k, d).astype(float)
    other = rows.copy()
    if replace:
        other[-1] = draw(d)
    return rows, other if replace else rows[:-1], centres


@pytest.mark.parametrize(("neighbours", "corner"), [("replace", True), ("add_remove", True), ("replace", False)])
def test_no_step_changes_by_more_than_its_sensitivity(neighbours: str, corner: bool) -> None:
    rng, most = np.random.default_rng(1), MOVED[neighbours]
    widest_counts, widest_sums = 0.0, 0.0
    for _ in range(2000):
        rows, other, centres = changes(rng, corner, neighbours == "replace")
        found = [sums_by_cluster(each, nearest_centre(each, centres), len(centres)) for each in (rows, other)]
        counts = np.abs(found[0][1] - found[1][1]).sum()
        sums = np.abs(found[0][0] - found[1][0]).sum(axis=0).max()
        assert counts <= most
        assert sums <= most * HALF
        widest_counts, widest_sums = max(widest_counts, counts), max(widest_sums, sums)
    assert widest_counts == most
    if corner:
        assert widest_sums == most * HALF  # half of it would be false


def test_the_shares_are_all_of_epsilon() -> None:
    epsilon, steps, axes, moved = 0.1, 3, 12, 1
    split = Split.of(epsilon, steps, axes, moved)
    assert steps * (split.count + axes * split.value) == Fraction(epsilon)
    assert split.moved / split.count_scale + axes * split.moved * HALF / split.value_scale == Fraction(epsilon) / steps


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", MOVED)
def test_all_outputs_of_two_steps_keep_epsilon(neighbours: str) -> None:
    """Every output of two steps on a line of three places, every pair of neighbours of two people."""
    half, steps, moved = 1, 2, MOVED[neighbours]
    split = Split.of(1.0, steps, 1, moved)
    scales = split.count_scale, half * moved / split.value
    everybody = list(product(((-1,), (0,), (1,)), repeat=2))
    if neighbours == "replace":
        pairs = [(one, other) for one in everybody for other in everybody if one[0] == other[0] and one != other]
    else:
        pairs = [(one, one[:1]) for one in everybody] + [(one[:1], one) for one in everybody]
    window = range(3), range(-2, 3)  # beyond what two people can have nothing more is lost, and no centre is new
    start = ((-1,), (1,))
    worst = max(reference.worst_loss(one, other, start, half, scales, window, steps) for one, other in pairs)
    assert worst <= 1
    assert worst > Fraction(99, 100)  # a promise of less would be false


def test_steps_are_what_the_definition_says() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        k, d = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        span = int(rng.choice([2, HALF]))  # of small whole numbers many are equally near
        rows, centres = rng.integers(-span, span + 1, (6, d)), rng.integers(-span, span + 1, (k, d))
        places, before = (tuple(tuple(map(int, row)) for row in each) for each in (rows, centres))
        sums, counts = sums_by_cluster(rows.astype(float), nearest_centre(rows.astype(float), centres.astype(float)), k)
        assert reference.step(places, before) == (tuple(counts), tuple(map(tuple, sums)))
        noisy = rng.integers(-3, 6, k), rng.integers(-3 * HALF, 3 * HALF, (k, d))
        output = tuple(map(int, noisy[0])), tuple(tuple(map(int, row)) for row in noisy[1])
        after = reference.moved(output, before, HALF)
        assert np.array_equal(next_centres(*noisy, centres.astype(float)), after)


def test_the_noise_has_its_scale() -> None:
    split = Split.of(0.5, 4, 1, 2)
    released = noisy_lloyd(np.zeros((1, 1)), np.zeros((3000, 1)), split)
    moves = {"counts": (released.counts, split.count_scale), "sums": (released.sums, split.value_scale)}
    for found, scale in moves.values():
        assert accepts(found, float(scale))
        assert not accepts(found, 1.1 * float(scale))
        assert not accepts(found, float(scale) / 1.1)


def accepts(found: Array | IntArray, scale: float) -> bool:
    """Whether the mean of |noise| is what discrete Laplace noise has, to five standard deviations; the one row's own
    part, 1 of 3000 counts and nothing of sums, is far below."""
    mean = 1 / sinh(1 / scale)
    return bool(abs(np.abs(found).mean() - mean) < 5 * scale / np.sqrt(found.size))


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
