"""Edges cleaned as plain Python cleans them, and degrees."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.errors import InputError, TooLarge
from dalenius.graphs import Dropped, clean_edges, degrees
from tests.reference.graphs import cleaned

PAIRS = st.lists(st.tuples(st.integers(-2, 8), st.integers(-2, 8)), max_size=40)


@given(st.integers(1, 7), PAIRS)
def test_edges_are_those_of_plain_python(people: int, pairs: list[tuple[int, int]]) -> None:
    edges, dropped = clean_edges(people, pairs)
    expected, reasons = cleaned(people, pairs)
    assert list(zip(edges.first.tolist(), edges.second.tolist(), strict=True)) == sorted(expected)
    assert dropped.shown() == reasons
    assert dropped.total + len(edges) == len(pairs)
    ends = [end for edge in expected for end in edge]
    assert degrees(edges).tolist() == [ends.count(person) for person in range(people)]


def test_each_reason_is_counted_once() -> None:
    pairs = [(0, 1), (1, 0), (0, 1), (2, 2), (9, 9), (2, -1), (1, 2)]
    edges, dropped = clean_edges(3, pairs)
    assert dropped == Dropped(self_loops=1, duplicates=2, unknown=2)
    assert dropped.total == 5
    assert (edges.first.tolist(), edges.second.tolist(), len(edges)) == ([0, 1], [1, 2], 2)
    assert degrees(edges).tolist() == [1, 2, 1]


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.float64])
def test_numbers_of_people_may_be_of_any_whole_kind(kind: Any) -> None:
    edges, _ = clean_edges(3, np.array([[2, 0], [1, 2]], dtype=kind))
    assert (edges.first.tolist(), edges.second.tolist()) == ([0, 1], [2, 2])
    assert edges.first.dtype == edges.second.dtype == np.int64


def test_people_without_edges() -> None:
    edges, dropped = clean_edges(4, [])
    assert (len(edges), dropped) == (0, Dropped())
    assert degrees(edges).tolist() == [0, 0, 0, 0]


def test_people_beyond_what_a_product_in_64_bits_holds() -> None:
    last = 3_000_000_000 - 1
    edges, _ = clean_edges(last + 1, [(last, last - 1)])
    assert (edges.first.tolist(), edges.second.tolist()) == ([last - 1], [last])
    with pytest.raises(TooLarge, match=r"^edges: 3,000,000,001 people is too large, split the graph"):
        clean_edges(last + 2, [])


@pytest.mark.parametrize(
    ("people", "pairs", "message"),
    [
        (0, [], r"^people: 0, wanted at least one$"),
        (3, np.zeros((2, 3), dtype=np.int64), r"^edges: of shape \(2, 3\), wanted two people a row$"),
        (3, np.array([[0.5, 1.0]]), r"^edges: cells of type float64, wanted people by their numbers, from 0$"),
        (3, np.array([[np.nan, 1.0]]), r"^edges: cells of type float64, wanted people by their numbers, from 0$"),
        (3, np.array([["a", "b"]]), r"^edges: cells of type <U1, wanted people by their numbers, from 0$"),
    ],
)
def test_what_are_no_edges_is_refused(people: int, pairs: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        clean_edges(people, pairs)
