"""The friend–distance law of Gowalla's cities (SNAP; Cho, Myers, Leskovec, KDD 2011), beside the paper's."""

import csv
import gzip
import os
import re
from pathlib import Path

import pytest

from dalenius.dependent.friends import FriendsFit, fit_friends
from dalenius.dependent.graphs import Edges, clean_edges
from dalenius.dependent.places import Grid
from dalenius.laws.law import Array, IntArray
from tests.docs.page import REPOSITORY

CITIES = ("new_york", "san_francisco", "los_angeles", "austin", "dallas", "stockholm")
DATA = os.environ.get("DALENIUS_DATA")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(DATA is None, reason="DALENIUS_DATA, the folder of the public data sets, is not set"),
]


def read(name: str) -> list[dict[str, str]]:
    with gzip.open(Path(str(DATA)) / "gowalla" / name, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def cities() -> dict[str, tuple[Edges, IntArray, Array]]:
    """Friends, everybody's most visited place on a grid of 20 by 20 cells, and where the cells are."""
    visits, friends = read("cities_visits.csv.gz"), read("cities_edges.csv.gz")
    found = {}
    for city in CITIES:
        homes: dict[int, tuple[int, int, float, float]] = {}
        for row in (row for row in visits if row["city"] == city):
            here = (-int(row["count"]), int(row["poi"]), float(row["lat"]), float(row["lon"]))
            user = int(row["user"])
            homes[user] = min(homes.get(user, here), here)
        number = {user: place for place, user in enumerate(sorted(homes))}
        pairs = [(number[int(row["user1"])], number[int(row["user2"])]) for row in friends if row["city"] == city]
        edges, dropped = clean_edges(len(homes), pairs)
        assert dropped.total == 0
        lat, lon = ([homes[user][axis] for user in sorted(homes)] for axis in (2, 3))
        grid = Grid.around(lat, lon, 20, 20)
        found[city] = (edges, grid.cell_of(lat, lon), grid.points_miles())
    return found


@pytest.fixture(scope="module")
def fits(cities: dict[str, tuple[Edges, IntArray, Array]]) -> dict[str, FriendsFit]:
    return {city: fit_friends(*given) for city, given in cities.items()}


def test_constants_are_those_on_the_page(fits: dict[str, FriendsFit]) -> None:
    page = (REPOSITORY / "docs/research/friends_distance.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w[\w ]*) \| (\d.*) \|$", page, flags=re.MULTILINE))
    for city, fit in fits.items():
        friends, b, c, law, none, own = rows[city.replace("_", " ").title()].split(" | ")
        assert friends == f"{fit.observations:,}"
        assert fit.errors is not None
        assert (b, c) == tuple(f"{x:.2f} ± {e:.2f}" for x, e in zip((fit.law.b, fit.law.c), fit.errors, strict=True))
        shown = fit.goodness()
        per_edge = (shown["per_edge"], shown["uniform_per_edge"], shown["marginal_per_edge"])
        assert (law, none, own) == tuple(f"{nats:.2f}" for nats in per_edge)
