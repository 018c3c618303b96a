"""Short chains with intervals whose steps may follow and alternate: bounds hold at every output, and are narrow."""

from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.channel import Release
from dalenius.laws.imprecise.listed import Listed
from dalenius.laws.imprecise.paths import inner, outermost, outputs_of
from dalenius.laws.imprecise.rows import best_row
from dalenius.laws.imprecise.short import ShortChain
from dalenius.laws.imprecise.sides import Pasts
from dalenius.models import Chain
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Count
from tests.channel.test_credal_alternating import Interval, both, boxes_of, largest
from tests.pace import draws
from tests.reference.credal_chain import joint

FIRST = (0.3, 0.5)
EITHER = (0.2, 0.5), (0.3, 0.6)
UNEQUAL = np.array([[[0.0], [1.0]], [[0.0], [2.0]], [[1.0], [0.0]], [[0.0], [1.0]]])
PLAIN = np.array([[[0.0], [1.0]]] * 4)


def chain(n: int, first: Interval, after_one: Interval, after_zero: Interval) -> Chain:
    return Chain(n=n, initial=both(first), transition=[both(after_zero), both(after_one)])


def ratios(first: float, steps: list[tuple[float, float]], scores: np.ndarray, rate: float, place: int) -> list[float]:
    """Of one law, by enumeration: log W(y|1) - log W(y|0) of a record at all outputs; steps: Pr[1 | 1], Pr[1 | 0]."""
    law: Any = (1 - first, first), tuple(((1 - q, q), (1 - p, p)) for p, q in steps)
    paths = [
        (path, float(p), sum(float(scores[i, x, 0]) for i, x in enumerate(path))) for path, p in joint(law).items()
    ]
    found = []
    for y in outputs_of(scores)[:, 0]:
        mean = {}
        for own in (0, 1):
            each = [(p, exp(-rate * abs(total - float(y)))) for path, p, total in paths if path[place] == own]
            mean[own] = sum(p * w for p, w in each) / sum(p for p, _ in each)
        found.append(log(mean[1] / mean[0]))
    return found


@pytest.mark.parametrize("place", range(4))
def test_unequal_scores_of_a_point_are_listed_exactly(place: int) -> None:
    boxes = boxes_of(4, ((0.4, 0.4), (0.2, 0.2), (0.7, 0.7)))
    seen = ratios(0.4, [(0.2, 0.7)] * 3, UNEQUAL, 0.7, place)
    raised, lowered = Listed(boxes, UNEQUAL, 0.7, place, outputs_of(UNEQUAL)).above()
    assert (raised, lowered) == pytest.approx((max(seen), -min(seen)), rel=1e-10)


def short(chances: tuple[Interval, Interval, Interval], scores: np.ndarray, rate: float) -> list[np.ndarray]:
    """By record, bounds over all cells of its law."""
    boxes, n = boxes_of(len(scores), chances), len(scores)
    bounds = ShortChain(boxes, list(scores), np.arange(n), rate)
    pasts = Pasts(boxes, np.arange(n))
    return [bounds.above(place, pasts).max(axis=1) for place in range(n)]


ends = st.tuples(st.integers(4, 96), st.integers(2, 40)).map(lambda x: (x[0] / 100, min(x[0] + x[1], 97) / 100))


@pytest.mark.slow
@draws(2)
@given(ends, ends, ends, st.sampled_from([0.4, 1.0, 2.5]), st.booleans(), st.integers(0, 10**6))
@example((0.3, 0.5), (0.2, 0.5), (0.3, 0.6), 1.0, False, 0)
@example((0.5, 0.7), (0.73, 0.8), (0.79, 0.97), 2.5, False, 1)
@example((0.04, 0.44), (0.1, 0.5), (0.1, 0.5), 1.0, True, 2)
def test_no_law_of_a_short_set_exceeds_its_bounds_at_any_output(
    first: Interval, one: Interval, zero: Interval, rate: float, unequal: bool, seed: int
) -> None:
    scores = UNEQUAL if unequal else PLAIN
    bounds, random = short((first, one, zero), scores, rate), np.random.default_rng(seed)
    for _ in range(8):
        share = np.where(random.random(7) < 0.7, random.integers(0, 2, 7), random.random(7))
        at = [low + (high - low) * float(u) for u, (low, high) in zip(share, [first, *[one, zero] * 3], strict=True)]
        for place, (raised, lowered) in enumerate(bounds):
            seen = ratios(at[0], list(zip(at[1::2], at[2::2], strict=True)), scores, rate, place)
            assert max(seen) <= raised + 1e-12
            assert -min(seen) <= lowered + 1e-12


