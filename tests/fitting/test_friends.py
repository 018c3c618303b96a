"""The friend–distance law from simulated friends with a known truth, and from Gowalla's cities."""

from dataclasses import dataclass
from math import log

import numpy as np
import pytest
from scipy import stats
from scipy.special import xlogy

from dalenius.dependent.friend_distance import fit_friends, friends_log_likelihood
from dalenius.dependent.graphs import Edges, FriendDistance, clean_edges
from dalenius.dependent.places import Grid
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.pairs.pairwise import Pairwise
from tests.reference.graphs import friends_score

GRID = Grid(south=30.0, west=-98.0, north=30.3, east=-97.6, rows=8, columns=9)
POINTS = GRID.points_miles()
MILES = np.hypot(*(POINTS[:, None] - POINTS).T)
TRUTH = FriendDistance(a=1.0, b=1.5, c=1.8)
CROWDED = np.random.default_rng(7).integers(1, 30, len(GRID)).astype(float)
DENSITIES = pytest.mark.parametrize("weights", [None, CROWDED], ids=["everywhere alike", "where people are"])


@dataclass(frozen=True)
class Friends:
    edges: Edges
    values: IntArray


def simulated(law: FriendDistance, pairs: int, seed: int, weights: Array | None = None) -> Friends:
    """Pairs of friends that know nobody else, both ends with the law: the joint law of their places is symmetric."""
    heavy = np.ones(len(GRID)) if weights is None else weights
    joint = heavy[:, None] * heavy * (MILES + law.b) ** -law.c
    drawn = np.random.default_rng(seed).choice(joint.size, pairs, p=(joint / joint.sum()).ravel())
    values = np.stack([drawn // len(GRID), drawn % len(GRID)], axis=1).ravel()
    edges, _ = clean_edges(2 * pairs, np.arange(2 * pairs).reshape(-1, 2))
    return Friends(edges, values)


@DENSITIES
def test_log_likelihoods_are_those_of_mpmath(weights: Array | None) -> None:
    friends = simulated(TRUTH, 12, 1, weights)
    ends = [(one, other) for one, other in friends.values.reshape(-1, 2).tolist()]
    heavy = np.ones(len(GRID)) if weights is None else weights
    for b, c in ((1.5, 1.8), (1e-3, 20.0), (400.0, 0.0)):
        law = FriendDistance(a=1.0, b=b, c=c)
        found = friends_log_likelihood(law, friends.edges, friends.values, POINTS, weights)
        assert found == pytest.approx(friends_score(ends, MILES.tolist(), b, c, heavy.tolist()), rel=1e-12)


@DENSITIES
def test_truth_is_accepted_and_a_near_lie_is_not(weights: Array | None) -> None:
    """By the likelihood ratio, at the level .001, against lies of a fifth."""
    friends = simulated(TRUTH, 20_000, 3, weights)
    fit = fit_friends(friends.edges, friends.values, POINTS, weights)
    limit = stats.chi2.ppf(0.999, 2)
    for b, c in ((1.0, 1.0), (1.2, 1.0), (1.0, 1.1), (1 / 1.2, 1.0), (1.0, 1 / 1.1)):
        law = FriendDistance(1.0, TRUTH.b * b, TRUTH.c * c)
        ratio = 2 * (fit.log_likelihood - friends_log_likelihood(law, friends.edges, friends.values, POINTS, weights))
        assert ratio >= 0
        assert (ratio < limit) == ((b, c) == (1.0, 1.0))


def test_nothing_nearby_is_likelier_and_the_errors_are_those_of_the_curvature() -> None:
    friends = simulated(TRUTH, 2_000, 4)
    fit = fit_friends(friends.edges, friends.values, POINTS)

    def score(b: float, c: float) -> float:
        return friends_log_likelihood(FriendDistance(1.0, b, c), friends.edges, friends.values, POINTS)

    b, c, step = fit.law.b, fit.law.c, 1e-3
    assert score(b, c) == fit.log_likelihood
    for up, along in ((step, 0), (-step, 0), (0, step), (0, -step), (step, step), (step, -step)):
        assert score(b + up, c + along) < fit.log_likelihood
    bb = -(score(b + step, c) - 2 * score(b, c) + score(b - step, c)) / step**2
    cc = -(score(b, c + step) - 2 * score(b, c) + score(b, c - step)) / step**2
    mixed = (
        score(b + step, c + step) + score(b - step, c - step) - score(b + step, c - step) - score(b - step, c + step)
    )
    inverse = np.linalg.inv([[bb, -mixed / 4 / step**2], [-mixed / 4 / step**2, cc]])
    assert fit.errors is not None
    np.testing.assert_allclose(fit.errors, np.sqrt(np.diag(inverse)), rtol=1e-3)


def test_goodness_is_beside_no_law_and_the_values_own() -> None:
    friends = simulated(TRUTH, 500, 5)
    fit = fit_friends(friends.edges, friends.values, POINTS)
    shown = fit.goodness()
    share = np.bincount(friends.values, minlength=len(GRID)) / len(friends.values)
    assert shown["uniform_per_edge"] == pytest.approx(-log(len(GRID)), rel=1e-12)
    assert shown["marginal_per_edge"] == pytest.approx(float(xlogy(share, share).sum()), rel=1e-12)
    assert shown["per_edge"] * 500 == pytest.approx(fit.log_likelihood, rel=1e-12)
    assert shown["per_edge"] > shown["uniform_per_edge"]
    assert (fit.observations, shown["values"], shown["weighted"], fit.smoothing) == (500, 72, False, None)
    constants = {"a": fit.law.a, "b": fit.law.b, "c": fit.law.c}
    assert fit.section()["distance"] == constants | {"points": POINTS.tolist()}
    row_sums = ((MILES + fit.law.b) ** -fit.law.c).sum(axis=1)
    assert fit.law.a == pytest.approx(float((share / row_sums).sum()), rel=1e-12)


@DENSITIES
def test_sections_are_pairwise_models_with_the_fitted_law(weights: Array | None) -> None:
    friends = simulated(TRUTH, 500, 5, weights)
    fit = fit_friends(friends.edges, friends.values, POINTS, weights)
    (law,) = Pairwise(**fit.section(), edges=((1, 2),)).law.laws
    np.testing.assert_allclose(law.forward, fit.law.law(MILES, weights), rtol=1e-12)


def test_friends_who_live_together_are_at_the_border() -> None:
    edges, _ = clean_edges(6, [(0, 1), (2, 3), (4, 5)])
    fit = fit_friends(edges, np.array([0, 0, 5, 5, 9, 9]), POINTS)
    assert fit.at_border
    assert fit.errors is None
    assert fit.log_likelihood == pytest.approx(0.0, abs=1e-6)
    assert np.isfinite(fit.law.a)
