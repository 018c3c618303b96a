"""Degree distributions: how far one edge and one person move them, what is inferred, what is promised.

What is not learned, and in which words that is said.
"""

import importlib
from collections.abc import Callable
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import NotFittedError

from dalenius.dependent.degrees import STATISTICS, _places, increasing, projected
from dalenius.dependent.estimators import KMeans, LinearSVC, LogisticRegression
from dalenius.dependent.graphs import Edges, clean_edges, degrees
from dalenius.dependent.learning import DegreeDistribution, degree_accuracy
from dalenius.errors import InputError
from dalenius.laws.law import IntArray
from tests.cases import Refusals, check_refused
from tests.reference import degrees as brute

module = importlib.import_module("dalenius.dependent.degrees")
noised = module._noised
PEOPLE = 5
GRAPHS = list(brute.graphs(PEOPLE))


def edges_of(graph: brute.Graph) -> Edges:
    return clean_edges(PEOPLE, sorted(graph) or np.zeros((0, 2), dtype=np.int64))[0]


def sizes(statistic: str, most: int) -> dict[brute.Graph, list[int]]:
    """The statistic of every graph's cropped degrees."""
    counted = STATISTICS[statistic].counted
    return {graph: counted(np.minimum(degrees(edges_of(graph)), most), most).tolist() for graph in GRAPHS}


@pytest.mark.parametrize("name", STATISTICS)
def test_one_edge_moves_it_so_far_and_no_further(name: str) -> None:
    """Result 18.1."""
    counted = sizes(name, 2)
    moved = {brute.distance(counted[one], counted[two]) for one in GRAPHS for two in brute.by_edge(one, PEOPLE)}
    assert max(moved) == STATISTICS[name].by_edge


@pytest.mark.parametrize("most", [1, 2])
def test_one_person_moves_the_projected_graph_so_far(most: int) -> None:
    """Results 18.2 and 18.3, over all pairs of graphs of five people: the sorted degrees attain their bound."""
    kept = [degrees(projected(edges_of(graph), most)) for graph in GRAPHS]
    for name, statistic in STATISTICS.items():
        counted = dict(zip(GRAPHS, (statistic.counted(each, most) for each in kept), strict=True))
        moved = 0
        for others in brute.but_one_person(PEOPLE):
            alike = np.array([counted[graph] for graph in others])
            moved = max(moved, int(np.abs(alike[:, None] - alike).sum(axis=2).max()))
        assert moved <= statistic.by_person(most)
        if name != "histogram":
            assert moved == statistic.by_person(most)


def test_the_projection_takes_edges_one_by_one() -> None:
    most = 2
    every = np.array(brute.pairs(PEOPLE))
    order = [brute.pairs(PEOPLE)[i] for i in np.argsort(_places(every[:, 0], every[:, 1]))]
    for graph in GRAPHS[::7]:
        found = projected(edges_of(graph), most)
        kept = frozenset(zip(found.first.tolist(), found.second.tolist(), strict=True))
        assert kept == brute.projected(graph, order, most)


@given(st.integers(0, 2**32), st.sampled_from(sorted(STATISTICS)))
def test_what_is_inferred_is_a_degree_sequence(seed: int, name: str) -> None:
    """Whatever the noise; and without noise it is the truth."""
    rng = np.random.default_rng(seed)
    people = int(rng.integers(1, 40))
    most = int(rng.integers(0, people))
    own = np.sort(rng.integers(0, most + 1, size=people))
    counted = STATISTICS[name].counted(own, most)
    assert np.array_equal(STATISTICS[name].inferred(counted, people, most), own)
    noised = counted + rng.integers(-50, 50, size=len(counted))
    found = STATISTICS[name].inferred(noised, people, most)
    assert len(found) == people
    assert found.min() >= 0
    assert found.max() <= most
    assert np.all(np.diff(found) >= 0)


