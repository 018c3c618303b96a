"""Edges cleaned as plain Python cleans them, and degrees."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.errors import TooLarge
from dalenius.graphs import clean_edges, degrees
from tests.cases import check_refused
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


def test_numbers_of_people_may_be_of_any_whole_kind() -> None:
    edges, _ = clean_edges(3, np.array([[2, 0], [1, 2]], dtype=np.float64))
    assert (edges.first.tolist(), edges.second.tolist()) == ([0, 1], [2, 2])
    assert edges.first.dtype == edges.second.dtype == np.int64


def test_people_beyond_what_a_product_in_64_bits_holds() -> None:
    last = 3_000_000_000 - 1
    edges, _ = clean_edges(last + 1, [(last, last - 1)])
    assert (edges.first.tolist(), edges.second.tolist()) == ([last - 1], [last])
    with pytest.raises(TooLarge, match=r"^edges: 3,000,000,001 people is too large, split the graph"):
        clean_edges(last + 2, [])


def test_what_are_no_edges_is_refused() -> None:
    by_number = "wanted people by their numbers, from 0"
    check_refused(
        [
            (lambda: clean_edges(0, []), "people: 0, wanted at least one"),
            (lambda: clean_edges(3, np.zeros((2, 3), np.int64)), "edges: of shape (2, 3), wanted two people a row"),
            (lambda: clean_edges(3, np.array([[0.5, 1.0]])), f"edges: cells of type float64, {by_number}"),
            (lambda: clean_edges(3, np.array([["a", "b"]])), f"edges: cells of type <U1, {by_number}"),
        ]
    )
