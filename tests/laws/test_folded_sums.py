"""Attainable sums near a window, and remainders beyond, against every choice."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from dalenius.laws.folded_sums import folded, folded_choices
from dalenius.laws.sums import attainable_sums
from tests.cases import in_turn

CHOICES: tuple[Sequence[tuple[list[int], int]], ...] = (
    [([0, 1], 3)],
    [([0, 1, 3], 4), ([0, 5], 2)],
    [([10, 12], 3)],
    [([100, 103, 107], 2), ([1, 2], 1)],
    [([-7, 4], 3), ([0, 2], 2)],
    [([0, 40], 5)],
    [([], 0)],
)


def near(number: int, low: int, high: int, period: int) -> int:
    """The number itself, or the nearest one beyond the window that lies a multiple of the period away."""
    while number - period > high:
        number -= period
    while number + period < low:
        number += period
    return number


@in_turn({"choices": CHOICES, "window": [(-5, 11), (-30, 30), (0, 0)], "period": [1, 3, 4, 15]})
def test_against_every_choice(choices: Sequence[tuple[list[int], int]], window: tuple[int, int], period: int) -> None:
    low, high = window
    every = {sum(each) for each in product(*(numbers for numbers, times in choices for _ in range(times)))}
    arrays = [(np.array(numbers, dtype=np.int64), times) for numbers, times in choices]
    sums = attainable_sums(arrays, "sum")
    assert sums is not None
    found = folded(sums, low, high, period)
    assert found is not None
    assert found.tolist() == sorted({near(each, low, high, period) for each in every})
    above = folded_choices(arrays, high, period)
    assert above is not None
    assert above.tolist() == sorted({near(each, -(10**6), high, period) for each in every})


@pytest.mark.parametrize("people", [60, 1_000_000, 10**12])
def test_gaps_stay_near_the_least_sum_however_many_there_are(people: int) -> None:
    """Of prices of 3, 8 and 20 the sums 1, 2, 4, 5 and 7 are none, and 10 and 13 are gaps as well."""
    found = folded_choices([(np.array([0, 3, 8, 20]), people)], 30, 7)
    assert found is not None
    assert [gap for gap in range(30) if gap not in set(found.tolist())] == [1, 2, 4, 5, 7, 10, 13]
    assert set(range(31, 38)) <= set(found.tolist())


def test_too_wide_a_window_is_not_listed() -> None:
    assert folded_choices([(np.array([0, 1]), 5)], 10**6, 3) is None
