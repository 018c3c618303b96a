"""Long chains without a law of the answer: the recursions at ±∞ and the range of the ratios, against all outputs.

Suprema over sets of laws: no law is above, and what is not worth a closer look is bounded all the same.

Where pairs contradict that neighbourhoods are independent of everybody else, against all paths of two edges.
"""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from mpmath import mp

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel import record_world
from dalenius.channel.large import long_channel
from dalenius.channel.large.long_records import LongRecords
from dalenius.channel.large.message_bounds import ranges
from dalenius.channel.large.outermost_outputs import ChainEnds
from dalenius.channel.large.windowed_records import WindowedRecords
from dalenius.intervals.credal_supremum import Quotients, largest_over_laws
from dalenius.joints.markov_chain_factor import MarkovChain, markov_chain
from dalenius.laws.box import Box
from dalenius.laws.extended_range import Masses
from dalenius.noise import Noise
from dalenius.pairs.pairwise_belief import open_path
from tests.cases import in_turn
from tests.intervals.laws_inside import drawn_from
from tests.pace import draws
from tests.reference import long_chain as reference

SCALES = (Fraction(1, 4), Fraction(1), Fraction(3), Fraction(10), Fraction(60))


def rows(states: int) -> st.SearchStrategy[list[list[Fraction]]]:
    """Transition matrices: any, with zeros, and such that stay."""
    row = st.lists(st.sampled_from([0, 1, 1, 2, 5, 30]), min_size=states, max_size=states).filter(any)
    anything = st.lists(row.map(normal), min_size=states, max_size=states)
    return anything | st.sampled_from([10, 100]).map(lambda most: sticky(states, most))


def normal(weights: Sequence[int]) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights]


def sticky(states: int, most: int) -> list[list[Fraction]]:
    return [normal([most if one == other else 1 for other in range(states)]) for one in range(states)]


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[Fraction], list[list[list[Fraction]]], list[list[int]]]:
    """initial; steps; scores, by record and state."""
    states = draw(st.integers(2, 3))
    n = draw(st.integers(2, 8 if states == 2 else 6))
    initial = normal(draw(st.lists(st.integers(0, 5), min_size=states, max_size=states).filter(any)))
    if draw(st.booleans()):
        steps = [draw(rows(states))] * (n - 1)
        scores = [draw(st.lists(st.integers(0, 5), min_size=states, max_size=states))] * n
    else:
        steps = [draw(rows(states)) for _ in range(n - 1)]
        scores = [draw(st.lists(st.integers(0, 4), min_size=states, max_size=states)) for _ in range(n)]
    return initial, steps, scores


def of(initial: Sequence[Fraction], steps: Any, scores: Sequence[Sequence[int]]) -> ChainEnds:
    matrices = Masses.ratios(*zip(*(p.as_integer_ratio() for m in steps for row in m for p in row), strict=True))
    first = Masses.ratios(*zip(*(p.as_integer_ratio() for p in initial), strict=True))
    k, n = len(initial), len(scores)
    made = markov_chain(first, matrices.reshaped((n - 1, k, k)), np.arange(n - 1), np.zeros(n, dtype=np.int64))
    return ChainEnds.of(made, np.array(scores, dtype=np.int64))


def leans(steps: Any, scores: Sequence[Sequence[int]]) -> bool:
    """Whether no score falls, and no 2 × 2 minor is negative, along the values."""
    minors = (
        m[i][a] * m[j][b] - m[i][b] * m[j][a]
        for m in steps
        for i, j in combinations(range(len(m)), 2)
        for a, b in combinations(range(len(m)), 2)
    )
    return all(minor >= 0 for minor in minors) and all(list(own) == sorted(own) for own in scores)


HALF = [Fraction(1, 2)] * 2
SWAP = [[Fraction(1, 10), Fraction(9, 10)], [Fraction(9, 10), Fraction(1, 10)]]


