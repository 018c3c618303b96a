"""Every audit is attained by an attack: over the conformance table's models, queries and noises."""

from itertools import product
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.attack import Attained, bayes_attacks, simulated
from dalenius.noise import Noise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, MinEntropyPrivacy, MutualInformationPrivacy
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth
from tests.conformance.table import MODELS, NOISES, NOT_EVERYWHERE, PAIR, QUERIES, XOR, examples
from tests.pace import covering

NARROW = 1e-8
KERNEL = dl.Kernel(
    answers=[0, 1, 2, 3, 4], outputs=["few", "many"], probabilities=[[1 - p, p] for p in np.arange(5) / 4]
)
AXES = ("per label", "count at two stages", "histogram", "and", "count twice", "then adults")
"""Queries of several answers, which take seconds under Laplace noise."""


def combinations() -> list[Any]:
    """Each model and each query with a noise, in turn: so many that each of them is there."""
    found = []
    noises = [noise for noise in examples(NOISES) if noise not in NOT_EVERYWHERE]
    for turn, (model, query) in enumerate(product(examples(MODELS), examples(QUERIES))):
        noise = noises[turn % len(noises)]
        try:
            exact_truth(model, query)
        except Unfit:
            continue
        if noise != "laplace" or not any(word in query for word in AXES):
            found.append((model, query, noise))
    return [each for each in covering(found) if type(each) is tuple]


def attains(found: Attained) -> bool:
    """Whether what was reached is the bound, as far as either is known."""
    reached, bound = found.reached, found.bound
    overlap = reached.lower <= bound.upper and reached.upper >= bound.lower
    narrow = bound.lower == inf or reached.upper - reached.lower <= NARROW * max(1.0, bound.upper)
    return overlap and narrow


@pytest.mark.parametrize(("model", "query", "noise"), combinations())
def test_the_audit_is_attained(model: str, query: str, noise: str) -> None:
    release = dl.Release(examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[noise])
    attacks = bayes_attacks(release)
    audit = {kind.__name__: kind().leakage(release) for kind in (InferentialPrivacy, InformationPrivacy)}
    for name, read in (("InferentialPrivacy", "odds"), ("InformationPrivacy", "raised")):
        found = [getattr(each, read) for each in attacks]
        if noise != "gaussian":
            assert all(each is None or attains(each) for each in found)
        best = max((each.reached.upper for each in found if each is not None), default=0.0)
        assert best <= audit[name].upper * (1 + 1e-9) + 1e-9
        if noise != "gaussian" and audit[name].witness is not None:
            assert best >= audit[name].lower * (1 - 1e-9) - 1e-9
    leaked = max((each.leaked.upper for each in attacks if each.leaked is not None), default=0.0)
    assert leaked == pytest.approx(MutualInformationPrivacy().leakage(release).upper, abs=1e-12)
    gains = [
        log(each.success.lower / each.prior_success)
        for each in attacks
        if each.success is not None and each.prior_success is not None
    ]
    assert max(gains, default=0.0) <= MinEntropyPrivacy().leakage(release).upper + 1e-9


def test_a_near_lie_is_no_attainment() -> None:
    (first, *_) = bayes_attacks(dl.Release(PAIR, dl.Count(), dl.Laplace(scale=1.0)))
    assert first.odds is not None
    assert attains(first.odds)
    lie = dl.Enclosure(first.odds.bound.lower - 1e-6, first.odds.bound.upper - 1e-6)
    assert not attains(Attained(first.odds.reached, lie, first.odds.witness))


def test_success_is_one_minus_bayes_risk() -> None:
    """Geometric noise on the exclusive or's sum, summed by hand: enough outputs either side."""
    (first, *_) = bayes_attacks(dl.Release(XOR, dl.Sum(), dl.Geometric(scale=1.0)))
    total = 0.0
    for y in range(-60, 64):
        mass = {v: exp(-abs(y - v)) * (1 - exp(-1)) / (1 + exp(-1)) for v in (0, 2)}
        total += max(0.5 * (0.5 * mass[0] + 0.5 * mass[2]), 0.5 * mass[2])
    assert first.prior_success == 0.5
    assert first.success is not None
    assert first.success.lower <= total + 1e-15
    assert first.success.upper >= total - 1e-15
    assert first.success.upper - first.success.lower < 1e-10


def test_a_test_of_two_values() -> None:
    (first, *_) = bayes_attacks(dl.Release(PAIR, dl.Count(), dl.Laplace(scale=1.0)))
    assert first.test is not None
    assert first.test.advantage.middle == pytest.approx(1 - exp(-1))  # two answers 2 apart, in the middle
    assert first.test.true_positives.middle == pytest.approx(0.01 * exp(2))


def test_secrets_that_are_no_values() -> None:
    normal = dl.GaussianRecords(mean=[1, 0], covariance=[[1, 0.5], [0.5, 1]], bounds=(-2, 2))
    (first,) = bayes_attacks(dl.Release(normal, dl.Sum(), dl.Laplace(scale=1.0)))
    assert (first.success, first.prior_success) == (None, None)
    assert first.leaked is not None
    assert first.leaked.lower > 0


def test_each_law_is_attacked() -> None:
    laws = [dl.Independent(n=2, values=[0, 1], probabilities=[p, 1 - p]) for p in (0.5, 0.9)]
    release = dl.Release(dl.Any(models=laws), dl.Count(), dl.Laplace(scale=1.0))
    found, played = bayes_attacks(release), simulated(release, 400, seed=1)
    assert [each.law for each in found] == [1, 2]  # equal odds; most is leaked of the fair bit
    assert [each.prior_success for each in found] == pytest.approx([0.5, 0.9])
    for each, game in zip(found, played, strict=True):
        assert game.law == each.law
        assert each.success is not None
        assert game.interval.lower <= each.success.middle <= game.interval.upper


def test_nothing_leaks() -> None:
    certain = dl.Table(records=[[0, 1]], probabilities=[1.0])
    assert bayes_attacks(dl.Release(certain, dl.Count(), dl.Laplace(scale=1.0))) == ()


@pytest.mark.parametrize("noise", [dl.Laplace(scale=1.0), dl.Gaussian(scale=1.0), KERNEL], ids=lambda noise: noise.kind)
def test_games_are_won_as_often_as_is_said(noise: Noise) -> None:
    release = dl.Release(dl.Households(count=2, infected=[0.4, 0.2, 0.4]), dl.Count(), noise)
    (attack,), (played,) = bayes_attacks(release), simulated(release, 1_000, seed=7)
    assert attack.success is not None
    assert played.interval.lower <= attack.success.lower
    assert played.interval.upper >= attack.success.upper
    assert not played.interval.lower <= attack.success.lower + 0.1 <= played.interval.upper
    assert simulated(release, 1_000, seed=7) == (played,)
    assert any(simulated(release, 200, seed) != simulated(release, 200, seed=7) for seed in range(8, 12))
