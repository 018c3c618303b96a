"""All sums and maxima that free choices make, against trying every choice; and the pairs one record sets apart."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from dalenius.laws.lattice import Combine, attained, within
from dalenius.laws.matrix import Neighbours
from tests.cases import in_turn

HOWS: tuple[Combine, ...] = ("sum", "max", "min")


def choices_at_random(seed: int) -> list[tuple[list[int], int]]:
    generator = np.random.default_rng(seed)
    return [
        (generator.choice([0, 1, 2, 3, 6, -4, 10], size=generator.integers(1, 4)).tolist(), int(generator.integers(3)))
        for _ in range(3)
    ]


def tried(choices: list[tuple[list[int], int]]) -> list[tuple[int, ...]]:
    return list(product(*(numbers for numbers, times in choices for _ in range(times))))


@pytest.mark.parametrize("seed", range(2))
def test_sums_and_maxima_are_those_of_all_choices(seed: int) -> None:
    choices = choices_at_random(seed)
    arrays = [(np.array(numbers), times) for numbers, times in choices]
    sums = attained(arrays, "sum")
    assert sums is not None
    wanted = sorted({sum(each) for each in tried(choices)})
    assert list(sums) == wanted
    listed = within(sums, -2, 7)
    assert listed is not None
    assert listed.tolist() == [number for number in wanted if -2 <= number <= 7]
    if any(times for _, times in choices):
        most = attained(arrays, "max")
        assert most is not None
        assert list(most) == sorted({max(each) for each in tried(choices)})


def test_hundreds_of_millions_of_records_are_a_progression() -> None:
    bits = np.array([0, 1]), 300_000_000
    assert attained([bits, (np.array([0, 7]), 1000)], "sum") == range(300_007_001)
    assert attained([(np.array([-5, 5]), 10)], "sum") == range(-50, 51, 10)
    assert attained([(np.array([0, 1, 10**6]), 10**6)], "sum") is None


@in_turn({"how": HOWS, "seed": range(3)})
def test_pairs_are_those_of_all_data_sets(how: Combine, seed: int) -> None:
    others, own = choices_at_random(seed), [0, 2, 5]
    ways: dict[Combine, Callable[[list[int]], int]] = {"sum": lambda numbers: sum(numbers), "max": max, "min": min}
    together = ways[how]
    rows = tuple((np.array(numbers)[:, None], times) for numbers, times in others)
    found = Neighbours((), (), np.array(own)[:, None], rows, (how,)).pairs(0)
    assert found is not None
    wanted = {
        frozenset((together([one, *rest]), together([other, *rest])))
        for rest in tried(others)
        for one, other in product(own, repeat=2)
    }
    assert {frozenset(pair) for pair in found.tolist()} == {pair for pair in wanted if len(pair) == 2}
