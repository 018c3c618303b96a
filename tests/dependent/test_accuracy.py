"""What is learned is good enough where there are people enough, and better with more epsilon."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans as PlainKMeans
from sklearn.datasets import load_breast_cancer, load_digits

import dalenius as dl
from dalenius.arrays import Array
from papers.adult import profiles

DATA = Path(os.environ.get("DALENIUS_DATA", "nowhere"))
RUNS = 12


def mean(fit: Callable[[float], Any], epsilon: float) -> float:
    return float(np.mean([fit(epsilon) for _ in range(RUNS)]))


def halves(points: Array, labels: Any) -> tuple[tuple[Array, Any], tuple[Array, Any]]:
    order = np.random.default_rng(0).permutation(len(points))
    cut = len(points) * 4 // 5
    return (points[order[:cut]], labels[order[:cut]]), (points[order[cut:]], labels[order[cut:]])


@pytest.mark.parametrize("kind", [dl.LogisticRegression, dl.LinearSVC])
def test_a_classifier_of_few_patients_is_as_good_as_epsilon_allows(kind: Any) -> None:
    """569 women are few: at 0.1 nats next to nothing is learned, at 100 the tumours are told apart."""
    rows, labels = load_breast_cancer(return_X_y=True)
    columns = rows[:, [20, 27]]  # worst radius, worst concave points
    train, test = halves(columns, labels)

    def fit(epsilon: float) -> float:
        made = kind(epsilon=epsilon, bounds=([5, 0], [40, 0.3]), regularization=0.02, classes=[0, 1])
        return float(made.fit(*train).score(*test))

    little, some, much = (mean(fit, epsilon) for epsilon in (0.1, 2.0, 100.0))
    assert little + 0.05 < some
    assert some > 0.75
    assert much > 0.85


def test_clusters_of_digits_are_nearer_with_more_epsilon() -> None:
    digits, _ = load_digits(return_X_y=True)
    rows = np.column_stack([digits[:, :32].sum(axis=1), digits[:, 4::8].sum(axis=1)])
    bounds = ([0, 0], [300, 130])
    scale = np.array([150.0, 65.0])
    best = float(PlainKMeans(3, n_init=3, random_state=0).fit(rows / scale).inertia_)

    def fit(epsilon: float) -> float:
        return -dl.KMeans(3, epsilon=epsilon, bounds=bounds, steps=4).fit(rows).score(rows) / best

    found = [mean(fit, epsilon) for epsilon in (0.05, 1.0, 50.0)]
    assert found[0] > 1.3 * found[2]
    assert 1 <= found[2] < 1.5
    assert found[1] < found[0]


def test_degrees_are_nearer_with_more_epsilon_and_edges_take_less_noise() -> None:
    draws = np.random.default_rng(2)
    people = 3000
    edges = draws.integers(0, people, (4500, 2))

    def fit(hidden: str) -> Callable[[float], float]:
        def one(epsilon: float) -> float:
            made = dl.DegreeDistribution(people, max_degree=10, epsilon=epsilon, neighbours=hidden)
            return float(made.fit(edges).score(edges))

        return one

    person = [mean(fit("person"), epsilon) for epsilon in (0.01, 0.2, 2.0)]
    assert person[0] < person[1] < person[2]
    assert person[2] > 0.97
    assert mean(fit("edge"), 0.2) > person[1]


@pytest.mark.lengthy
@pytest.mark.skipif(not (DATA / "adult").is_dir(), reason="no UCI Adult in $DALENIUS_DATA")
def test_incomes_of_adult_are_told_apart_better_than_by_saying_that_nobody_earns_much() -> None:
    adult = profiles(DATA)
    train, test = halves(adult.points, adult.labels)
    nobody = float(np.mean(test[1] < 0))

    def fit(epsilon: float) -> float:
        made = dl.LogisticRegression(epsilon=epsilon, norm=1.0, regularization=0.003, classes=[-1, 1])
        return float(made.fit(*train).score(*test))

    found = [np.mean([fit(epsilon) for _ in range(2)]) for epsilon in (0.1, 2.0, 20.0)]
    assert found[0] < found[2]
    assert found[2] > nobody + 0.03
