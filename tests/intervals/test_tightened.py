"""Rows that mix numbers and intervals, zeros that intervals allow, and intervals next to nothing, against the truth.

Intervals tightened exactly, their extreme laws, and edges.
"""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from math import inf, log
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Release, Secrets
from dalenius.channel.large.boxes import largest_mean, smallest_mean, tightened
from dalenius.laws.box import Box
from dalenius.models import Chain, Groups, GroupType, Households, Model, Network, Node
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion, RelativeEntropyPrivacy
from dalenius.queries import Count, Sum
from tests.cases import in_turn
from tests.explore.inside import Inside
from tests.explore.intervals import DELTAS, KINDS, NOTIONS, Case, wrong_of
from tests.explore.rows import random_row, vertices
from tests.explore.seen import Name
from tests.pace import draws

RATIO, RAISED, DIVERGENCE = InferentialPrivacy(), InformationPrivacy(), RelativeEntropyPrivacy()
FIRST = Secrets(people=(1,))
SECOND = Count(labels=("b",))
ROWS = (((0.25, 0.65), (0.35, 0.75)), (0.11, (0.4, 1.0)))
MIXED = Chain(n=2, initial=(0.715, (0, 1.0)), transition=ROWS)
ALLOWED = ((0.6, 1.0), (0, 0.4))
CHAIN = Chain(n=2, initial=(0.5, 0.5), transition=(ALLOWED, (0.5, 0.5)), labels=("a", "b"))
NETWORK = Network(
    nodes=(
        Node(name="a", probabilities=(0.5, 0.5), label="a"),
        Node(name="b", parents=("a",), probabilities=(ALLOWED, (0.5, 0.5)), label="b"),
    )
)
TINY = ((1e-14, 1e-12), (1e-16, 5e-16), (1e-20, 1e-13))


def pair(records: list[tuple[int, int]], probabilities: tuple[float | tuple[float, float], ...]) -> Groups:
    kind = GroupType(count=1, records=tuple(records), probabilities=probabilities, labels=("a", "b"))
    return Groups(types=(kind,))


def tiny(low: float, high: float) -> Groups:
    return pair([(0, 0), (0, 1), (1, 0), (1, 1)], ((0.4, 0.5), (low, high), 0.25, 0.25))


ZERO = pair([(0, 1), (0, 0), (1, 1), (1, 0)], ((0, 0.4), (0.05, 0.3), (0.05, 0.3), (0.05, 0.4)))
HOUSE = Households(count=1, infected=((0.3, 0.6), (0, 0.4), (0.2, 0.4)))


@pytest.mark.parametrize(
    ("model", "query", "noise", "secrets", "notion", "truth", "wide"),
    [
        (MIXED, Count(values=(0,)), Laplace(scale=0.4), None, RATIO, 3.85692, 1.001),
        (MIXED, Count(values=(0,)), Laplace(scale=0.4), None, RAISED, 1.33528, 1.06),
        (ZERO, SECOND, NoNoise(), FIRST, RATIO, inf, 1),
        (ZERO, SECOND, Laplace(scale=0.02), FIRST, RATIO, 49.1527, 1.001),
        (HOUSE, Count(), Laplace(scale=0.02), None, RATIO, 100.0, 1.001),
        (CHAIN, SECOND, Laplace(scale=0.02), FIRST, RATIO, 49.30685, 1.02),
        (NETWORK, SECOND, Laplace(scale=0.02), FIRST, RATIO, 49.30685, 1.02),
        (Households(count=1, infected=ALLOWED), Count(), NoNoise(), None, RAISED, inf, 1),
        *((tiny(*ends), SECOND, Laplace(scale=0.01), FIRST, RATIO, log(0.25 / ends[0]), 1.001) for ends in TINY),
    ],
)
def test_the_truth_is_enclosed(
    model: Model, query: Count, noise: Noise, secrets: Secrets | None, notion: Notion, truth: float, wide: float
) -> None:
    found = notion.leakage(Release(model, query, noise, secrets) if secrets else Release(model, query, noise))
    assert found.lower * (1 - 1e-5) <= truth <= found.upper * (1 + 1e-5)
    assert truth == inf or found.upper <= truth * wide


