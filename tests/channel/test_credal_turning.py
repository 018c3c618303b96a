"""Chains with intervals whose steps may follow and alternate, of any length: bounds hold at every output, and are
narrow."""

from math import log

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.channel import Release
from dalenius.channel.imprecise.messages import ChainMessages
from dalenius.joints.imprecise.chain import CredalChain
from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.turning import Turning
from dalenius.models import Chain
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy, InformationPrivacy
from dalenius.queries import Count
from tests.channel.test_credal_alternating import Interval, chain
from tests.pace import draws

SCORE = [np.array([[0.0], [1.0]])]
DOING_BOTH = [
    (0.4, ((0.499, 0.713), (0.728, 0.804), (0.79, 0.98))),
    (1.0, ((0.743, 0.962), (0.16, 0.547), (0.398, 0.53))),
    (1.0, ((0.137, 0.436), (0.197, 0.366), (0.238, 0.578))),
    (3.0, ((0.839, 0.964), (0.548, 0.72), (0.596, 0.691))),
]
"""Scale, and Pr[1] of the first record, given 1 and given 0."""


def seen(first: np.ndarray, one: np.ndarray, zero: np.ndarray, rate: float) -> np.ndarray:
    """log W(y|1) - log W(y|0) of laws (k,), rows (k, n - 1), by record at every answer (k, n, n + 1), from the laws of
    the sum given each value."""
    count, n = len(first), one.shape[1] + 1
    noise = np.exp(-rate * np.abs(np.arange(n + 1)[:, None] - np.arange(n + 1)))
    found = np.empty((count, n, n + 1))
    for place in range(n):
        means = []
        for own in (0, 1):
            state = np.zeros((count, 2, n + 1))
            state[:, 1, 1], state[:, 0, 0] = first, 1 - first
            if not place:
                state[:, 1 - own] = 0
            for step in range(n - 1):
                p, q = one[:, step, None], zero[:, step, None]
                after = np.zeros_like(state)
                after[:, 0] = state[:, 1] * (1 - p) + state[:, 0] * (1 - q)
                after[:, 1, 1:] = (state[:, 1] * p + state[:, 0] * q)[:, :-1]
                if step + 1 == place:
                    after[:, 1 - own] = 0
                state = after
            sums = state.sum(axis=1)
            means.append((sums @ noise) / sums.sum(axis=1, keepdims=True))
        found[:, place] = np.log(means[1] / means[0])
    return found


def messages(first: Interval, steps: list[tuple[Interval, Interval]], rate: float) -> ChainMessages:
    """steps: Pr[1 | 1] and Pr[1 | 0] of each."""

    def both(*rows: Interval) -> np.ndarray:
        return np.array([[(1 - high, low) for low, high in rows], [(1 - low, high) for low, high in rows]])

    rows = np.stack([both(zero, one) for one, zero in steps])
    boxes = Boxes(both(first)[:, 0], rows, np.arange(len(steps)))
    return ChainMessages(CredalChain((0, 1), boxes), SCORE, rate)


def between(low_high: list[Interval], share: np.ndarray) -> np.ndarray:
    low, high = np.array(low_high).T
    return np.asarray(low + (high - low) * share)


ends = st.tuples(st.integers(1, 96), st.integers(0, 60)).map(lambda x: (x[0] / 100, min(x[0] + x[1], 99) / 100))
strong = ((0.01, 0.41), (0.41, 0.99))
points = ((0.1, 0.1), (0.9, 0.9))


@draws(6)
@given(ends, st.lists(st.tuples(ends, ends), min_size=4, max_size=6), st.sampled_from([0.3, 1.0, 2.5, 5.0]))
@example((0.3, 0.6), [strong] * 6, 0.3)
@example((0.5, 0.5), [points] * 6, 1.0)
@example((0.48, 0.99), [((0.48, 0.99), (0.62, 0.99))] * 6, 5.0)
@example((0.2, 0.9), [strong, ((0.7, 0.95), (0.05, 0.3))] * 3, 2.5)
@example((0.2, 0.9), [((0.02, 0.2), (0.8, 0.98)), ((0.3, 0.5), (0.31, 0.6))] * 3, 2.5)
def test_no_law_exceeds_the_bounds_at_any_output(
    first: Interval, steps: list[tuple[Interval, Interval]], rate: float
) -> None:
    bounds, random = messages(first, steps, rate), np.random.default_rng(len(steps))
    if bounds.turning is None:
        return
    share = random.random((200, 1 + 2 * len(steps)))
    share = np.where(random.random(share.shape) < 0.8, np.round(share), share)
    laws = seen(
        between([first], share[:, :1])[:, 0],
        between([one for one, _ in steps], share[:, 1 : 1 + len(steps)]),
        between([zero for _, zero in steps], share[:, 1 + len(steps) :]),
        rate,
    )
    most, least = laws.max(axis=(0, 2)), -laws.min(axis=(0, 2))
    for place in range(len(steps) + 1):
        raised, lowered, there = bounds._turned(bounds.turning, place)
        assert most[place] <= raised[there].max() + 1e-12
        assert least[place] <= lowered[there].max() + 1e-12


