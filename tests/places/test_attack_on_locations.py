"""The attack on one's own tables: what is read, what two adversaries find, the map, and what is refused."""

import csv
import gzip
from collections import Counter
from math import log
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from polars import DataFrame as Polars

import dalenius as dl
from dalenius.cli.attack_locations import SIMULATED
from dalenius.pairs.friend_distance import FriendDistance
from dalenius.places.patterns import read_friends, read_patterns
from dalenius.places.picture_of_posterior import draw_posterior
from tests.cases import Refusals, check_refused
from tests.cli.command import Run, complaint

EXAMPLES = Path(__file__).parents[2] / "examples" / "places"
VISITS, FRIENDS = EXAMPLES / "visits.csv", EXAMPLES / "friends.csv"
COUNTED = dl.VisitColumns(count="visits")


def attacked(**given: Any) -> dl.LocationAttack:
    settings: dict[str, Any] = {"clusters": 3, "places": 3, "cells": (6, 7), "columns": COUNTED}
    return dl.attack_locations(VISITS, FRIENDS, **(settings | given))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_places_are_those_visited_most_in_order() -> None:
    found = read_patterns(VISITS, COUNTED, 2)
    often: dict[str, Counter[tuple[float, float]]] = {}
    for row in rows(VISITS):
        own = often.setdefault(row["user"], Counter())
        own[float(row["lat"]), float(row["lon"])] += int(row["visits"])
    assert found.names == tuple(sorted(often))
    assert found.visits == sum(sum(own.values()) for own in often.values())
    for name, places in zip(found.names, found.places.tolist(), strict=True):
        ranked = sorted(often[name], key=lambda place: (-often[name][place], place))
        assert [tuple(place) for place in places] == ranked[:2]


def test_the_last_place_counts_again_where_there_are_too_few() -> None:
    visits = pd.DataFrame({"user": ["b", "a", "a", "a"], "lat": [5.0, 1.0, 2.0, 2.0], "lon": [6.0, 1.0, 2.0, 2.0]})
    found = read_patterns(visits, dl.VisitColumns(), 3)
    assert found.short == 2
    assert found.places.tolist() == [[[2, 2], [1, 1], [1, 1]], [[5, 6], [5, 6], [5, 6]]]


def test_rows_that_are_no_friendships_are_counted() -> None:
    friends = pd.DataFrame({"user1": [1, 2, 1, 3, 1, 9], "user2": [2, 1, 1, 1, 2, 1]})
    found, dropped = read_friends(friends, dl.VisitColumns(), ["1", "2", "3"])
    assert found.tolist() == [[0, 1], [0, 2]]
    assert dropped.shown() == {"unknown": 1, "self_loops": 1, "duplicates": 2}


def test_frames_are_read_as_files_are() -> None:
    visits, friends = pd.read_csv(VISITS), pd.read_csv(FRIENDS)
    expected = attacked(epsilon=50.0).summary()
    for kind in (lambda frame: frame, Polars, pa.Table.from_pandas):
        found = dl.attack_locations(
            *(kind(visits), kind(friends)), epsilon=50.0, clusters=3, places=3, cells=(6, 7), columns=COUNTED
        )
        assert found.summary() == expected


def test_nothing_published_gains_nothing_and_friends_leak_all_the_same() -> None:
    found = attacked(epsilon=0.0).summary()
    for own in found.values():
        assert own["gained"] == {"nats": 0.0, "bits": 0.0}
        assert own["error_km"]["with"] == own["error_km"]["without"]
    assert found["strangers"]["leaked"]["nats"] == 0.0
    assert found["friends"]["leaked"]["nats"] > 0.3
    assert found["friends"]["leaked"]["bits"] == pytest.approx(found["friends"]["leaked"]["nats"] / log(2))


def test_less_noise_leads_nearer_and_much_noise_to_the_prior() -> None:
    loud, quiet = attacked(epsilon=1e-9).summary(), attacked(epsilon=3000.0).summary()
    for name in ("strangers", "friends"):
        assert loud[name]["gained"]["nats"] == pytest.approx(0.0, abs=1e-6)
        assert quiet[name]["expected_km"]["with"] < 0.8 * loud[name]["expected_km"]["with"]


def test_who_knows_half_of_the_others_knows_so_many() -> None:
    found = attacked(known=0.5)
    assert found.known == 20
    assert attacked(known=0.0).summary()["friends"]["prior"]["nats"] == pytest.approx(log(42))


def test_a_law_weighs_friends_instead_of_circles() -> None:
    flat = attacked(law=FriendDistance(a=1.0, b=1.0, c=0.0)).summary()
    assert flat["friends"]["prior"] == flat["strangers"]["prior"]
    assert attacked(law=FriendDistance(a=1.0, b=0.1, c=2.0)).summary()["friends"]["prior"]["nats"] < 3.0