@pytest.mark.lengthy
@given(drawn=chains(), scale=st.sampled_from(SCALES))
@example(drawn=(HALF, [sticky(2, 99)] * 7, [[0, 1]] * 8), scale=Fraction(10))
@example(drawn=(HALF, [SWAP] * 7, [[0, 1]] * 8), scale=Fraction(1))
@example(drawn=(HALF, [SWAP, sticky(2, 9), SWAP], [[0, 1], [3, 0], [2, 2], [1, 5]]), scale=Fraction(3))
@example(drawn=([Fraction(1), Fraction(0)], [[[Fraction(1), Fraction(0)], HALF]] * 4, [[0, 1]] * 5), scale=Fraction(1))
@draws(60)
def test_every_ratio_lies_between(drawn: Any, scale: Fraction) -> None:
    initial, steps, scores = drawn
    ends = of(*drawn)
    found = ends.outermost(float(1 / scale))
    for place, laws in enumerate(reference.listed(initial, steps, scores)):
        for one in laws:
            for other in set(laws) - {one}:
                with mp.workdps(30):
                    truth = reference.ratio(laws, scale, one, other)
                apart = found.ends[:, place, one] - found.ends[:, place, other]
                assert float(np.max(apart)) - found.error <= truth
                assert truth <= found.most[place, one, other]
                if leans(steps, scores):
                    assert truth > found.most[place, one, other] - 1e-9


@pytest.mark.slow
def test_limits_of_ten_thousand_steps_to_fifty_digits() -> None:
    n, place, stay = 10_000, 4_321, "0.99"
    with mp.workdps(50):
        rest = 1 - float(stay)
        step = [[mp.mpf(float(stay)), mp.mpf(rest)], [mp.mpf(rest), mp.mpf(float(stay))]]
        up, down = (reference.limits([mp.mpf(0.5)] * 2, step, (0, 1), n, place, sign / mp.mpf(128)) for sign in (1, -1))
        truth = [down[1] - down[0], up[1] - up[0]]
    model = dl.Chain(n=n, transition=[[float(stay), rest], [rest, float(stay)]], initial=[0.5, 0.5])
    chain = model.law().chain
    found = ChainEnds.of(chain, np.tile(np.arange(2), (n, 1))).outermost(1 / 128)
    for end, exact in enumerate(truth):
        apart = found.ends[end, place, 1] - found.ends[end, place, 0]
        assert abs(apart - float(exact)) <= found.error < 1e-10
    assert float(truth[1]) <= found.most[place, 1, 0] <= float(truth[1]) + 1e-10


THREE = [[0.99, 0.005, 0.005], [0.005, 0.99, 0.005], [0.005, 0.005, 0.99]]
MODELS: dict[str, tuple[Any, Any, bool]] = {
    "sticky": ([[0.95, 0.05], [0.1, 0.9]], None, True),
    "three values": (THREE, None, False),
    "uneven values": ([[0.8, 0.2], [0.3, 0.7]], [0, 7], True),
    "every step its own": ("steps", None, True),
    "never back": ([[0.98, 0.02], [0.0, 1.0]], None, True),
    "swapping": ([[0.2, 0.8], [0.7, 0.3]], None, False),
}


def read(channel: Any) -> Iterator[Enclosure]:
    yield channel.ratio().value
    yield channel.movement().raised.value
    yield channel.movement().lowered.value
    yield channel.divergence().forward.value
    yield channel.divergence().reverse.value
    yield channel.neighbours().value


def release_of(name: str, n: int, noise: Noise, **secrets: Any) -> dl.Release:
    transition, values, _ = MODELS[name]
    if transition == "steps":
        transition = [[[0.9, 0.1], [0.3 + 0.5 * t / n, 0.7 - 0.5 * t / n]] for t in range(n - 1)]
    k = len(transition[0])
    initial = [1.0, 0.0] if name == "never back" else [1 / 2, 1 / 2] if k == 2 else [0.2, 0.3, 0.5]
    model = dl.Chain(n=n, transition=transition, initial=initial, values=values)
    return dl.Release(model, dl.Sum(), noise, dl.Secrets(**secrets))


