"""The attack on Gowalla's six cities, where there are data."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.attacks import (
    EDGES,
    VISITS,
    ByLaw,
    City,
    NoisyCentroids,
    Prior,
    Within,
    attack_locations,
    friends_among,
    of_city,
    patterns_of,
)
from dalenius.graphs import Grid
from dalenius.learning import lloyd
from dalenius.tables.columns import read_columns

CITIES = {"new_york": (519, 0.5169), "stockholm": (277, 0.9483)}
"""People, and what friends alone say in bits (errata E8)."""


@pytest.fixture(scope="module")
def tables() -> tuple[dict[str, Any], dict[str, Any]]:
    folder = os.environ.get("DALENIUS_DATA")
    if folder is None:
        pytest.skip("DALENIUS_DATA is not set: no Gowalla")
    visits = Path(folder, "gowalla", "cities_visits.csv.gz")
    if not visits.exists():
        pytest.skip(f"no {visits}")
    friends = read_columns(visits.with_name("cities_edges.csv.gz"), ["city", *EDGES])
    return read_columns(visits, ["city", *VISITS]), friends


@pytest.mark.slow
@pytest.mark.parametrize("name", CITIES)
def test_friends_say_more(name: str, tables: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """By the whole belief; the top cell's own distance goes either way."""
    people, bits = CITIES[name]
    patterns = patterns_of(of_city(tables[0], VISITS, name), 6)
    edges, dropped = friends_among(of_city(tables[1], EDGES, name), patterns.names)
    assert (len(patterns.names), dropped.total) == (people, 0)
    flat = patterns.places.reshape(-1, 2)
    city = City(patterns.places, Grid.around(flat[:, 0], flat[:, 1], 20, 20))
    clusters = lloyd(city.points, 8, starts=4, seed=0)
    for scale in (1e9, 1.0):
        noisy = clusters.centres + np.random.default_rng(0).laplace(0, scale, clusters.centres.shape)
        released = NoisyCentroids(noisy, clusters.labels, scale)
        alone = attack_locations(city, released, Prior()).summary()
        for weight in (ByLaw(), Within()):
            found = attack_locations(city, released, Prior(edges, weight)).summary()
            assert found["expected_km"] < alone["expected_km"]
            assert found["leaked"]["bits"] > alone["leaked"]["bits"] + 0.4
            assert abs(found["gained"]["bits"]) < 0.02
        assert abs(alone["leaked"]["bits"]) < 0.02
    law = attack_locations(city, NoisyCentroids(noisy, clusters.labels, np.inf), Prior(edges, ByLaw())).summary()
    assert law["leaked"]["bits"] == pytest.approx(bits, abs=1e-4)
