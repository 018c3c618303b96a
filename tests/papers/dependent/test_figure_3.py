"""Distances of location patterns by relation: each pair by hand, and friends nearer where they are made so."""

from itertools import combinations

import numpy as np
import pytest

from dalenius.places.great_circles import distances_km
from papers.dependent.figure_3 import RELATIONS, distances, numbers, relations
from tests.papers.dependent.people import made_up_city

CITY = made_up_city(40)


def test_relations_are_those_of_paths() -> None:
    found = relations(CITY)
    friends = {frozenset(map(int, pair)) for pair in CITY.friends}
    near = [{other for pair in friends if person in pair for other in pair - {person}} for person in range(40)]
    for one, other in combinations(range(40), 2):
        wanted = 0 if frozenset((one, other)) in friends else 1 if near[one] & near[other] else 2
        assert found[one, other] == found[other, one] == wanted


@pytest.mark.lengthy
def test_each_pair_is_counted_once_at_its_distance() -> None:
    found, kinds = distances(CITY), relations(CITY)
    by_hand: dict[str, list[float]] = {name: [] for name in RELATIONS}
    for one, other in combinations(range(40), 2):
        pairs = zip(CITY.places[one], CITY.places[other], strict=True)
        apart = [float(distances_km(np.array([here]), np.array([there]))[0, 0]) for here, there in pairs]
        by_hand[RELATIONS[kinds[one, other]]].append(sum(apart) / 6)
    for name in RELATIONS:
        np.testing.assert_allclose(found.by_relation[name], sorted(by_hand[name]), rtol=1e-9)
    assert sum(map(len, found.by_relation.values())) == 40 * 39 // 2


def test_friends_are_nearer_where_they_meet() -> None:
    ours = {number.what: number.ours for number in numbers([distances(CITY)])}
    median = {name: ours[f"median distance of patterns, km: {name}"] for name in RELATIONS}
    assert median["friends"] < 0.5 * median["others"]
    assert ours["most by which others' line is above friends'"] < 0.1
