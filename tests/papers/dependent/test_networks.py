"""Who is like whom, against plain Python with exact fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, strategies as st

from papers.dependent.networks import alike, alike_degrees
from tests.reference import graphs as reference

WHOLE = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=12)


def pairs_of(profiles: Any, threshold: float, side: int = 2048) -> list[tuple[int, int]]:
    blocks = alike(np.asarray(profiles, dtype=np.float64), threshold, side)
    return sorted((int(a), int(b)) for first, second in blocks for a, b in zip(first, second, strict=True))


@given(WHOLE, st.sampled_from([0.0, 0.5, 0.6, 0.8, 0.96, 0.2]))
def test_whole_profiles_are_decided_exactly(rows: list[list[int]], threshold: float) -> None:
    """Small whole numbers meet thresholds such as 4/5 exactly: (3, 4) and (1, 0) have .6."""
    assert pairs_of(rows, threshold) == reference.alike(rows, Fraction(str(threshold)), 2)


def test_exactly_the_threshold_is_not_above_it() -> None:
    assert pairs_of([[4, 3], [1, 0]], 0.8) == []
    assert pairs_of([[4, 3], [1, 0]], 0.79999999999999) == [(0, 1)]
    assert pairs_of([[400_001, 300_000], [1, 0]], 0.8) == [(0, 1)]
    assert pairs_of([[399_999, 300_000], [1, 0]], 0.8) == []


def test_blocks_have_the_same_pairs() -> None:
    rows = np.random.default_rng(2).normal(size=(90, 3)) + 2.0
    rows[[3, 50]] = 0.0  # like nobody
    kept = np.flatnonzero(rows.any(axis=1))
    exact = reference.alike([[Fraction(x) for x in row] for row in rows[kept].tolist()], Fraction(4, 5), 2)
    pairs = [(int(kept[one]), int(kept[other])) for one, other in exact]
    assert 0 < len(pairs) < 88 * 87 / 2
    assert pairs_of(rows, 0.8) == pairs_of(rows, 0.8, side=7) == pairs
    ends = [end for pair in pairs for end in pair]
    assert alike_degrees(rows, 0.8).tolist() == [ends.count(person) for person in range(90)]
