"""Edges and affinity graphs against plain Python with exact fractions."""

from fractions import Fraction
from math import inf, nan
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.dependent.graphs import affinity, clean_edges, degrees
from dalenius.errors import TooLarge
from tests.cases import check_refused
from tests.reference.graphs import alike, cleaned

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


NORMS: tuple[Literal[1, 2], ...] = (1, 2)
WHOLE = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=12)


def edges_of(profiles: Any, threshold: float, norm: Literal[1, 2]) -> list[tuple[int, int]]:
    edges = affinity(profiles, threshold, norm).edges()
    return list(zip(edges.first.tolist(), edges.second.tolist(), strict=True))


@given(WHOLE, st.sampled_from([0.0, 0.5, 0.6, 0.8, 0.96, 0.2]), st.sampled_from(NORMS))
def test_whole_profiles_are_decided_exactly(rows: list[list[int]], threshold: float, norm: Literal[1, 2]) -> None:
    """Small whole numbers meet thresholds such as 4/5 exactly: (3, 4) and (1, 0) have .6."""
    assert edges_of(rows, threshold, norm) == alike(rows, Fraction(str(threshold)), norm)


def test_exactly_the_threshold_is_not_above_it() -> None:
    assert edges_of([[4, 3], [1, 0]], 0.8, 2) == []
    assert edges_of([[4, 3], [1, 0]], 0.79999999999999, 2) == [(0, 1)]
    assert edges_of([[400_001, 300_000], [1, 0]], 0.8, 2) == [(0, 1)]
    assert edges_of([[399_999, 300_000], [1, 0]], 0.8, 2) == []


def test_blocks_have_the_same_edges() -> None:
    size = 7
    draw = np.random.default_rng(2)
    rows = draw.normal(size=(90, 3)) + 2.0
    rows[[3, 50]] = 0.0
    rows[17, 1] = nan
    graph = affinity(rows, 0.8)
    whole = graph.edges()
    there = ~np.isin(np.arange(90), [3, 17, 50])
    kept = np.flatnonzero(there)
    expected = alike([[Fraction(x) for x in row] for row in rows[there].tolist()], Fraction(4, 5), 2)
    pairs = [(int(kept[one]), int(kept[other])) for one, other in expected]
    assert list(zip(whole.first.tolist(), whole.second.tolist(), strict=True)) == pairs
    assert 0 < len(pairs) < 87 * 86 / 2
    blocks = [(int(a), int(b)) for first, second in graph.blocks(size) for a, b in zip(first, second, strict=True)]
    assert sorted(blocks) == pairs
    assert graph.degrees(size).tolist() == degrees(whole).tolist()
    assert (graph.people, graph.without_profile) == (90, 3)
    assert not graph.degrees(size)[[3, 17, 50]].any()


def test_near_the_threshold_single_precision_does_not_decide() -> None:
    """Angles within 10^-9 of the threshold's, on both sides: single precision cannot tell them apart."""
    angle = np.arccos(0.8) + np.linspace(-1e-9, 1e-9, 21)
    rows = np.concatenate([[[1.0, 0.0]], np.stack([np.cos(angle), np.sin(angle)], axis=1)])
    graph = affinity(rows, 0.8)
    at_first = [second for first, second in zip(*_lists(graph.edges()), strict=True) if first == 0]
    assert at_first == list(range(1, 11)) or at_first == list(range(1, 12))  # the middle one is 0.8 to rounding
    assert (np.float32(np.cos(angle)) == np.float32(0.8)).sum() > 2


def _lists(edges: Any) -> tuple[list[int], list[int]]:
    return edges.first.tolist(), edges.second.tolist()


def test_profiles_of_any_size_are_alike_by_direction() -> None:
    rows = np.array([[1e-300, 2e-300], [1e300, 2e300], [-3.0, -6.0], [2.0, -1.0]])
    assert edges_of(rows, 0.99, 2) == [(0, 1), (0, 2), (1, 2)]


def test_more_edges_than_asked_for_are_refused() -> None:
    with pytest.raises(
        TooLarge, match=r"^an affinity graph: more than 2 edges is too large, use its degrees, or its bl"
    ):
        affinity(np.ones((3, 2))).edges(most=2)


def test_what_are_no_profiles_is_refused() -> None:
    check_refused(
        [
            (lambda: affinity([1.0, 2.0]), "profiles: of shape (2,), wanted a row of attributes for each person"),
            (
                lambda: affinity([[1.0], [inf]]),
                "profiles row 2: infinite, wanted finite numbers, or NaN for people without…",
            ),
            (lambda: affinity([[1.0]], 1.0), "threshold: 1.0, wanted a number of at least 0 and below 1"),
            (lambda: affinity([[1.0]], 0.8, 3), "norm: 3, wanted 1 or 2"),  # type: ignore[arg-type]
        ]
    )
