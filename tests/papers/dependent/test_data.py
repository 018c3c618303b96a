"""Readers of DDP's data: small files in every format, and what the public ones hold."""

from pathlib import Path

import numpy as np
import pytest

from dalenius.places.great_circles import box_around, distances_km
from papers.adult import profiles
from papers.dependent.gowalla import CENTRES, RADIUS, cities
from papers.numbers import data_folder
from tests.papers.dependent.files import write_snap, write_subset
from tests.papers.scripts.figures import NEEDS_DATA

NEW_YORK = CENTRES["new_york"]


def visit(user: int, place: int, north: float, count: int, city: str = "new_york") -> str:
    return f"{city},{user},{place},{NEW_YORK[0] + north},{NEW_YORK[1]},{count}"


def test_a_city_of_the_subset(tmp_path: Path) -> None:
    visits = [visit(5, place, place / 100, 10 - place) for place in range(1, 9)]
    visits += [visit(9, 1, 0.01, 3), visit(9, 2, 0.02, 9), visit(7, 1, 0.01, 9), visit(4, 3, 0.03, 10)]
    visits += [visit(4, 3, 0.03, 10, city="austin")]
    write_subset(tmp_path, visits, ["new_york,5,9", "new_york,9,5", "new_york,4,7", "new_york,4,4", "austin,4,5"])
    (city,) = cities(tmp_path, ("new_york",))
    assert city.users.tolist() == [4, 5, 9]  # 7 checked in nine times only
    assert city.friends.tolist() == [[1, 2]]
    assert (city.few, city.visits) == (2, 10 + 44 + 12)
    norths = np.round((city.places[:, :, 0] - NEW_YORK[0]) * 100).astype(int)
    assert norths.tolist() == [[3] * 6, [1, 2, 3, 4, 5, 6], [2, 1, 1, 1, 1, 1]]
    assert city.patterns.shape == (3, 12)
    np.testing.assert_allclose(city.patterns[0, 1], 0.5)
    np.testing.assert_allclose(city.patterns[0, 0], 0.5 + 0.03 / (city.grid.north - city.grid.south))


def test_snap_files_come_first_where_both_are_there(tmp_path: Path) -> None:
    write_subset(tmp_path, [visit(1, 1, 0.0, 10)], [])
    far = NEW_YORK[0] + 0.23  # 25.6 km north
    checkins = [f"0\t2010-10-19T23:55:27Z\t{NEW_YORK[0]}\t{NEW_YORK[1]}\t22847"] * 10
    checkins += [f"3\t2010-10-19T23:55:27Z\t{NEW_YORK[0] + 0.1}\t{NEW_YORK[1]}\t{place}" for place in range(10)]
    checkins += [f"8\t2010-10-19T23:55:27Z\t{far}\t{NEW_YORK[1]}\t{place}" for place in range(10)]
    checkins += ["8\t2010-10-19T23:55:27Z\t37.7749\t-122.4194\t77"] * 10
    write_snap(tmp_path, checkins, ["0\t3", "3\t0", "0\t8", "8\t0"])
    new_york, san_francisco = cities(tmp_path, ("new_york", "san_francisco"))
    assert new_york.users.tolist() == [0, 3]
    assert new_york.friends.tolist() == [[0, 1]]
    assert (new_york.visits, new_york.few) == (20, 1)
    assert san_francisco.users.tolist() == [8]
    assert san_francisco.friends.tolist() == []


def test_the_box_holds_the_disc_and_touches_it() -> None:
    south, west, north, east = box_around(*NEW_YORK, RADIUS)
    latitude, longitude = NEW_YORK
    for up in (north, south):
        assert float(
            distances_km(np.array([[latitude, longitude]]), np.array([[up, longitude]]))[0, 0]
        ) == pytest.approx(RADIUS, rel=1e-9)
    parallels = np.linspace(latitude, latitude + 0.01, 2000)
    assert distances_km(
        np.array([[latitude, longitude]]), np.column_stack([parallels, np.full(len(parallels), east)])
    ).min() == pytest.approx(RADIUS, rel=1e-6)
    assert east - longitude == pytest.approx(longitude - west)


@NEEDS_DATA
@pytest.mark.slow
def test_the_cities_there_are() -> None:
    found = cities(data_folder())
    assert [(city.name, len(city.users), len(city.friends)) for city in found] == [
        ("new_york", 519, 1207),
        ("san_francisco", 997, 4989),
        ("los_angeles", 323, 447),
    ]
    for city in found:
        assert city.patterns.min() > 0
        assert city.patterns.max() < 1  # the box holds everybody


@NEEDS_DATA
@pytest.mark.slow
def test_profiles_of_adult() -> None:
    found = profiles(data_folder())
    assert found.points.shape == (30_162, len(found.names))
    np.testing.assert_allclose(np.linalg.norm(found.points, axis=1), 1)
    assert found.points.min() >= 0
    assert int((found.labels > 0).sum()) == 7508
    first = dict(zip(found.names, found.points[0] / found.points[0, found.names.index("9=Male")], strict=True))
    assert first["0"] == pytest.approx((39 - 17) / 73)
    assert first["10"] == pytest.approx(2174 / 99_999)
    assert {name for name, value in first.items() if value == 1} == {
        *("1=State-gov", "3=Bachelors", "5=Never-married", "6=Adm-clerical"),
        *("7=Not-in-family", "8=White", "9=Male", "13=United-States"),
    }