@pytest.mark.lengthy
def test_a_map_is_the_belief_of_the_attack(tmp_path: Path) -> None:
    found = attacked(epsilon=50.0)
    person = found.names[11]
    at = found.map_of(person)
    centres = found.city.grid.centres
    for name, result in found.results.items():
        for law, guess in ((at.after[name], result.guess[11]), (at.before[name], result.prior_guess[11])):
            assert law.shape == (6, 7)
            assert law.sum() == pytest.approx(1.0)
            assert law.ravel()[guess] == pytest.approx(law.max())
    assert at.home == tuple(found.city.places[11, 0])
    assert len(at.friends) == sum(person in row.values() for row in rows(FRIENDS))
    picture, table = draw_posterior(at, tmp_path / "map.png")
    written = rows(table)
    assert picture.stat().st_size > 10_000
    assert sum(float(row["after_friends"]) for row in written) == pytest.approx(1.0, abs=1e-4)
    for row in written:
        cell = (int(row["row"]) - 1) * 7 + int(row["column"]) - 1
        assert float(row["before_strangers"]) == pytest.approx(at.before["strangers"].ravel()[cell], rel=1e-5)
        np.testing.assert_allclose([float(row["lat"]), float(row["lon"])], centres[cell], rtol=1e-6)


def test_a_grid_of_a_hundred_thousand_cells_takes_seconds() -> None:
    start = process_time()
    found = attacked(cells=(320, 320), epsilon=50.0)
    assert process_time() - start < 20
    assert len(found.city.grid) == 102_400


def test_what_makes_no_sense_is_refused() -> None:
    one = pd.DataFrame({"user": [1], "lat": [0.0], "lon": [0.0]})
    odd = pd.DataFrame({"user": [1, 2], "lat": [0.0, 91.0], "lon": [0.0, 1.0]})
    refused: Refusals = (
        (lambda: attacked(epsilon=-1.0), "epsilon: -1.0, wanted a finite number of at least 0"),
        (lambda: attacked(known=1.5), "known: 1.5, wanted a share from 0 to 1"),
        (lambda: attacked(clusters=41), "clusters: 41, wanted at most the number of people, 40…"),
        (lambda: attacked(cells=(0, 4)), "cells: 0x4, wanted at least one row and one column"),
        (lambda: attacked(box=(48.0, 9.0, 48.1, 9.1)), "positions: 120 outside…"),
        (lambda: attacked(columns=dl.VisitColumns(count="user")), "data.columns: user, wanted each column once"),
        (
            lambda: attacked(columns=dl.VisitColumns(person="who", count="visits")),
            "data.columns: who, wanted one of the columns …; --columns, or dl.VisitColumns, says other names",
        ),
        (lambda: attacked(columns=dl.VisitColumns(only=("user", "nobody"))), "only: user=nobody, wanted a value that…"),
        (lambda: attacked().map_of("nobody"), "person: nobody, wanted the name of somebody with visits"),
        (lambda: dl.attack_locations(one, clusters=1), "clusters: 1, wanted at most the number of people, 1, …"),
        (
            lambda: dl.attack_locations(odd, clusters=1),
            "latitude: 91.0, wanted degrees from -90 to 90 in every row (2)",
        ),
    )
    check_refused(refused)


ASKED = ("--locations", str(VISITS), "--count", "visits", "--places", "3", "--clusters", "3")


@pytest.mark.lengthy
def test_the_command_says_what_python_does(run: Run, tmp_path: Path) -> None:
    drawn = ("--person", "p12", "--plot", str(tmp_path / "map.svg"))
    asked = (*ASKED, "--friends", str(FRIENDS), "--cells", "6x7", "--epsilon", "50", *drawn)
    done = run("attack", *asked, "--json")
    assert done.json["adversaries"] == attacked(epsilon=50.0).summary()
    assert SIMULATED in done.err
    assert [Path(path).name for path in done.json["files"]] == ["map.svg", "map.csv"]
    said = run("attack", *asked).out
    assert f"{done.json['adversaries']['friends']['leaked']['bits']:.6g}" in said


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ((*ASKED, "--cells", "6"), "--cells: 6, wanted rows and columns, as in 20x20"),
        ((*ASKED, "--radius", "2"), "--radius: 2.0, wanted none without --friends"),
        ((*ASKED, "--plot", "map.png"), "--person: missing, wanted both --plot"),
        ((*ASKED, "--only", "city"), "--only: city, wanted a column and a value"),
        ((*ASKED, "--columns", "a,b"), "--columns: a,b, wanted names of the five columns"),
        (("--known", "0.5"), "--known: 0.5, wanted no such option without --locations"),
        ((), "SPEC: missing, wanted a spec, or --locations"),
        (("spec.toml", *ASKED), "SPEC: spec.toml, wanted none beside --locations"),
    ],
)
def test_options_that_make_no_sense_are_refused(run: Run, arguments: tuple[str, ...], wanted: str) -> None:
    assert wanted in complaint(run("attack", *arguments))


@pytest.mark.lengthy
def test_rows_of_one_city_alone_count(tmp_path: Path) -> None:
    visits, friends = pd.read_csv(VISITS), pd.read_csv(FRIENDS)
    both = pd.concat([visits.assign(city="Ulm"), visits.assign(city="Bonn", lat=50.7, lon=7.1)])
    file = tmp_path / "visits.csv.gz"
    with gzip.open(file, "wt", encoding="utf-8") as out:
        both.to_csv(out, index=False)
    columns = dl.VisitColumns(count="visits", only=("city", "Ulm"))
    found = dl.attack_locations(file, friends, clusters=3, places=3, cells=(6, 7), columns=columns)
    assert found.summary() == attacked().summary()
