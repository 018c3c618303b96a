"""Location patterns from rows of visits, and friends from rows of edges."""

from typing import Any

from dalenius.attacks.locations.visits import friends_among, of_city, patterns_of
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