@pytest.mark.slow
def test_chains_that_may_follow_and_alternate_are_enclosed_to_a_thousandth() -> None:
    """The sum of the worst of both sides, each at its own output, is a third more."""
    found = InferentialPrivacy().leakage(Release(chain(5, FIRST, *EITHER), Count(), Laplace(scale=1.0)))
    worst = largest(5, (FIRST, *EITHER), 1.0, 1_000)
    assert worst * (1 - 1e-12) <= found.upper <= found.lower * 1.001
    assert found.lower >= worst * 0.97


def test_an_output_between_answers_can_be_the_worst() -> None:
    """Where it is, that is found: a bound of the outputs outside all answers alone would be exceeded."""
    points = (0.5, 0.5), (0.1, 0.1), (0.9, 0.9)
    scores = PLAIN[:3]
    seen = ratios(0.5, [(0.1, 0.9)] * 2, scores, 1.0, 1)
    raised, _ = short(points, scores, 1.0)[1]
    assert raised == pytest.approx(max(seen), rel=1e-3)
    assert raised > max(seen[0], seen[-1]) * 1.05


def test_what_is_enough_is_not_made_smaller_and_never_exceeded_unseen() -> None:
    boxes = boxes_of(4, (FIRST, *EITHER))
    between = inner(outputs_of(PLAIN))
    listed = Listed(boxes, PLAIN, 1.0, 2, between)
    close, rough = listed.above(), listed.above(np.array([9.0, 9.0]))
    assert (rough <= 9.0).all()
    assert (close <= rough + 1e-12).all()
    assert (rough > close * 1.01).any()


def test_outputs_between_and_outside() -> None:
    scores = np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [1.0, 2.0]]])
    every = {tuple(each) for each in outputs_of(scores).tolist()}
    between = {tuple(each) for each in inner(outputs_of(scores)).tolist()}
    assert every - between == {(x, y) for x in (0.0, 2.0) for y in (0.0, 3.0)}
    assert outermost(scores, (1.0, -1.0)).tolist() == [[2.0, 0.0]]


@draws(30)
@given(st.lists(st.tuples(ends, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1))
def test_rows_of_two_values_are_those_of_more_with_one_impossible(
    drawn: list[tuple[Interval, float, float]],
) -> None:
    low = np.array([[1 - high, low] for (low, high), _, _ in drawn])
    high = np.array([[1 - low, high] for (low, high), _, _ in drawn])
    weights = np.array([[one, other] for _, one, other in drawn])
    wider = [np.pad(each, ((0, 0), (0, 1)), constant_values=-1.0 * (each is weights)) for each in (low, high, weights)]
    assert best_row(low, high, weights) == pytest.approx(best_row(*wider)[:, :2], abs=1e-14)


@pytest.mark.slow
def test_a_chain_of_six_and_one_of_different_steps_are_narrow() -> None:
    found = InferentialPrivacy().leakage(Release(chain(6, FIRST, *EITHER), Count(), Laplace(scale=1.0)))
    assert largest(6, (FIRST, *EITHER), 1.0, 3_000) <= found.upper <= found.lower * 1.001
    steps = [
        [both(zero), both(one)] for one, zero in [EITHER, ((0.6, 0.9), (0.5, 0.7)), EITHER, ((0.1, 0.4), (0.1, 0.2))]
    ]
    other = Chain(n=5, initial=both(FIRST), transition=steps)
    found = InferentialPrivacy().leakage(Release(other, Count(), Laplace(scale=1.0)))
    assert found.lower <= found.upper <= found.lower * 1.001
