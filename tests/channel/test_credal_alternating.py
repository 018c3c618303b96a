"""Chains with intervals in which a 1 makes the next record less likely to be 1, and those that may do both."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.channel import Release
from dalenius.models import Chain
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Count
from tests.pace import draws
from tests.reference.credal_chain import Box, leakages, random_law

Interval = tuple[float, float]
FIRST = (0.3, 0.5)
TURNING = (0.1, 0.3), (0.6, 0.8)
EITHER = (0.2, 0.5), (0.3, 0.6)
"""Pr[1 | 1] and Pr[1 | 0]."""


def both(one: Interval) -> list[list[float]]:
    return [[round(1 - one[1], 9), round(1 - one[0], 9)], list(one)]


def chain(n: int, first: Interval, after_one: Interval, after_zero: Interval) -> Chain:
    return Chain(n=n, initial=both(first), transition=[both(after_zero), both(after_one)])


def box_of(one: Interval) -> Box:
    return [(Fraction(str(low)), Fraction(str(high))) for low, high in both(one)]


def largest(n: int, chances: tuple[Interval, Interval, Interval], scale: float, count: int) -> float:
    """Of laws of the set whose rows are at an end or, one in three, on a grid between."""
    random = np.random.default_rng(3)
    low, high = (np.array([chances[0][i], *[chances[1][i]] * (n - 1), *[chances[2][i]] * (n - 1)]) for i in (0, 1))
    share = random.integers(0, 2, (count, len(low))).astype(float)
    share = np.where(random.random(share.shape) < 1 / 3, random.integers(0, 17, share.shape) / 16, share)
    drawn = low + (high - low) * share
    paths = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    chance = np.where(paths[:, 0] == 1, drawn[:, :1], 1 - drawn[:, :1])
    for i, (before, after) in enumerate(pairwise(paths.T)):
        one = np.where(before == 1, drawn[:, 1 + i : 2 + i], drawn[:, n + i : n + i + 1])
        chance = chance * np.where(after == 1, one, 1 - one)
    noise = np.exp(-np.abs(paths.sum(axis=1)[:, None] - np.arange(n + 1)) / scale)
    found = 0.0
    for own in paths.T:
        seen = [(chance[:, own == x] @ noise[own == x]) / chance[:, own == x].sum(axis=1)[:, None] for x in (0, 1)]
        found = max(found, float(np.abs(np.log(seen[1] / seen[0])).max()))
    return found


@pytest.mark.parametrize("rows", [TURNING, EITHER])
def test_no_law_on_a_grid_is_above_and_a_corner_law_attains_the_lower_end(rows: tuple[Interval, Interval]) -> None:
    found = InferentialPrivacy().leakage(Release(chain(3, FIRST, *rows), Count(), Laplace(scale=1.0)))
    worst = largest(3, (FIRST, *rows), 1.0, 20_000)
    assert worst * (1 - 1e-12) <= found.upper <= worst * 3
    assert worst * 0.998 <= found.lower <= worst * 1.001


def test_a_long_alternating_chain_has_an_upper_end() -> None:
    """Both sides are taken at their own worst outputs: several times what a record leaks alone."""
    found = InferentialPrivacy().leakage(Release(chain(80, FIRST, *TURNING), Count(), Laplace(scale=1.0)))
    assert found.lower <= 1.0 <= found.upper < 6.0


def test_the_ends_of_an_alternating_chain_are_looked_at() -> None:
    """Its first record leaks most, though a bound is largest for another."""
    found = InferentialPrivacy().leakage(Release(chain(6, FIRST, *TURNING), Count(), Laplace(scale=1.0)))
    assert found.lower >= largest(6, (FIRST, *TURNING), 1.0, 2_000) * (1 - 1e-6)


chances = st.integers(2, 98).map(lambda x: x / 100)


@st.composite
def alternating(draw: st.DrawFn) -> tuple[Interval, Interval, Interval]:
    first, rows = sorted((draw(chances), draw(chances))), sorted(draw(chances) for _ in range(4))
    return (first[0], first[1]), (rows[0], rows[1]), (rows[2], rows[3])


@pytest.mark.slow
@draws(4)
@given(alternating(), st.sampled_from([0.3, 1.0, 4.0]), st.integers(0, 10**6))
@example(((0.5, 0.5), (0.1, 0.1), (0.9, 0.9)), 1.0, 0)
@example(((0.02, 0.98), (0.02, 0.5), (0.5, 0.98)), 0.3, 1)
def test_random_laws_of_alternating_sets_keep_the_bound(
    drawn: tuple[Interval, Interval, Interval], scale: float, seed: int
) -> None:
    upper = InferentialPrivacy().leakage(Release(chain(5, *drawn), Count(), Laplace(scale=scale))).upper
    first, one, zero = map(box_of, drawn)
    for number in range(3):
        law = random_law(first, [zero, one], 5, Random(seed + number))
        assert leakages(law, (0, 1), scale, range(6))["inferential"] <= upper * (1 + 1e-12)
