"""Positions: distances against mpmath, cells, the friend–distance law, and what is refused."""

from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest

from dalenius.dependent.graphs import PAPER, FriendDistance
from dalenius.dependent.places import Grid, distance_km, distance_miles
from tests.cases import Refusals, check_refused
from tests.reference.graphs import arc_km, friend_law

AUSTIN = Grid(south=30.0, west=-98.0, north=30.5, east=-97.5, rows=5, columns=4)


def test_distances_are_great_circles() -> None:
    """Between continents, poles, and antipodes, which lose half the digits to the arcsine's slope."""
    for one, other in (
        ((30.2672, -97.7431), (-33.9, 151.2)),
        ((90.0, 0.0), (-90.0, 12.0)),
        ((0.0, 0.0), (0.0, -180.0)),
    ):
        truth = arc_km(*one, *other)
        assert float(distance_km(*one, *other)) == pytest.approx(truth, rel=1e-11, abs=2e-4)
        assert float(distance_miles(*one, *other)) == pytest.approx(truth / 1.609344, rel=1e-11, abs=2e-4)


def test_near_places_keep_their_digits() -> None:
    assert float(distance_km(0.0, 0.0, 0.0, 1e-7)) == pytest.approx(6371.0088 * pi / 180 * 1e-7, rel=1e-9)
    assert float(distance_km(59.0, 18.0, 59.0, 18.0)) == 0.0


def test_cells_hold_their_south_western_sides_and_the_last_ones_all() -> None:
    lat = [30.0, 30.05, 30.5, 30.5, 30.0]
    lon = [-98.0, -97.8, -98.0, -97.5, -97.5]
    assert AUSTIN.cell_of(lat, lon).tolist() == [0, 1, 16, 19, 3]
    assert AUSTIN.cell_of(*AUSTIN.centres()).tolist() == list(range(len(AUSTIN))) == list(range(20))


def test_a_grid_around_positions_holds_them_all() -> None:
    draw = np.random.default_rng(1)
    lat, lon = draw.uniform(30, 31, 500), draw.uniform(-98, -97, 500)
    grid = Grid.around(lat, lon, rows=3, columns=7)
    assert grid.inside(lat, lon).all()
    assert set(grid.cell_of(lat, lon).tolist()) == set(range(21))
    apart = grid.distances_km()
    assert apart.shape == (21, 21)
    up, along = grid.centres()
    assert apart[2, 19] == pytest.approx(arc_km(up[2], along[2], up[19], along[19]), rel=1e-12)
    np.testing.assert_array_equal(apart, apart.T)
    np.testing.assert_allclose(grid.distances_miles() * 1.609344, apart, rtol=1e-15)


def test_a_city_is_flat() -> None:
    points = AUSTIN.points_miles()
    flat = np.hypot(*(points[:, None] - points).T)
    np.testing.assert_allclose(flat, AUSTIN.distances_miles(), rtol=3e-3)
    np.testing.assert_allclose(points.mean(axis=0), 0.0, atol=1e-9)
    assert points[1, 0] > points[0, 0]
    assert points[4, 1] > points[0, 1]


def test_the_law_of_a_friends_place_is_the_powers_normalised() -> None:
    assert (PAPER.a, PAPER.b, PAPER.c) == (0.0019, 0.196, 1.05)
    distances = np.array([[0.0, 0.01, 3.0, 12_000.0], [5.0, 5.0, 5.0, 5.0]])
    for law in (PAPER, FriendDistance(1.0, 1e-9, 40.0), FriendDistance(1.0, 2.0, 0.0)):
        found = law.law(distances)
        for row, given in zip(found, distances, strict=True):
            np.testing.assert_allclose(row, friend_law(given.tolist(), law.b, law.c), rtol=1e-12)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-15)
        np.testing.assert_allclose(np.exp(law.log_law(distances)), found, rtol=1e-12)
    assert float(PAPER.density(np.array([1.0]))[0]) == pytest.approx(0.0019 * 1.196**-1.05, rel=1e-14)
    steep = FriendDistance(1.0, 1e-300, 3.0)  # (distance + b)^-c overflows at 0
    np.testing.assert_allclose(steep.law(distances)[0], [1.0, 0.0, 0.0, 0.0])
    assert np.isfinite(steep.log_law(distances)).all()


SQUARE: dict[str, Any] = {"south": 30.0, "west": -98.0, "north": 30.5, "east": -97.5, "rows": 5, "columns": 4}
REFUSED: Refusals = [
    (lambda: AUSTIN.cell_of([0.0, 91.0], [0.0, 0.0]), "lat row 2: 91.0, wanted degrees from -90 to 90"),
    (
        lambda: AUSTIN.cell_of([0.0, 0.0, 0.0], [0.0, -inf, 200.0]),
        "lon row 2: -inf, wanted degrees from -180 to 180; 2 rows have none",
    ),
    (
        lambda: AUSTIN.cell_of([30.1, 31.0], [-97.9, -97.9]),
        "position row 2: 31, -97.9, wanted one inside the grid, 30 to 30.5 north…",
    ),
    (lambda: Grid(**SQUARE | {"south": 30.5}), "north: 30.5, wanted degrees above south, 30.5"),
    (lambda: Grid(**SQUARE | {"east": -99.0}), "east: -99.0, wanted degrees above west, -98.0"),
    (lambda: Grid(**SQUARE | {"rows": 0}), "rows: 0, wanted at least 1"),
    (lambda: Grid.around([], [], 2, 2), "positions: none, wanted at least two"),
    (lambda: FriendDistance(0.0, 1.0, 1.0), "a: 0.0, wanted a finite number above 0"),
    (lambda: FriendDistance(1.0, 1.0, nan), "c: nan, wanted a finite number of at least 0"),
    (lambda: PAPER.law(np.array([[0.0, -1.0]])), "distances: -1.0, wanted miles of at least 0"),
]


def test_what_is_no_place_no_grid_and_no_law_is_refused() -> None:
    check_refused(REFUSED)
