"""Chains with intervals in which a 1 makes the next record less likely to be 1, and those that may do both."""

from fractions import Fraction
from itertools import pairwise
from math import exp, log
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.channel import Release
from dalenius.laws.imprecise.alternating import beside
from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.listed import Listed
from dalenius.laws.imprecise.paths import outputs_of
from dalenius.models import Chain
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Count
from tests.pace import draws
from tests.reference.credal_chain import Box, joint, leakages, random_law

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


def boxes_of(n: int, chances: tuple[Interval, Interval, Interval]) -> Boxes:
    first, one, zero = (np.array(both(each)).T for each in chances)
    rows = np.stack([zero, one], axis=1)[None]
    return Boxes(first, rows, np.zeros(n - 1, dtype=np.int64))


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
def test_short_chains_are_enclosed_to_a_thousandth_of_the_worst_on_a_grid(rows: tuple[Interval, Interval]) -> None:
    found = InferentialPrivacy().leakage(Release(chain(3, FIRST, *rows), Count(), Laplace(scale=1.0)))
    worst = largest(3, (FIRST, *rows), 1.0, 20_000)
    assert worst * (1 - 1e-12) <= found.upper <= worst * 1.001
    assert worst * 0.999 <= found.lower


@pytest.mark.parametrize("n", [6, 80])
def test_long_alternating_chains_leak_little_more_than_one_record_alone(n: int) -> None:
    """The sum of the worst of both sides, each at its own output, is three times that."""
    found = InferentialPrivacy().leakage(Release(chain(n, FIRST, *TURNING), Count(), Laplace(scale=1.0)))
    assert found.lower <= found.upper <= found.lower * 1.01
    assert found.upper < 1.0


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


def seen_of(law: tuple[float, list[tuple[float, float]]], place: int, tilt: float) -> tuple[list[float], list[float]]:
    """Of one law with Pr[1] and rows (Pr[1 | 1], Pr[1 | 0]): the log-ratio of all other records' e^{±tilt · count} on
    each side of a record (past above, past below, future above, future below), and the ratio at each output."""
    start, rows = law
    steps = tuple(
        tuple((1 - Fraction(str(p)), Fraction(str(p))) for p in (after_zero, after_one))
        for after_one, after_zero in rows
    )
    paths = joint(((1 - Fraction(str(start)), Fraction(str(start))), steps))

    def ratio(weight: dict[tuple[int, ...], float]) -> float:
        given = {x: [(float(p), weight[path]) for path, p in paths.items() if path[place] == x] for x in (0, 1)}
        mean = {x: sum(p * w for p, w in each) / sum(p for p, _ in each) for x, each in given.items()}
        return log(mean[1] / mean[0])

    sides = [slice(0, place), slice(place + 1, None)]
    ends = [ratio({path: exp(sign * tilt * sum(path[side])) for path in paths}) for side in sides for sign in (1, -1)]
    outputs = range(len(rows) + 2)
    return ends, [ratio({path: exp(-tilt * abs(sum(path) - y)) for path in paths}) for y in outputs]


def bound(ends: list[float], tilt: float) -> tuple[float, float]:
    either = [
        beside(tilt, (np.array(above), np.array(above)), (np.array(below), np.array(below)))
        for above, below in (ends[:2], ends[2:])
    ]
    return float(min(each[0] for each in either)), float(min(each[1] for each in either))


@draws(40)
@given(
    st.lists(st.tuples(chances, chances), min_size=1, max_size=5), chances, st.sampled_from([0.2, 1.0, 3.0]), st.data()
)
@example([(0.1, 0.9), (0.1, 0.9)], 0.5, 1.0, None)
def test_an_alternating_law_is_worst_for_a_side_at_one_end(
    pairs: list[tuple[float, float]], start: float, tilt: float, data: st.DataObject | None
) -> None:
    """Result 21.38 of one law, at every output; the example's worst output lies between the answers' ends."""
    rows = [(min(pair), max(pair)) for pair in pairs]
    place = 1 if data is None else data.draw(st.integers(0, len(rows)))
    ends, seen = seen_of((start, rows), place, tilt)
    raised, lowered = bound(ends, tilt)
    assert max(seen) <= raised + 1e-12
    assert -min(seen) <= lowered + 1e-12


def test_a_law_that_does_not_alternate_breaks_that_bound() -> None:
    ends, seen = seen_of((0.5, [(0.9, 0.1), (0.9, 0.1)]), 1, 1.0)
    assert max(seen) > bound(ends, 1.0)[0] * 1.4


@pytest.mark.parametrize("place", [0, 1, 2])
def test_listed_points_are_exact(place: int) -> None:
    points = ((0.4, 0.4), (0.2, 0.2), (0.7, 0.7))
    scores = np.array([[[0.0], [1.0]]] * 3)
    raised, lowered = Listed(boxes_of(3, points), scores, 0.7, place, outputs_of(scores)).above()
    _, seen = seen_of((0.4, [(0.2, 0.7)] * 2), place, 0.7)
    assert raised == pytest.approx(max(seen), rel=1e-10)
    assert lowered == pytest.approx(-min(seen), rel=1e-10)
