"""Beside every promise: what is lost to whoever knows any of the other records, exactly or by a bound."""

from math import inf
from time import perf_counter

import pytest

import dalenius as dl
from dalenius.knowledge.bayesian import bayesian_loss
from dalenius.spec.words import is_bound

HOMES = dl.Households(count=5, infected=(0.7, 0.1, 0.1, 0.1))
LARGE = dl.Households(count=2, infected=(0.5,) + (0.05,) * 10)
SHORT = dl.Chain(n=30, initial=(0.7, 0.3), transition=((0.9, 0.1), (0.2, 0.8)))


def test_small_groups_and_short_chains_are_exact() -> None:
    for model in (HOMES, SHORT):
        release = dl.Release(model, dl.Count(), dl.Geometric(scale=2.0))
        found, exact = bayesian_loss(release), dl.BayesianPrivacy().leakage(release)
        assert found == (exact.lower, exact.upper)
        assert not is_bound(found)


def test_of_groups_that_differ_in_their_label_alone_one_is_looked_at() -> None:
    pair, other = [[0, 0], [0, 1], [1, 0], [1, 1]], (0.4, 0.2, 0.1, 0.3)
    types = [
        dl.GroupType(count=2, labels=(label, label), records=pair, probabilities=chances)
        for label, chances in (("a", (0.7, 0.1, 0.1, 0.1)), ("b", (0.7, 0.1, 0.1, 0.1)), ("c", other))
    ]
    for kept in (types, types[:2], types[2:], types[::-1]):
        release = dl.Release(dl.Groups(types=kept), dl.Count(per_label=True), dl.Geometric(scale=2.0))
        found, exact = bayesian_loss(release), dl.BayesianPrivacy().leakage(release)
        assert found == (exact.lower, exact.upper)


def test_large_groups_have_a_bound_of_little_time() -> None:
    release = dl.Release(LARGE, dl.Count(), dl.Geometric(scale=2.0))
    found, exact = bayesian_loss(release), dl.BayesianPrivacy().leakage(release)
    assert found is not None
    assert found.lower == 0
    assert exact.upper <= found.upper == pytest.approx(5)
    assert is_bound(found)


def test_no_noise_has_no_bound() -> None:
    found = bayesian_loss(dl.Release(HOMES, dl.Count(), dl.NoNoise()))
    assert found == (inf, inf)
    large = bayesian_loss(dl.Release(LARGE, dl.Count(), dl.NoNoise()))
    assert large == (0, inf)


def test_a_million_people_take_no_time() -> None:
    release = dl.Release(
        dl.Households(count=250_000, infected=(0.7, 0.1, 0.1, 0.05, 0.05)), dl.Count(), dl.Geometric(scale=2.0)
    )
    start = perf_counter()
    found = bayesian_loss(release)
    assert perf_counter() - start < 1
    assert found is not None
    assert found.upper <= 2


def test_where_it_has_no_meaning() -> None:
    records = dl.GaussianRecords(mean=(0.0, 0.0), covariance=((1.0, 0.5), (0.5, 1.0)))
    assert bayesian_loss(dl.Release(records, dl.Sum(), dl.Laplace(scale=1.0))) is None
    assert bayesian_loss(dl.Release(dl.Absent(answers=(1.0, 2.0)), None, dl.Laplace(scale=1.0))) is None


def test_a_bayesian_promise_shows_its_own() -> None:
    release, promise = dl.Release(HOMES, dl.Count(), dl.Geometric()), dl.BayesianPrivacy(epsilon=1.0)
    made = dl.calibrate(release, promise)
    assert made.bayesian == (made.leakage.lower, made.leakage.upper)
    assert made.leakage.upper <= 1
