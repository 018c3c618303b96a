"""The friend–distance law from simulated friends with a known truth."""

import numpy as np
import pytest
from scipy import stats

from dalenius.pairs.friend_distance import FriendDistance
from papers.dependent.fitted_law import STEEPEST, Friends
from papers.dependent.places import Grid
from papers.numbers import Array
from tests.reference.graphs import friends_score

GRID = Grid(south=30.0, west=-98.0, north=30.3, east=-97.6, rows=8, columns=9)
POINTS = GRID.points_miles()
MILES = np.hypot(*(POINTS[:, None] - POINTS).T)
TRUTH = FriendDistance(a=1.0, b=1.5, c=1.8)
CROWDED = np.random.default_rng(7).integers(1, 30, len(GRID)).astype(float)
DENSITIES = pytest.mark.parametrize("weights", [None, CROWDED], ids=["everywhere alike", "where people are"])


def simulated(several: int, seed: int, weights: Array | None = None) -> tuple[Friends, list[tuple[int, int]]]:
    """Pairs of friends that know nobody else, both ends with the law: the joint law of their places is symmetric."""
    heavy = np.ones(len(GRID)) if weights is None else weights
    joint = heavy[:, None] * heavy * (MILES + TRUTH.b) ** -TRUTH.c
    drawn = np.random.default_rng(seed).choice(joint.size, several, p=(joint / joint.sum()).ravel())
    values = np.stack([drawn // len(GRID), drawn % len(GRID)], axis=1)
    return Friends.of(values, POINTS, weights), [(one, other) for one, other in values.tolist()]


@DENSITIES
def test_log_likelihoods_are_those_of_mpmath(weights: Array | None) -> None:
    friends, ends = simulated(12, 1, weights)
    heavy = np.ones(len(GRID)) if weights is None else weights
    for b, c in ((1.5, 1.8), (1e-3, 20.0), (400.0, 0.0)):
        expected = friends_score(ends, MILES.tolist(), b, c, heavy.tolist())
        assert friends.log_likelihood(b, c) == pytest.approx(expected, rel=1e-12)


@DENSITIES
def test_truth_is_accepted_and_a_near_lie_is_not(weights: Array | None) -> None:
    """By the likelihood ratio, at the level .001, against lies of a fifth."""
    friends, _ = simulated(20_000, 3, weights)
    best = friends.log_likelihood(*friends.likeliest())
    limit = stats.chi2.ppf(0.999, 2)
    for b, c in ((1.0, 1.0), (1.2, 1.0), (1.0, 1.1), (1 / 1.2, 1.0), (1.0, 1 / 1.1)):
        ratio = 2 * (best - friends.log_likelihood(TRUTH.b * b, TRUTH.c * c))
        assert ratio >= 0
        assert (ratio < limit) == ((b, c) == (1.0, 1.0))


def test_nothing_nearby_is_likelier_and_the_errors_are_those_of_the_curvature() -> None:
    friends, _ = simulated(2_000, 4)
    (b, c), score, step = friends.likeliest(), friends.log_likelihood, 1e-3
    for up, along in ((step, 0), (-step, 0), (0, step), (0, -step), (step, step), (step, -step)):
        assert score(b + up, c + along) < score(b, c)
    bb = -(score(b + step, c) - 2 * score(b, c) + score(b - step, c)) / step**2
    cc = -(score(b, c + step) - 2 * score(b, c) + score(b, c - step)) / step**2
    mixed = (
        score(b + step, c + step) + score(b - step, c - step) - score(b + step, c - step) - score(b - step, c + step)
    )
    inverse = np.linalg.inv([[bb, -mixed / 4 / step**2], [-mixed / 4 / step**2, cc]])
    errors = friends.errors(b, c)
    assert errors is not None
    np.testing.assert_allclose(errors, np.sqrt(np.diag(inverse)), rtol=1e-3)


def test_friends_who_live_together_or_anywhere_are_at_the_border() -> None:
    together = Friends.of(np.array([(0, 0), (5, 5), (9, 9)]), POINTS)
    b, c = together.likeliest()
    assert c == STEEPEST
    assert together.log_likelihood(b, c) == pytest.approx(0.0, abs=1e-6)
    everywhere = np.stack(np.meshgrid(range(len(GRID)), range(len(GRID))), axis=-1).reshape(-1, 2)
    anywhere = Friends.of(everywhere[MILES[everywhere[:, 0], everywhere[:, 1]] > 1], POINTS)
    assert anywhere.likeliest()[1] == 0.0