def meet(found: Sequence[Any], full: Sequence[Sequence[Any]]) -> None:
    """Each enclosure, and the largest of those of every record alone, have a number in common."""
    for place, value in enumerate(found):
        low, high = (max(each[place][side] for each in full) for side in (0, 1))
        assert value.lower <= high * (1 + 1e-12) + 1e-14
        assert low <= value.upper * (1 + 1e-12) + 1e-14


@pytest.mark.slow
@in_turn({"geometric": [False, True], "name": MODELS})
def test_agrees_with_the_whole_law(name: str, geometric: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = (dl.Geometric if geometric else dl.Laplace)(scale=20.0)
    people = {"people": (1, 7, 150, 300)}
    full = [list(read(each)) for each in release_of(name, 300, noise, **people).all_channels()]
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    monkeypatch.setattr(long_channel, "LONG_FROM", 10)
    release = release_of(name, 300, noise, **people)
    (found,) = release.all_channels()
    long = found.bounded if isinstance(found, WindowedRecords) else found
    assert isinstance(long, LongRecords)
    meet(list(read(long)), full)
    if MODELS[name][2]:
        assert all(
            each.upper == each.lower or each.upper - each.lower <= 1e-9 * max(1, each.upper) for each in read(long)
        )
    # The witness's own output does what is said.
    witness = long.ratio().witness
    assert witness is not None
    assert witness.output is not None
    (own,) = release_of(name, 300, noise, people=(witness.person,)).channels()
    (update,) = own.at(witness.output).updates
    assert update.odds.upper >= long.ratio().value.lower * (1 - 1e-9)


@given(drawn=chains())
@example(drawn=(HALF, [SWAP] * 7, [[0, 1]] * 8))
@example(drawn=(HALF, [sticky(2, 99)] * 5, [[0, 1], [1, 1], [0, 2], [3, 3], [0, 1], [1, 1]]))
@draws(60)
def test_what_an_exact_sum_says_lies_between(drawn: Any) -> None:
    outer = of(*drawn).exactly()
    for place, laws in enumerate(reference.listed(*drawn)):
        with mp.workdps(30):
            here = reference.told_exactly(laws)
        for one in laws:
            for other in set(laws) - {one}:
                with np.errstate(invalid="ignore"):
                    least = np.nan_to_num(outer.ends[:, place, one] - outer.ends[:, place, other], posinf=inf)
                # Where only one of the two is ruled out, the ratio is infinite.
                assert max(least) <= max(here[one, other], 0.0) <= outer.most[place, one, other]


@in_turn({"gaussian": [False, True], "name": ["uneven values", "every step its own"]})
def test_exact_sums_agree_with_the_whole_law(name: str, gaussian: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    noise: Any = dl.Gaussian(scale=20.0) if gaussian else dl.NoNoise()
    people = {"people": (1, 7, 20, 40)}
    full = [list(read(each)) for each in release_of(name, 40, noise, **people).all_channels()]
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
    monkeypatch.setattr(long_channel, "LONG_FROM", 10)
    monkeypatch.setattr(long_channel, "MOST_FREQUENCIES", 0)
    release = release_of(name, 40, noise, **people)
    (long,) = release.all_channels()
    assert isinstance(long, LongRecords)
    meet(found := list(read(long)), full)
    assert all(value.upper == value.lower or value.upper - value.lower <= 1e-9 for value in found)
    witness = long.ratio().witness
    assert witness is not None
    assert witness.output is not None


def test_calibrates_ten_thousand_days() -> None:
    release = release_of("sticky", 10_000, dl.Laplace())
    found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=0.5))
    assert found.sound
    assert 0.5 - 1e-8 < found.leakage.lower <= found.leakage.upper <= 0.5
    # What certainty would bring needs no noise.
    prior = max(-float(np.min(s.log_prior)) for s in release.worlds.joints[0].subjects())
    assert dl.calibrate(release, dl.InformationPrivacy(epsilon=prior + 1e-6)).noise.shape.adds_nothing


