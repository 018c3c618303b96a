"""The attack on noisy centroids against the same person by person, and what it reads."""

from dataclasses import replace
from math import inf, log
from typing import Any

import numpy as np
import pytest

from dalenius.dependent.graphs import PAPER, Dropped
from dalenius.dependent.location_beliefs import ByLaw, Known, Prior, Weight, Within
from dalenius.dependent.locations import LocationAttack, attack_locations
from dalenius.dependent.places import friends_among, of_city, patterns_of
from tests.dependent.towns import Town, town
from tests.reference import locations as brute


def by_hand(town: Town, person: int, known: set[int], weight: Weight | None) -> dict[str, float]:
    city, released = town.city, town.released
    lat, lon = city.grid.centres()
    counts = []
    for cell in range(len(lat)):
        own = 0.0
        for other in known:
            cells = city.grid.cell_of(city.places[other, :, 0], city.places[other, :, 1]).tolist()
            own += float(cells[0] == cell)
        counts.append(own)
    pairs = set(zip(town.edges.first.tolist(), town.edges.second.tolist(), strict=True))
    friends = [j for j in known if (j, person) in pairs or (person, j) in pairs]
    factors = [1.0] * len(lat)
    for j in friends:
        away = [
            brute.kilometres((city.places[j, 0, 0], city.places[j, 0, 1]), (lat[c], lon[c])) for c in range(len(lat))
        ]
        if isinstance(weight, Within):
            factors = [f + weight.gain * (d <= weight.radius) for f, d in zip(factors, away, strict=True)]
        elif isinstance(weight, ByLaw):
            law = [(d / 1.609344 + PAPER.b) ** -PAPER.c for d in away]
            factors = [f + len(lat) * p / sum(law) for f, p in zip(factors, law, strict=True)]
    weighed = [c * f for c, f in zip(counts, factors, strict=True)]
    prior = [w / sum(weighed) for w in weighed]
    alone = [c / sum(counts) for c in counts]
    points, labels, noisy = city.points.tolist(), released.labels.tolist(), released.centroids.tolist()
    apart = [
        brute.distance(noisy, brute.estimated(points, labels, known, candidate, noisy))
        for candidate in city.candidates.tolist()
    ]
    after = brute.posterior(prior, apart, float(released.scale))
    guess = after.index(max(after))
    errors = [
        sum(brute.kilometres((place[0], place[1]), (lat[c], lon[c])) for place in city.places[person].tolist())
        / city.places.shape[1]
        for c in range(len(lat))
    ]
    home = int(city.home[person])
    return {
        "guess": guess,
        "error_km": errors[guess],
        "expected_km": sum(p * e for p, e in zip(after, errors, strict=True)),
        "leaked": brute.entropy(alone) - brute.entropy(after),
        "gained": brute.entropy(prior) - brute.entropy(after),
        "surprise": log(after[home] / prior[home]) if prior[home] > 0 else float("nan"),
    }


def agrees(found: LocationAttack, person: int, expected: dict[str, float]) -> bool:
    return all(
        float(getattr(found, key)[person]) == pytest.approx(value, rel=1e-6, abs=1e-7, nan_ok=True)
        for key, value in expected.items()
    )


CASES: dict[str, Weight | None] = {"independent": None, "within": Within(radius=12.0, gain=2.0), "law": ByLaw()}


@pytest.mark.parametrize("weight", CASES.values(), ids=CASES)
def test_everybody_is_as_by_hand(weight: Weight | None) -> None:
    here = town()
    prior = Prior(None if weight is None else here.edges, weight)
    found = attack_locations(here.city, here.released, prior)
    for person in range(here.city.people):
        expected = by_hand(here, person, set(range(here.city.people)) - {person}, weight)
        assert agrees(found, person, expected)
        assert not agrees(found, person, expected | {"leaked": expected["leaked"] + 1e-4})


@pytest.mark.parametrize("count", [0, 6])
def test_known_others_alone_count(count: int) -> None:
    here = town()
    order = Known.of(17, count, seed=3).order.tolist()
    found = attack_locations(here.city, here.released, Prior(here.edges, ByLaw()), known=count, seed=3)
    if count == 0:
        assert np.allclose(found.prior_entropy, log(20))
        assert np.allclose(found.independent_entropy, log(20))
        return
    for person in range(17):
        known = set([each for each in order if each != person][:count])
        assert agrees(found, person, by_hand(here, person, known, ByLaw()))


def test_nothing_is_gained_where_noise_says_nothing() -> None:
    here = town()
    silent = replace(here.released, scale=inf)
    found = attack_locations(here.city, silent, Prior(here.edges, ByLaw()))
    assert np.abs(found.gained).max() < 1e-12
    assert np.abs(np.nan_to_num(found.surprise)).max() < 1e-12
    assert found.leaked.mean() > 0.05  # errata E8: entropies of two priors are subtracted
    assert np.abs(attack_locations(here.city, silent, Prior()).leaked).max() < 1e-12


def test_clusters_of_nobody_known() -> None:
    here = town(people=6, k=3)
    found = attack_locations(here.city, here.released, Prior(smoothing=0.5), known=1)
    assert np.isfinite(found.leaked).all()


ROWS: dict[str, list[Any]] = {
    "user": [7, 7, 3, 7, 3, 7],
    "poi": ["a", "b", "a", "c", "d", "b"],
    "lat": [1.0, 2.0, 1.0, 3.0, 4.0, 2.0],
    "lon": [5.0, 6.0, 5.0, 7.0, 8.0, 6.0],
    "count": [2, 1, 1, 2, 1, 1.5],
}


def test_most_visited_first_and_the_last_repeated() -> None:
    found = patterns_of(ROWS, 3)
    assert found.names == (7, 3)
    assert found.places.tolist() == [[[2, 6], [1, 5], [3, 7]], [[1, 5], [4, 8], [4, 8]]]
    assert found.short == 1
    assert patterns_of(ROWS, 1).places.tolist() == [[[2, 6]], [[1, 5]]]


def test_friends_are_cleaned_and_counted() -> None:
    edges, dropped = friends_among([7, 3, 7, 3, 9], [3, 7, 7, 3, 7], (7, 3))
    assert (edges.first.tolist(), edges.second.tolist()) == ([0], [1])
    assert dropped == Dropped(self_loops=2, duplicates=1, unknown=1)
    assert len(friends_among([], [], (7, 3))[0]) == 0


def test_one_city() -> None:
    table: dict[str, list[Any]] = {"city": ["x", "y", "x"], "user1": [1, 2, 3], "user2": [3, 4, 1]}
    assert of_city(table, ("user1", "user2"), "x") == {"user1": [1, 3], "user2": [3, 1]}
    assert of_city({"user1": [1], "user2": [3]}, ("user1", "user2"), None) == {"user1": [1], "user2": [3]}