def graph(people: int = 300, most: int = 12, seed: int = 1) -> tuple[Edges, IntArray]:
    rng = np.random.default_rng(seed)
    edges, _ = clean_edges(people, rng.integers(0, people, size=(people * most // 2, 2)))
    return edges, degrees(edges)


def test_the_noise_is_drawn_at_the_scale_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 draws against the masses of discrete Laplace noise; those of a scale a tenth smaller are rejected."""
    asked = []

    def without(counted: IntArray, scale: float) -> IntArray:
        asked.append(scale)
        return counted

    monkeypatch.setattr(module, "_noised", without)
    assert DegreeDistribution(0.5).fit([1, 1]).guarantee_.scale == 4.0
    assert asked == [4.0]
    runs, most = 20_000, 12
    seen = np.bincount(np.minimum(np.abs(noised(np.zeros(runs, dtype=np.int64), 4.0)), most), minlength=most + 1)

    def surprise(b: float) -> float:
        a = np.exp(-1 / b)
        masses = np.array([(1 - a) / (1 + a) * (1 if k == 0 else 2 * a**k) for k in range(most)])
        expected = runs * np.append(masses, 2 * a**most / (1 + a))
        return float(np.sum((seen - expected) ** 2 / expected))

    assert surprise(4.0) < 60 < surprise(3.6)


def test_a_person_s_edges_take_the_projection() -> None:
    edges, _ = graph()
    found = DegreeDistribution(400.0, neighbours="node", max_degree=6).fit(edges)
    assert np.array_equal(found.degrees_, np.sort(degrees(projected(edges, 6))))
    assert found.guarantee_.sensitivity == 12
    assert found.counts_.shape == (7,)


def test_what_is_promised() -> None:
    plain = DegreeDistribution(0.5).fit([1, 1, 0]).guarantee_
    assert (plain.sensitivity, plain.scale, plain.differential, plain.sound) == (2.0, 4.0, 0.5, True)
    group = DegreeDistribution(0.5, dependence_size=5).fit([1, 1, 0]).guarantee_
    assert (group.sensitivity, group.scale, group.differential, group.sound) == (10.0, 20.0, 0.1, True)
    assert "vector of all but 5" in group.why


ROWS = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
SQUARE = np.zeros((8, 2))


def linear(labels: Any = (0, 1, 1), rows: Any = ROWS, kind: Any = LogisticRegression, **given: Any) -> Any:
    return partial(kind(**{"epsilon": 1.0, "regularization": 0.01, "norm": 3.0} | given).fit, rows, labels)


def kmeans(rows: Any = SQUARE, **given: Any) -> Callable[[], object]:
    return partial(KMeans(**{"n_clusters": 2, "epsilon": 1.0, "lower": 0, "upper": 1} | given).fit, rows)


def degrees_of_learning(graph: Any = (1, 1, 0), people: int | None = None, **given: Any) -> Callable[[], object]:
    return lambda: DegreeDistribution(**{"epsilon": 1.0} | given).fit(graph, people)


LINEAR: Refusals = [
    (linear([1, 1, 1]), "y: one class 1, wanted labels of two classes"),
    (linear([0, 1, 2]), "y: 3 classes, wanted two classes. Only binary classification is supported.…"),
    (linear([0, 1]), "y: Found input variables with inconsistent numbers of samples: [3, 2], wanted a label a row"),
    (linear([0.5, 1.25, 2.0]), "y: Unknown label type: continuous.…"),
    (linear(None), "y: requires y to be passed, but the target y is None, wanted a label a row"),
    (linear(rows=[[0.0], [nan], [1.0]]), "X row 2: NaN or infinity, wanted finite numbers"),
    (linear(classes=[1, 1]), "classes: [1, 1], wanted two different labels"),
    (linear(epsilon=0), "epsilon: 0, wanted a finite number above 0"),
    (linear(norm=1.5e154), "norm: 1.5e+154, wanted a number from 1e-30 to 1e+30"),
    (linear(intercept_scaling=1e-170), "intercept_scaling: 1e-170, wanted a number from 1e-30 to 1e+30"),
    (linear(regularization=5e-324), "regularization: 5e-324, wanted a number from 1e-30 to 1e+30"),
    (linear(kind=LinearSVC, huber=1.5), "huber: 1.5, wanted a number above 0, at most 1"),
]
FITTED: Any = kmeans()()
CLUSTERS: Refusals = [
    (kmeans(n_clusters=9), "n_clusters: 9, wanted at most the 8 people there are"),
    (kmeans(n_clusters=2.5), "n_clusters: 2.5, wanted a whole number of at least 1"),
    (kmeans(steps=0), "steps: 0, wanted a whole number of at least 1"),
    (kmeans(epsilon=1e-12), "epsilon: 1e-12, wanted nats from 1e-09 to 1e+06"),
    (kmeans(epsilon=2e-9, steps=10**5), "epsilon: 2e-09, wanted at least 7.87e-06 nats for such rows"),
    (kmeans(lower=[0, 2]), "lower: 2.0, wanted a number below upper, 1"),
    (kmeans(upper=[1, 2, 3]), "upper: [1, 2, 3], wanted one number, or one for each of the 2 columns"),
    (kmeans(upper=nan), "upper: nan, wanted finite numbers"),
    (kmeans(neighbours="some"), "neighbours: some, wanted one of replace, add_remove"),
    (kmeans(init=[[0.0, 0.0]]), "init: shape (1, 2), wanted 2 centres of 2 numbers"),
    (kmeans(random_state="1"), "random_state: 1, wanted a whole number, or None"),
    (kmeans([["a", "b"]]), "X: could not convert string to float: 'a', wanted rows of finite numbers, one a person"),
    (partial(FITTED.predict, np.zeros((4, 3))), "X: X has 3 features, but KMeans is expecting 2 features…"),
]
GRAPHS_OF_LEARNING: Refusals = [
    (degrees_of_learning(epsilon=5e-324), "epsilon: 5e-324, wanted nats from 1e-09 to 1e+06"),
    (degrees_of_learning(neighbours="group"), "neighbours: group, wanted one of edge, node"),
    (degrees_of_learning(mode="mean"), "mode: mean, wanted one of sequence, cumulative, histogram"),
    (degrees_of_learning(neighbours="node"), "max_degree: missing, wanted a public bound where neighbours are…"),
    (degrees_of_learning(max_degree=-1), "max_degree: -1, wanted a whole number of at least 0"),
    (degrees_of_learning(dependence_size=0), "dependence_size: 0, wanted a whole number of at least 1"),
    (degrees_of_learning([(0, 1)]), "people: missing, wanted how many there are…"),
    (degrees_of_learning([0, 3, 1]), "degrees: int64 from 0 to 3 of 3, wanted a whole number from 0 to people - 1…"),
    (degrees_of_learning([]), "degrees: none, wanted…"),
    (degrees_of_learning(np.array([0.5, 0.5])), "degrees: float64…"),
    (degrees_of_learning(people=4), "people: 4, wanted 3, as many as there are degrees"),
    (
        degrees_of_learning(neighbours="node", max_degree=3),
        "graph: degrees alone, wanted edges where neighbours are nodes",
    ),
    (DegreeDistribution(1.0).distribution, "DegreeDistribution: not fitted, wanted fit before distribution"),
    (partial(degree_accuracy, np.array([0]), np.array([0])), "counts: nobody, wanted at least one person"),
]


def test_what_is_not_learned() -> None:
    check_refused(LINEAR, ValueError)
    check_refused(CLUSTERS, ValueError)
    check_refused(GRAPHS_OF_LEARNING)


def test_unfitted_estimators() -> None:
    unfitted = KMeans(2, epsilon=1.0, lower=0, upper=1), LinearSVC(epsilon=1.0, regularization=0.01, norm=3.0)
    for model in unfitted:
        with pytest.raises(InputError, match=rf"^{type(model).__name__}: not fitted, wanted fit before") as caught:
            model.predict(SQUARE)
        assert isinstance(caught.value, NotFittedError)


@settings(max_examples=40)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=12))
def test_increasing_against_its_formula(values: list[int]) -> None:
    assert np.allclose(increasing(np.array(values)), brute.nearest_increasing(values), atol=1e-12)
