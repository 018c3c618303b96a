"""Degree distributions: how far one edge and one person move them, what is inferred, what is promised."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dalenius.dependent.degrees import STATISTICS, _places, increasing, projected
from dalenius.dependent.graphs import Edges, clean_edges, degrees
from dalenius.dependent.learning import DegreeDistribution, degree_accuracy
from dalenius.laws.law import IntArray
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


def test_cropping_alone_does_not_bound_what_one_person_does() -> None:
    """Somebody joined to everybody: each of the others has one edge more, however many they are."""
    star = np.array([4, 1, 1, 1, 1])
    for name in ("sequence", "cumulative"):
        counted = [STATISTICS[name].counted(np.minimum(each, 1), 1) for each in (star, 0 * star)]
        assert brute.distance(*[each.tolist() for each in counted]) == 5 > STATISTICS[name].by_person(1)


def test_the_projection_takes_edges_one_by_one() -> None:
    most = 2
    every = np.array(brute.pairs(PEOPLE))
    order = [brute.pairs(PEOPLE)[i] for i in np.argsort(_places(every[:, 0], every[:, 1]))]
    for graph in GRAPHS[::7]:
        found = projected(edges_of(graph), most)
        kept = frozenset(zip(found.first.tolist(), found.second.tolist(), strict=True))
        assert kept == brute.projected(graph, order, most)


def test_the_order_favours_no_low_numbers() -> None:
    """Of a complete graph of 200 people with at most 5 edges each, first and second halves keep as many."""
    first, second = np.triu_indices(200, 1)
    found = degrees(projected(Edges(200, first, second), 5))
    assert found.max() == 5
    assert abs(int(found[:100].sum()) - int(found[100:].sum())) <= 10


@settings(max_examples=40)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=12))
def test_increasing_against_its_formula(values: list[int]) -> None:
    assert np.allclose(increasing(np.array(values)), brute.nearest_increasing(values), atol=1e-12)


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


def test_with_little_noise_it_is_the_truth() -> None:
    edges, own = graph()
    found = DegreeDistribution(200.0).fit(edges)
    assert np.array_equal(found.degrees_, np.sort(own))
    assert np.array_equal(found.counts_, np.bincount(own))
    assert np.allclose(found.distribution(), np.bincount(own) / 300)
    assert degree_accuracy(np.bincount(own), found.counts_) == 1


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
