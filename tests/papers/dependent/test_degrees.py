"""Degree distributions: how far one edge and one person move them, over all graphs of five people."""

from collections.abc import Callable
from itertools import accumulate

import numpy as np
import pytest

from tests.reference import degrees as brute

PEOPLE = 5
ORDER = np.random.default_rng(1).permutation(brute.pairs(PEOPLE)).tolist()
"""In which pairs are taken by the projection: any, but the same for all graphs."""


def histogram(degrees: list[int], most: int) -> list[int]:
    return [degrees.count(degree) for degree in range(most + 1)]


def at_most(degrees: list[int], most: int) -> list[int]:
    return list(accumulate(histogram(degrees, most)))[:most]


STATISTICS: dict[str, tuple[Callable[[list[int], int], list[int]], int, int]] = {
    "sequence": (lambda degrees, most: sorted(degrees), 2, 0),
    "cumulative": (at_most, 2, 0),
    "histogram": (histogram, 4, 2),
}
"""Of degrees up to `most`; how far one edge moves it; what else one person does beside as many edges as `most`."""


@pytest.mark.parametrize("name", STATISTICS)
def test_one_edge_moves_it_so_far_and_no_further(name: str) -> None:
    """Result 18.1."""
    statistic, by_edge, _ = STATISTICS[name]
    counted = {
        graph: statistic([min(degree, 2) for degree in brute.degrees(graph, PEOPLE)], 2)
        for graph in brute.graphs(PEOPLE)
    }
    moved = {brute.distance(counted[one], counted[two]) for one in counted for two in brute.by_edge(one, PEOPLE)}
    assert max(moved) == by_edge


@pytest.mark.parametrize("most", [1, 2])
def test_one_person_moves_the_projected_graph_so_far(most: int) -> None:
    """Results 18.2 and 18.3: the sorted degrees attain their bound."""
    order = [(int(one), int(other)) for one, other in ORDER]
    kept = {graph: brute.degrees(brute.projected(graph, order, most), PEOPLE) for graph in brute.graphs(PEOPLE)}
    for name, (statistic, by_edge, further) in STATISTICS.items():
        counted, moved = {graph: statistic(degrees, most) for graph, degrees in kept.items()}, 0
        for others in brute.but_one_person(PEOPLE):
            table = np.array([counted[graph] for graph in others])
            moved = max(moved, int(np.abs(table[:, None] - table).sum(axis=2).max()))
        assert moved <= by_edge * most + further
        assert name == "histogram" or moved == by_edge * most
