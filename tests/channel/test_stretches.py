"""Stretches of a chain: the function of a sum that tells its laws apart most, and chains that turn the order round."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import dalenius as dl
from dalenius.channel.finite import long_world
from dalenius.joints import ChainEnds
from dalenius.joints.chain import stretches
from dalenius.joints.chain.lipschitz import most_apart
from tests.channel.test_long_suprema import of
from tests.pace import draws
from tests.reference import long_chain as reference

CHANGES = [[0.2, 0.8], [0.7, 0.3]]
MASSES = st.lists(st.sampled_from([0.0, 1e-280, 1e-9, 0.1, 1.0, 3.0]), min_size=5, max_size=5).filter(any)


def zigzags(one: list[float], other: list[float], rate: float) -> float:
    """By listing: a ratio of two linear functions is largest where every step is as steep as it may be."""
    best = 0.0
    for signs in product((-1, 1), repeat=len(one) - 1):
        weights = np.exp(rate * np.cumsum([0, *signs]))
        below = float(weights @ other)
        best = max(best, float(weights @ one) / below if below > 0 else np.inf)
    return float(np.log(best))


@given(one=MASSES, other=MASSES, rate=st.sampled_from([1e-4, 0.3, 4.0]))
@example(one=[1.0, 0.0, 1.0, 0.0, 1.0], other=[0.0, 1.0, 0.0, 1.0, 0.0], rate=0.3)
@example(one=[1.0, 0.0, 0.0, 0.0, 0.0], other=[0.0, 0.0, 0.0, 0.0, 1.0], rate=4.0)
@draws(100)
def test_no_slow_function_tells_laws_apart_more(one: list[float], other: list[float], rate: float) -> None:
    found = float(most_apart(np.array(one), np.array(other), rate, np.array(-1000.0)))
    truth = zigzags(one, other, rate)
    assert truth - 1e-14 * abs(truth) <= found <= truth + 1e-12 * max(1.0, abs(truth))


def days(n: int, transition: Any, scores: list[int]) -> ChainEnds:
    chain = dl.Chain(n=n, transition=transition, initial="stationary").law().chain
    return ChainEnds(chain, np.tile(np.array(scores), (n, 1)))


def gap(ends: ChainEnds, scale: float) -> float:
    found = ends.outermost(1 / scale)
    limits = np.max([side[:, :, None] - side[:, None, :] for side in found.ends], axis=0)
    return float(np.max(found.most - limits * (1 - np.eye(limits.shape[1]))))


@pytest.mark.parametrize("scale", [0.5, 3.0, 1000.0])
def test_bits_that_change_leak_most_at_the_ends(scale: float) -> None:
    assert gap(days(2500, CHANGES, [0, 1]), scale) <= 1e-9


def test_a_week_of_steps_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of different days: records with the same days around them share a bound."""
    monkeypatch.setattr(stretches, "MOST_WORK", 1 << 23)
    week = [CHANGES, CHANGES, [[0.4, 0.6], [0.5, 0.5]]]
    model = dl.Chain(n=901, transition=[week[day % 3] for day in range(900)], initial=[0.3, 0.7])
    assert gap(ChainEnds(model.law().chain, np.tile([0, 1], (901, 1))), 3.0) <= 1e-9


def test_of_a_whole_chain_no_more_than_functions_can() -> None:
    """Where the stretch is the chain: rows, scores and steps that differ, and values that cannot occur."""
    third, half = Fraction(1, 3), Fraction(1, 2)
    steps = [
        [[third, third, third], [Fraction(0), half, half], [Fraction(9, 10), Fraction(0), Fraction(1, 10)]],
        [[Fraction(1, 10), Fraction(0), Fraction(9, 10)], [half, half, Fraction(0)], [third, third, third]],
    ] * 2
    initial, scores = [half, half, Fraction(0)], [[0, 1, 2], [3, 0, 1], [2, 2, 0], [0, 2, 1], [1, 0, 0]]
    found = of(initial, steps, scores).outermost(1 / 3)
    for place, laws in enumerate(reference.listed(initial, steps, scores)):
        for one, other in [(one, other) for one in laws for other in laws if one != other]:
            truth = float(reference.ratio(laws, Fraction(3), one, other))
            mine, its = (
                [float(laws[s].get(v, Fraction(0)) / sum(laws[s].values())) for v in range(9)] for s in (one, other)
            )
            assert truth <= found.most[place, one, other] <= zigzags(mine, its, 1 / 3) + 1e-11


def test_what_is_too_wide_for_a_double_is_left_to_the_range_of_the_ratios() -> None:
    found = days(40, [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]], [0, 1, 4000]).outermost(1.0)
    assert np.all(np.isfinite(found.most))


def test_several_chains_leak_what_each_would_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the laws of the whole answer: two chains of different values and labels, one that changes."""
    monkeypatch.setattr(long_world, "LONG", 10)
    change = dl.Chain(n=12, transition=CHANGES, initial=[0.3, 0.7])
    three = [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]]
    circle = dl.Chain(n=4, transition=three, initial=[0.5, 0.5, 0.0], values=[0, 1, 4])
    product = dl.Product(parts=[circle, change])
    fast, whole = (dl.Release(product, dl.Sum(), dl.Laplace(scale=3.0), engine=e) for e in (None, "convolution"))
    assert fast.engines()[0][1].endswith("of each chain alone")
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.DifferentialPrivacy()):
        found, truth = notion.leakage(fast), notion.leakage(whole)
        assert found.lower <= truth.upper + 1e-12
        assert truth.lower - 1e-12 <= found.upper <= truth.upper + 0.02
        assert found.lower >= truth.lower - 1e-9
    witness = dl.InferentialPrivacy().leakage(fast).witness
    assert witness is not None
    assert witness.who.endswith("of a chain of 4")
    one = dl.Release(product, dl.Sum(), dl.Laplace(scale=3.0), secrets=dl.Secrets(people=(9,)))
    alone = dl.Release(change, dl.Sum(), dl.Laplace(scale=3.0), secrets=dl.Secrets(people=(5,)))
    leaks = [dl.InferentialPrivacy().leakage(each).upper for each in (one, alone)]
    assert abs(leaks[0] - leaks[1]) <= 1e-12
