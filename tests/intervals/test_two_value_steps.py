"""Steps of messages between records of two values, against rows and messages on a grid."""

from itertools import product
from math import log

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.channel.large.boxes import after_step, before_step
from dalenius.intervals.credal_network import CredalNetwork

SHARES = np.linspace(0.0, 1.0, 5)


def _rows(rng: np.random.Generator) -> tuple[Array, Array]:
    """Lower and upper ends (2, 2) of the chances of two values, by row: points, intervals, and rows next to 0 and 1."""
    ends = np.sort(rng.random((2, 2)), axis=1)
    kind = rng.integers(4)
    if kind == 0:
        ends[0] = 0.0, 1.0
    elif kind == 1:
        ends[1] = ends[1, 0]
    elif kind == 2:
        ends[0, 1], ends[1] = 1.0, 0.0
    return np.stack([ends[:, 0], 1 - ends[:, 1]], axis=1), np.stack([ends[:, 1], 1 - ends[:, 0]], axis=1)


def _inside(lower: Array, upper: Array) -> Array:
    """The chances of the first value in a row's box (5,)."""
    return np.asarray(lower[0] + SHARES * (upper[0] - lower[0]))


def _messages(far: Array) -> Array:
    """Messages (5, 2) whose logs differ by no more than is known."""
    logs = -far[1, 0] + SHARES * (far[0, 1] + far[1, 0])
    return np.stack([np.exp(logs), np.ones(5)], axis=1)


@pytest.mark.parametrize("seed", range(60))
def test_a_step_back_is_the_worst_of_rows_and_messages(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lower, upper = _rows(rng)
    far = np.array([[0.0, rng.exponential(2.0)], [rng.exponential(2.0), 0.0]])
    found = before_step(lower, upper, far)
    for s, t in ((0, 1), (1, 0)):
        pairs = product(_inside(lower[s], upper[s]), _inside(lower[t], upper[t]), _messages(far))
        worst = max(log((p * g[0] + (1 - p) * g[1]) / (q * g[0] + (1 - q) * g[1])) for p, q, g in pairs)
        assert max(worst, 0.0) <= found[s, t] <= max(worst, 0.0) + 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_a_step_forward_is_at_least_that_of_any_law(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lower, upper = _rows(rng)
    start = np.sort(rng.uniform(0.05, 0.95, 2))
    prior = np.array([start[0], 1 - start[1]]), np.array([start[1], 1 - start[0]])
    far = np.array([[0.0, rng.exponential(2.0)], [rng.exponential(2.0), 0.0]])
    found, close = after_step(prior, lower, upper, far), 0
    for s, t in ((0, 1), (1, 0)):
        worst = 0.0
        for p, q, r, g in product(
            _inside(*prior), _inside(lower[0], upper[0]), _inside(lower[1], upper[1]), _messages(far)
        ):
            weights = np.array([[p * q, (1 - p) * r], [p * (1 - q), (1 - p) * (1 - r)]])
            if weights.sum(axis=1).min() > 0:
                means = weights @ g / weights.sum(axis=1)
                worst = max(worst, log(means[s] / means[t]))
        assert worst <= found[s, t] * (1 + 1e-12) + 1e-12
        assert found[s, t] <= max(far[0, 1], far[1, 0]) * (1 + 1e-9) + 1e-9
        close += found[s, t] <= 2 * worst + 1e-9
    assert close or (lower[0] == 0).any()


def test_a_chance_too_small_for_a_double_is_bounded_from_both_sides() -> None:
    """Of being well on each of 7,500 days, each well one followed by an ill one with 0.1 or less: e^-790.9 at least."""
    low, high = _last_chances([[[0.9, 1.0], [0.0, 0.1]], [0.0, 1.0]])
    assert low[0] <= 0.0
    assert high[0] == pytest.approx(0.5)
    _, high = _last_chances([[[0.1, 0.9], [0.1, 0.9]], [0.0, 1.0]])
    assert high[0] >= 1e-300


def _last_chances(transition: list[list[float | list[float]]]) -> Array:
    """Ends of the chances (2, 2) on the last of 7,501 days."""
    (belief,) = dl.Chain(n=7501, initial=[0.5, 0.5], transition=transition).joints()
    assert isinstance(belief, CredalNetwork)
    return belief.net.priors[7500]
