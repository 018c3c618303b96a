"""Location patterns from rows of visits, and friends from rows of edges."""

from typing import Any

import numpy as np
import pytest

from dalenius.attacks.locations.visits import friends_among, of_city, patterns_of
from dalenius.errors import InputError
from dalenius.graphs import Dropped

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
    pairs = {"user1": [7, 3, 7, 3, 9], "user2": [3, 7, 7, 3, 7]}
    edges, dropped = friends_among(pairs, (7, 3))
    assert (edges.first.tolist(), edges.second.tolist()) == ([0], [1])
    assert dropped == Dropped(self_loops=2, duplicates=1, unknown=1)
    assert len(friends_among({"user1": [], "user2": []}, (7, 3))[0]) == 0


def test_one_city() -> None:
    table: dict[str, list[Any]] = {"city": ["x", "y", "x"], "user1": [1, 2, 3], "user2": [3, 4, 1]}
    assert of_city(table, ("user1", "user2"), "x") == {"user1": [1, 3], "user2": [3, 1]}
    assert of_city({"user1": [1], "user2": [3]}, ("user1", "user2"), None) == {"user1": [1], "user2": [3]}
    with pytest.raises(InputError, match="city: missing, wanted one of x, y"):
        of_city(table, ("user1",), None)
    with pytest.raises(InputError, match="city: z, wanted one of x, y"):
        of_city(table, ("user1",), "z")


BAD: dict[str, tuple[dict[str, list[Any]], str]] = {
    "position": ({"lat": [1.0, 2.0, 1.0, 91.0, 4.0, 2.0]}, "lat row 4: 91.0, wanted degrees from -90 to 90"),
    "no number": ({"lon": [5.0, "x", 5.0, 7.0, 8.0, 6.0]}, "lon row 2: x, wanted a number"),
    "no visits": ({"count": [2, 0, 1, 2, 1, 1]}, "count row 2: 0.0, wanted a finite number above 0"),
    "two positions": (
        {"lat": [1.0, 2.0, 1.5, 3.0, 4.0, 2.0]},
        "poi row 3: a, wanted one position per place, it was at (1.0, 5.0) before",
    ),
}


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD)
def test_bad_rows(changed: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        patterns_of(ROWS | changed, 2)
    assert str(caught.value) == message


def test_no_places_asked_for() -> None:
    with pytest.raises(InputError, match="places: 0, wanted at least 1 per person"):
        patterns_of(ROWS, 0)


def test_many_rows_are_quick() -> None:
    rng = np.random.default_rng(1)
    rows = {
        "user": rng.integers(0, 500, 50_000).tolist(),
        "poi": (pois := rng.integers(0, 900, 50_000)).tolist(),
        "lat": (pois / 100).tolist(),
        "lon": (pois / 50).tolist(),
        "count": [1] * 50_000,
    }
    assert patterns_of(rows, 6).places.shape == (500, 6, 2)
