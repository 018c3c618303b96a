"""Learning with simulated noise: none of it changes nothing, its size is as said, accuracies are as defined."""

from dataclasses import replace

import numpy as np
import pytest

from papers.adult import Profiles
from papers.dependent.figure_9 import EPSILONS, NAMED, Panel, numbers, rows, scored
from papers.dependent.gowalla import scaled, together
from papers.dependent.learning import PARTS, by_affinity, classifying, clustering, counting
from papers.dependent.mechanisms import BASELINE, DPM, GROUP, LPM, Dependence
from papers.dependent.networks import Network
from papers.dependent.pair_law import PairLaw
from papers.dependent.simulated import Classifying, Clustering, Counting, with_constant
from papers.numbers import Array
from tests.papers.dependent.people import made_up_city

DRAWS = np.random.default_rng(0)
POINTS = np.clip(np.repeat([[0.2, 0.2], [0.8, 0.7]], 50, axis=0) + DRAWS.normal(0, 0.03, (100, 2)), 0, 1)
CLUSTERS = Clustering(POINTS[::2], POINTS[1::2], np.array([[0.1, 0.3], [0.9, 0.5]]), 1)
DEPENDENCE = Dependence(100, 4, PairLaw.of_points(np.eye(3)), 0.0, 30.0)


class Ones:
    """Draws of noise that are all 1."""

    def laplace(self, scale: float = 1.0, size: tuple[int, ...] = ()) -> Array:
        return np.full(size, scale)


def test_clusters_without_noise_are_right() -> None:
    assert CLUSTERS.one_shot(1e9, np.random.default_rng(1)) == 1
    assert CLUSTERS.noisy_steps(1e9, np.random.default_rng(1)) == 1
    few = [CLUSTERS.one_shot(1e-6, np.random.default_rng(seed)) for seed in range(60)]
    assert 0.3 < np.mean(few) < 0.7
    some = [CLUSTERS.noisy_steps(0.01, np.random.default_rng(seed)) for seed in range(60)]
    assert np.mean(some) < 0.8


def test_noise_on_centroids_is_of_the_size_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Array] = []

    def near(points: Array, centres: Array) -> Array:
        seen.append(centres)
        return np.zeros(len(points), dtype=np.int64)

    centres, sizes = CLUSTERS.exact
    monkeypatch.setattr("papers.dependent.simulated.nearest", near)
    CLUSTERS.one_shot(0.25, Ones())  # type: ignore[arg-type]
    np.testing.assert_allclose(seen[0], centres + 2 / (0.25 * sizes[:, None]))
    assert sizes.tolist() == [25, 25]


def test_a_classifier() -> None:
    rows = np.vstack([DRAWS.normal([1, 0.2], 0.1, (80, 2)), DRAWS.normal([0.2, 1], 0.1, (80, 2))])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = np.repeat([1, -1], 80)
    made = Classifying((rows[::2], labels[::2]), (rows[1::2], labels[1::2]))
    np.testing.assert_allclose(np.linalg.norm(with_constant(rows), axis=1), 1)
    assert made.accuracy(made.exact) == 1
    assert made.accuracy(-made.exact) == 0
    assert made.perturbed(1e9, np.random.default_rng(0)) == 1
    some = [made.perturbed(1e-6, np.random.default_rng(seed)) for seed in range(40)]
    assert 0.3 < np.mean(some) < 0.7


def test_degrees() -> None:
    query = Counting(np.array([0, 1, 1, 3]), 4)
    assert query.perturbed(1e9, np.random.default_rng(0)) == 1
    # Two on every cell: nearest counts of four people are the exact ones.
    assert query.perturbed(1.0, Ones()) == 1  # type: ignore[arg-type]
    many = Counting(np.repeat(np.arange(10), 20), 30)
    means = [np.mean([many.perturbed(at, np.random.default_rng(seed)) for seed in range(10)]) for at in (0.01, 0.1, 1)]
    assert means[0] < means[1] < means[2] < 1


