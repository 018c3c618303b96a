"""All sums and maxima that free choices make, against trying every choice; and the pairs one record sets apart.

leave_one_out against division.

The law of a sum on a window, against the law of all of it.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import exp, prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import Count, Households, NoNoise, Release
from dalenius.arrays import Array, IntArray
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.laws.generating_function_algebra import Transform, leave_one_out
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Combine, attainable_sums, sums_within
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
    sums = attainable_sums(arrays, "sum")
    assert sums is not None
    wanted = sorted({sum(each) for each in tried(choices)})
    assert list(sums) == wanted
    listed = sums_within(sums, -2, 7)
    assert listed is not None
    assert listed.tolist() == [number for number in wanted if -2 <= number <= 7]
    if any(times for _, times in choices):
        most = attainable_sums(arrays, "max")
        assert most is not None
        assert list(most) == sorted({max(each) for each in tried(choices)})


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


class Numbers(Transform[Fraction]):
    """The elements are numbers, the factor of slot k is k."""

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Fraction:
        factors = [Fraction(int(slot)) for slot in slots]
        return self.mix(log_weights, [self.product(factors, [int(n) for n in row]) for row in counts])

    def product(self, elements: Sequence[Fraction], powers: Sequence[int]) -> Fraction:
        return prod((element**power for element, power in zip(elements, powers, strict=True)), start=Fraction(1))

    def mix(self, log_weights: Array, elements: Sequence[Fraction]) -> Fraction:
        return sum((Fraction(exp(w)) * e for w, e in zip(log_weights, elements, strict=True)), Fraction(0))


@given(st.lists(st.tuples(st.fractions(-3, 3, max_denominator=9), st.integers(1, 4)), max_size=9))
def test_leave_one_out(factors: list[tuple[Fraction, int]]) -> None:
    elements, powers = [element for element, _ in factors], [power for _, power in factors]
    found = leave_one_out(Numbers(), elements, powers)
    assert len(found) == len(elements)
    total = Numbers().product(elements, powers)
    for i, (element, without) in enumerate(zip(elements, found, strict=True)):
        if element:
            assert without == total / element
        else:
            assert without == Numbers().product(elements, [power - (i == j) for j, power in enumerate(powers)])


@in_turn({"engine, count": [("tilting", 15_000), ("window", 1_000_000)], "ill": [0.5, 0.55]})
def test_masses_are_those_of_the_binomial_law(engine: str, count: int, ill: float) -> None:
    """To within the law's own error, at every answer of 12 deviations: no factor of a tilt's own, no turned angle."""
    release = Release(Households(count=count, infected=[1 - ill, ill]), Count(), NoNoise(), engine=engine)
    channel = next(iter(release.worlds.exact_answers()))
    law = channel.window().law if isinstance(channel, WindowChannel) else channel.likelihood
    wide = int(12 * np.sqrt(count * ill * (1 - ill)))
    answers = np.arange(int(count * ill) - wide, int(count * ill) + wide + 1)
    v, p = answers.astype(np.longdouble), np.longdouble(round(100 * ill)) / 100
    steps = np.log((count - 1 - v[:-1]) / (v[:-1] + 1) * (p / (1 - p)))
    logs = np.concatenate([np.zeros(1, np.longdouble), np.cumsum(steps)])
    logs -= logs[wide]
    logs -= np.log(np.sum(np.exp(logs)))
    found = law.log_mass()[0][answers - law.start[0]]
    assert float(np.max(np.abs(found - logs))) <= law.error + 1e-14
