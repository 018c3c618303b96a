"""Moments that no records have are refused, and so is whatever needs the records' law."""

import pytest

from dalenius.certificates.model import Moments


def test_moments_that_attain_the_inequalities_are_kept() -> None:
    assert Moments(n=10, variance=4, third=8, fourth=16, range=4).third_moment == 8
    assert Moments(n=10, variance=0.3 * 0.3, third=0.3**3, range=1)
    assert Moments(n=10, neighbourhood=4, variance=1, third=0.125, fourth=0.0625, range=1)


def test_what_the_range_allows() -> None:
    """The worst third and fourth moments, over all laws of two values a range apart."""
    model = Moments(n=10, variance=1, range=2)
    chances = [step / 1000 for step in range(1, 1000)]
    third = max(p * (1 - p) * (p**2 + (1 - p) ** 2) * 8 for p in chances)
    fourth = max(p * (1 - p) * (p**3 + (1 - p) ** 3) * 16 for p in chances)
    assert third <= model.third_moment <= third * 1.001
    assert fourth <= model.fourth_moment <= fourth * 1.001
    assert Moments(n=10, variance=1, third=1.0, range=2).fourth_moment <= fourth * 1.001
    assert Moments(n=10, variance=0.1, third=0.1, range=2).fourth_moment == pytest.approx(0.2)
    assert Moments(n=10, variance=0.1, fourth=0.1, range=2).third_moment == pytest.approx(0.1**0.75)


def test_known_records_are_counted_as_decimals() -> None:
    assert Moments(n=100, variance=1, range=2, known_fraction=0.29).unknown == 71
    assert Moments(n=7, variance=1, range=2, known_fraction=0.5).unknown == 4