def test_scores_depend_on_the_noise_alone() -> None:
    panel = Panel("x", "a query", "Fig 9x", lambda epsilon, draws: 1 - 1 / (1 + epsilon), 1.0, DEPENDENCE, (LPM, GROUP))
    found = scored(panel)
    for epsilon in EPSILONS:
        assert found.scores[LPM, epsilon].mean == pytest.approx(1 - 1 / (1 + epsilon))
        assert found.scores[GROUP, epsilon].mean == pytest.approx(1 - 1 / (1 + epsilon / 5))
        assert found.scores[GROUP, epsilon].times == 5
    assert found.guess == pytest.approx(0, abs=1e-6)
    header, *lines = rows([found])
    assert len(lines) == 2 * len(EPSILONS)
    assert {len(line) for line in lines} == {len(header)}


def test_intervals_are_of_the_mean() -> None:
    panel = Panel("x", "q", "Fig 9x", lambda epsilon, draws: float(draws.normal()), 1.0, DEPENDENCE, (LPM,))
    widths = [score.high - score.low for score in scored(panel).scores.values()]
    assert np.mean(widths) == pytest.approx(2 * 1.96 / 40**0.5, rel=0.15)


def test_numbers_stand_beside_the_paper_s() -> None:
    panel = Panel(
        *("x", "q", "Fig 9x", lambda epsilon, draws: epsilon / 2, 0.9, DEPENDENCE, (LPM, DPM, BASELINE)),
        printed=(0.8, 2.0),
        unsound="not sound (E9)",
    )
    found = scored(panel)
    ours = {number.what: number for number in numbers([found])}
    dpm = ours[f"q: accuracy, ε = {NAMED:g}, {DPM.label}"]
    assert dpm.theirs == 0.8
    assert "not sound (E9)" in dpm.why
    ratio = ours[f"q: DPM / baseline, ε = {NAMED:g}"]
    assert ratio.theirs == 2.0
    assert ratio.ours == pytest.approx(100 / found.scores[DPM, NAMED].times)
    assert replace(panel, unsound="").unsound == ""


def test_panels_of_small_data() -> None:
    cities = (made_up_city(30), made_up_city(30, seed=3, name="los_angeles"))
    one_shot, steps = clustering(cities, DEPENDENCE)
    assert (one_shot.printed, steps.printed) == ((0.8, 2.0), (None, None))
    assert 0 <= one_shot.simulate(1.0, np.random.default_rng(0)) <= 1
    assert steps.simulate(1e9, np.random.default_rng(0)) == 1
    assert together(cities).shape == (60, 12)
    begin = scaled(cities, np.repeat(np.array(list(PARTS.values()))[:, None], 6, axis=1))
    assert begin.shape == (8, 12)
    assert begin.min() >= 0
    assert begin.max() <= 1
    rows = np.abs(np.random.default_rng(2).normal(size=(80, 4)))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    svm = classifying(Profiles(rows, np.where(rows[:, 0] > 0.5, 1, -1), ("a", "b", "c", "d")))
    assert svm.exact > 0.6
    with_profiles = Network("ego-Facebook", 4, np.array([[0, 1], [1, 2]]), profiles=np.eye(4, dtype=np.uint8))
    assert counting(with_profiles).simulate(1e9, np.random.default_rng(0)) == 1
    assert counting(replace(with_profiles, profiles=None)).mechanisms == (LPM, BASELINE)


def test_dependence_by_affinity() -> None:
    profiles = (np.random.default_rng(6).random((50, 5)) < 0.5).astype(float)
    norms = np.linalg.norm(profiles, axis=1)
    quotients = profiles @ profiles.T / np.where(norms > 0, norms, 1)[:, None] / np.where(norms > 0, norms, 1)
    np.fill_diagonal(quotients, 0)
    found = by_affinity(profiles)
    assert found.friends == int((quotients > 0.8).sum(axis=1).max())
    assert found.people == 50