def test_chains_in_unlimited_range() -> None:
    """Steps of probability 1e-300, a hundred of them in a row, and a scale so small that weights leave the doubles."""
    rare = 1e-300
    model = dl.Chain(n=200, transition=[[1 - rare, rare], [rare, 1 - rare]], initial=[0.5, 0.5])
    chain = model.law().chain
    assert isinstance(chain, MarkovChain)
    found = ChainEnds.of(chain, np.tile(np.arange(2), (200, 1))).outermost(10.0)
    apart = found.ends[1, 100, 1] - found.ends[1, 100, 0]
    # Whoever is 1 in the middle goes on for ever, or changes once on either side: 2 log(1/rare) at most.
    assert apart == pytest.approx(2 * 300 * np.log(10), rel=0.1)
    assert apart <= found.most[100, 1, 0] < apart + 1e-3


def case(seed: int) -> tuple[Box, Quotients, np.random.Generator]:
    """A random set, and random problems over it."""
    rng = np.random.default_rng(seed)
    size, count = int(rng.integers(2, 7)), int(rng.integers(1, 12))
    law, width = rng.dirichlet(np.ones(size)), rng.choice([0.02, 0.1, 0.3])
    below, loss = rng.random((2, count, size))
    above, gain = below * rng.random((count, size)), loss * np.exp(rng.normal(size=(count, size)))
    return Box(law * (1 - width), np.minimum(law * (1 + width) + 0.01, 1)), Quotients(above, below, gain, loss), rng


@given(st.integers(0, 2**32 - 1))
@draws(30)
def test_the_largest_product_of_two_quotients(seed: int) -> None:
    box, problems, rng = case(seed)
    laws = np.concatenate([drawn_from(box, rng, 200), box.vertices])
    found = largest_over_laws(box, problems)
    assert float(problems.values(laws).max()) - 1e-9 <= found.lower <= found.upper <= found.lower + 1e-3


def by_hand(people: int, edges: list[tuple[int, int, bool]], whose: list[int]) -> set[tuple[int, int, int]]:
    near = {person: {b if a == person else a for a, b, _ in edges if person in (a, b)} for person in range(people)}
    moving = {frozenset((a, b)) for a, b, depends in edges if depends}
    return {
        (i, j, k)
        for i in whose
        for j in near[i]
        for k in near[j]
        if k != i and k not in near[i] and frozenset((j, k)) in moving
    }


def test_random_graphs() -> None:
    rng = random.Random(1)
    kinds = {True: 0, False: 0}
    for _ in range(300):
        people = rng.randint(2, 7)
        share = rng.choice([0.2, 0.5, 0.9, 1.0])
        pairs = [(a, b) for a in range(people) for b in range(a + 1, people) if rng.random() < share]
        edges = [(a, b, rng.random() < 0.8) for a, b in pairs]
        first, second = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
        moving = np.array([edge[2] for edge in edges], dtype=bool)
        for whose in (None, sorted(rng.sample(range(people), rng.randint(1, people)))):
            true = by_hand(people, edges, list(range(people)) if whose is None else whose)
            found = open_path(whose, first, second, moving)
            assert (found is None) == (not true)
            assert found is None or found in true
            kinds[found is None] += 1
    assert min(kinds.values()) > 50


@pytest.mark.parametrize("period", [1, 2, 7])
@pytest.mark.parametrize("n", [2, 8, 203])
def test_ranges_that_come_back_are_those_of_every_step(period: int, n: int) -> None:
    kernels = np.random.default_rng(period).dirichlet(np.ones(3), (period, 3))
    which = np.arange(n - 1) % period
    away = np.broadcast_to(0.4 * np.abs(np.subtract.outer(range(3), range(3))), (n - 1, 3, 3))
    each = ranges(kernels[which], np.arange(n - 1), away)
    for found in (ranges(kernels[which], np.arange(n - 1), away, period), ranges(kernels, which, away, period)):
        assert found == pytest.approx(each, abs=1e-11)