@pytest.mark.parametrize("n", [9, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("scale", "chances"), DOING_BOTH)
def test_long_chains_that_may_do_both_are_enclosed_closely(
    n: int, scale: float, chances: tuple[Interval, Interval, Interval]
) -> None:
    """The sum of the worst of both sides, each at its own output, is up to twice as much."""
    found = InferentialPrivacy().leakage(Release(chain(n, *chances), Count(), Laplace(scale=scale)))
    assert 0 < found.lower <= found.upper <= found.lower * (1.004 if n < 40 else 1.01)


def test_different_steps_are_enclosed_too() -> None:
    random = np.random.default_rng(2)

    def row() -> list[list[float]]:
        low = random.uniform(0.05, 0.5)
        high = round(low + random.uniform(0.3, 0.45), 6)
        return [[round(1 - high, 9), round(1 - round(low, 6), 9)], [round(low, 6), high]]

    model = Chain(n=60, initial=[[0.3, 0.6], [0.4, 0.7]], transition=[[row(), row()] for _ in range(59)])
    found = InferentialPrivacy().leakage(Release(model, Count(), Laplace(scale=1.0)))
    assert 0 < found.lower <= found.upper <= found.lower * 1.02


@draws(40)
@given(ends, ends, st.floats(-6, 6))
def test_the_past_moves_a_ratio_as_far_as_the_worst_law_of_the_record_before(
    one: Interval, zero: Interval, tilt: float
) -> None:
    turning = Turning(messages((0.5, 0.5), [(one, zero)], 1.0).law.boxes, 1.0)
    least, most = turning._earlier[0](tilt)
    law = 1 / (1 + np.exp(-np.linspace(-16, 16, 4001)))
    worst = []
    for p, q in ((p, q) for p in one for q in zero):
        given_one, given_zero = (
            law * p / (law * p + (1 - law) * q),
            law * (1 - p) / (law * (1 - p) + (1 - law) * (1 - q)),
        )
        ratio = np.log1p(given_one * np.expm1(tilt)) - np.log1p(given_zero * np.expm1(tilt))
        worst += [ratio.min(), ratio.max()]
    assert min(worst) >= least - 1e-12
    assert max(worst) <= most + 1e-12
    assert max(worst) == pytest.approx(max(most, 0.0), abs=2e-4)
    assert min(worst) == pytest.approx(min(least, 0.0), abs=2e-4)


def test_steps_that_do_not_depend_on_anything_leave_the_record_alone() -> None:
    bounds = messages(
        (0.2, 0.4), [((0.3, 0.3), (0.3, 0.3)), ((0.1, 0.6), (0.3, 0.5)), ((0.3, 0.3), (0.3, 0.3))], log(2)
    )
    assert bounds.turning is not None
    assert bounds.turning.future.states[bounds.turning.future.at[0]].up == pytest.approx(0, abs=1e-9)
    assert bounds.turning.past.states[bounds.turning.past.at[1]].up == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 1e-10, 1e-100])
def test_noise_next_to_none_is_enclosed(scale: float) -> None:
    """Of leakages that large no two doubles are as close as what a law is to be better by."""
    model = chain(2, (0.5, 0.5), (0.7, 0.7), (0.2, 0.3))
    found = InferentialPrivacy().leakage(Release(model, Count(), Laplace(scale=scale)))
    assert (1 - 1e-9) / scale <= found.lower <= found.upper <= found.lower * (1 + 1e-9)


def test_no_chance_is_raised_beyond_one() -> None:
    """However far the roundings of a large ratio reach."""
    model = chain(2, (0.5, 0.5), (0.7, 0.7), (0.2, 0.3))
    found = InformationPrivacy().leakage(Release(model, Count(), Laplace(scale=1e-20)))
    assert 0.69 <= found.lower <= found.upper <= 0.8
