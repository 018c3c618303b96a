"""Intervals tightened exactly, their extreme laws, and edges."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.laws.box import Box
from dalenius.ratios.intervals.boxes import corners, largest_mean, smallest_mean, tightened
from tests.explore.rows import random_row, vertices
from tests.pace import draws


@draws(60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_extreme_laws_are_those_in_fractions(seed: int, k: int) -> None:
    row = random_row(Random(seed), k)
    found, wanted = Box.of(row), np.array([[float(each) for each in law] for law in vertices(row)])
    assert np.allclose(found.vertices(), wanted, rtol=1e-15, atol=0)
    assert np.allclose(found.lower, wanted.min(axis=0), rtol=1e-15, atol=0)
    assert np.allclose(found.upper, wanted.max(axis=0), rtol=1e-15, atol=0)
    assert found.is_point == (len(wanted) == 1)
    gains = np.random.default_rng(seed).random((20, k))
    assert np.allclose(found.largest(gains), (wanted @ gains.T).max(axis=0), rtol=1e-14, atol=0)
    assert np.allclose(found.smallest(gains), (wanted @ gains.T).min(axis=0), rtol=1e-14, atol=0)


@draws(60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_means_of_rows_in_doubles_are_from_outside(seed: int, k: int) -> None:
    """However far apart the weights are."""
    row, rng = random_row(Random(seed), k), np.random.default_rng(seed)
    box, laws = Box.of(row), vertices(row)
    weights = np.exp(-60 * rng.random(k) * rng.integers(0, 2, k))
    means = [sum((p * Fraction(float(w)) for p, w in zip(law, weights, strict=True)), Fraction()) for law in laws]
    assert largest_mean(box.lower, box.upper, weights) >= float(max(means)) * (1 - 1e-14)
    assert smallest_mean(box.lower, box.upper, weights) <= float(min(means)) * (1 + 1e-14)
    low, high = tightened(box.lower, box.upper)
    assert (low <= box.lower * (1 + 1e-15)).all()
    assert (high >= box.upper * (1 - 1e-15)).all()
    assert len(corners(box.lower, box.upper))


def test_rows_without_room_by_a_rounding_are_scaled() -> None:
    for row, wanted in (
        ((0.30000000000000004, (0.7, 0.8)), (0.3, 0.7)),
        ((0.1, 0.2, (0.6, 0.6999999999999999)), (0.1, 0.2, 0.7)),
    ):
        assert Box.of(row).is_point
        assert Box.of(row).point == pytest.approx(wanted, rel=1e-15)


def test_the_laws_without_some_entries() -> None:
    box = Box.of(((0.3, 0.6), (0, 0.4), (0.2, 0.4)))
    rest = box.among([0, 2])
    assert rest is not None
    assert rest.point.tolist() == [0.6, 0.4]
    assert box.among([0, 1]) is None
    # 10^-10 is missing: no rounding, and so not nothing.
    assert Box.of(((0.3, 0.6), (0, 0.4), (0.2, 0.3999999999))).among([0, 2]) is None
