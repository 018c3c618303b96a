"""Learning with simulated noise: none of it changes nothing, its size is as said, accuracies are as defined."""

import numpy as np

from papers.dependent.learning import by_affinity
from papers.dependent.simulated import Classifying, Clustering, Counting, with_constant
from papers.numbers import Array

DRAWS = np.random.default_rng(0)
POINTS = np.clip(np.repeat([[0.2, 0.2], [0.8, 0.7]], 50, axis=0) + DRAWS.normal(0, 0.03, (100, 2)), 0, 1)
CLUSTERS = Clustering(POINTS[::2], POINTS[1::2], np.array([[0.1, 0.3], [0.9, 0.5]]), 1)


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


def test_dependence_by_affinity() -> None:
    profiles = (np.random.default_rng(6).random((50, 5)) < 0.5).astype(float)
    norms = np.linalg.norm(profiles, axis=1)
    quotients = profiles @ profiles.T / np.where(norms > 0, norms, 1)[:, None] / np.where(norms > 0, norms, 1)
    np.fill_diagonal(quotients, 0)
    found = by_affinity(profiles)
    assert found.friends == int((quotients > 0.8).sum(axis=1).max())
    assert found.people == 50