def test_a_tiny_interval_of_a_step_is_a_set_of_laws() -> None:
    model = Chain(n=2, initial=(0.5, 0.5), transition=(((0.9, 1.0), (1e-14, 5e-13)), (0.5, 0.5)), labels=("a", "b"))
    found = RATIO.leakage(Release(model, SECOND, NoNoise(), FIRST))
    assert found.upper >= log(0.5 / 1e-14)


def test_an_impossible_value_stays_impossible() -> None:
    """Of the first value the second is the next, whatever is written; else 3.636 is attained where 2.5 is the most."""
    rows = (((0.0, 0.3934463089509147), 1.0), ((0.0, 0.14960436526221016), (0.6675497422302472, 1.0)))
    model = Chain(n=3, initial=(0.8108275790362877, (0.14614025261144725, 0.2207955463110213)), transition=rows)
    found = RATIO.leakage(Release(model, Sum(), Geometric(scale=0.4)))
    assert found.lower <= 2.5 * (1 + 1e-9)
    assert found.upper >= 2.5


def test_a_row_with_one_free_number_is_a_point() -> None:
    for q in (0.001, 0.076, 0.3, 0.715, 0.999):
        assert Chain(n=2, initial=(q, (0, 1.0)), transition=((0.5, 0.5), (0.1, (0.2, 1.0)))).is_point


@draws(60)
@given(st.sampled_from(KINDS), st.sampled_from([*NOTIONS, *DELTAS]), st.integers(0, 2**32 - 1))
def test_no_law_inside_is_above(kind: Callable[[Random], Case], name: Name, seed: int) -> None:
    rng = Random(seed)
    assert wrong_of(kind(rng), name, rng) is None


@in_turn({"noise": [Laplace(scale=0.4), Geometric(scale=1.0)], "name": [*NOTIONS, *DELTAS]})
def test_a_near_lie_is_found(noise: Noise, name: Name, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ((0.5, 0.7), (0.1, 0.3), 0.2)
    case = Case(Households(count=1, infected=row), Inside.households(row, 2, 1), noise)
    assert wrong_of(case, name, Random(1)) is None
    truth = case.climbed(name, Random(2))[0]
    monkeypatch.setattr(Case, "said", lambda *_: Enclosure(0.0, truth * (1 - 1e-4)))
    assert "a law inside leaks" in str(wrong_of(case, name, Random(1)))


def test_what_is_no_number_bounds_nothing() -> None:
    found = Enclosure(math.nan, math.nan)
    assert found == (-inf, inf)
    assert largest(Enclosure(0.0, 1.0), Enclosure(0.5, math.nan)) == Enclosure(0.5, inf)
    assert found._replace(upper=1.0) == (-inf, 1.0)
    assert json.dumps(Enclosure(0.0, 1.0)) == "[0.0, 1.0]"


def test_noise_next_to_none_moves_beliefs_as_far_as_can_be() -> None:
    """Where e^r is no double: nothing was said to leak."""
    model = Chain(
        n=3, initial=((0.3, 0.5), (0.5, 0.7)), transition=(((0.6, 0.8), (0.2, 0.4)), ((0.3, 0.5), (0.5, 0.7)))
    )
    release = Release(model, Count(), Laplace(scale=1e-3))
    for notion in (RAISED, DIVERGENCE):
        found = notion.leakage(release)
        assert found.upper >= log(1 / 0.5)
    assert RATIO.leakage(release).upper >= 1000.0


@draws(60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_extreme_laws_are_those_in_fractions(seed: int, k: int) -> None:
    row = random_row(Random(seed), k)
    found, wanted = Box.of(row), np.array([[float(each) for each in law] for law in vertices(row)])
    assert np.allclose(found.vertices, wanted, rtol=1e-15, atol=0)
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
