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
from hypothesis import example, given, strategies as st

from dalenius import Count, Households, NoNoise, Release
from dalenius.channel.finite.answers import Component
from dalenius.channel.finite.averages import WindowChannel
from dalenius.channel.finite.records import RecordWorld
from dalenius.laws.lattice import Combine, attained, within
from dalenius.laws.law import Array, IntArray, Law, Window
from dalenius.laws.matrix import Neighbours
from dalenius.laws.transform import Transform, leave_one_out
from dalenius.models import Model
from dalenius.queries import Query
from tests.cases import in_turn
from tests.pace import draws

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


WEIGHTS = st.lists(st.sampled_from([0.0, 1e-9, 0.01, 0.2, 1.0, 3.0]), min_size=2, max_size=5).filter(
    lambda drawn: sum(each > 0 for each in drawn) > 1
)
POPULATIONS = st.lists(st.tuples(WEIGHTS, st.integers(1, 700)), min_size=1, max_size=3)


def both(model: Model, query: Query) -> list[tuple[Window, Law]]:
    """By subject the window and the whole law, each convolution of positive terms."""
    worlds = [Release(model, query, NoNoise(), engine=engine).record_worlds[0] for engine in ("window", "convolution")]
    seen, whole = (_component(world) for world in worlds)
    found = []
    for subject, law in whole.laws():
        at = seen.seen_of(subject)
        assert at is not None
        found.append((at.window(), law))
    return found


def _component(world: RecordWorld) -> Component:
    (component,) = world.components
    assert isinstance(component, Component)
    return component


def check(window: Window, whole: Law) -> None:
    first = window.law.start[0] - whole.start[0]
    inside = slice(first, first + window.law.box[0])
    masses, true = window.law.log_mass(), whole.log_mass()
    for found, wanted, lost in zip(masses, true, window.lost, strict=True):
        outside = np.exp(np.delete(wanted, np.arange(inside.start, inside.stop))).sum()
        assert outside <= lost * (1 + 1e-9)
        there = found > -np.inf
        assert np.all(np.abs(found[there] - wanted[inside][there]) <= window.law.error + whole.error)
        missed = np.exp(wanted[inside][~there])
        floor = np.exp((window.law.base + window.law.floor)[~there]) if window.law.floor is not None else 0.0
        assert np.all(missed <= np.asarray(floor) * (1 + 1e-9) + 1e-300)


@given(POPULATIONS)
@example([([1.0, 0.0, 0.0, 0.0, 1.0], 300)])
@example([([1.0, 1e-9], 700)])
@example([([0.0, 1.0, 3.0], 1), ([3.0, 0.2], 500)])
@draws(40)
def test_households_of_several_types(population: list[tuple[list[float], int]]) -> None:
    types = [
        {"count": count, "infected": [weight / sum(weights) for weight in weights]} for weights, count in population
    ]
    if len(types) == 1 and types[0]["count"] == 1:
        return
    for window, whole in both(Households(types=types), Count()):
        check(window, whole)


@in_turn({"engine, count": [("tilting", 15_000), ("window", 1_000_000)], "ill": [0.5, 0.55]})
def test_masses_are_those_of_the_binomial_law(engine: str, count: int, ill: float) -> None:
    """To within the law's own error, at every answer of 12 deviations: no factor of a tilt's own, no turned angle."""
    release = Release(Households(count=count, infected=[1 - ill, ill]), Count(), NoNoise(), engine=engine)
    channel = next(iter(release.answers()))
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
