"""Several answers of people of whom only pairs are known: no joint law with those pairs leaks more than is said."""

from itertools import product

import numpy as np
import pytest

import dalenius as dl
from dalenius.pairs.methods import exact_coefficient
from dalenius.pairs.vector_answers import vector_coefficient

ALIKE = ((0.9, 0.1), (0.2, 0.8))
QUERIES = {
    "histogram": dl.Histogram(cells=((0,), (1,))),
    "cells": dl.Histogram(cells=((1,),)),
    "by label": dl.Count(per_label=True),
}
LABELS = ("here", "there", "there")


def friends() -> dl.Pairwise:
    return dl.Pairwise(n=3, edges=((1, 2), (1, 3), (2, 3)), given=ALIKE, labels=LABELS)


def joint(seed: int) -> dl.Table:
    """One of the joint laws of three people with those pairs: of three bits one number is left open."""
    prior = np.array([2 / 3, 1 / 3])
    pair = prior[:, None] * np.array(ALIKE)
    # Pr[abc] is fixed by the pairs up to one number t = Pr[111], within what leaves nothing below 0.
    one, two = prior[1], pair[1, 1]
    low, high = max(0.0, 2 * two - one, 3 * two - 3 * one + 0.0), min(two, 1 - 3 * one + 3 * two)
    t = low + (high - low) * np.random.default_rng(seed).uniform()
    by_ill = [1 - 3 * one + 3 * two - t, one - 2 * two + t, two - t, t]
    rows = list(product((0, 1), repeat=3))
    law = np.clip([by_ill[sum(row)] for row in rows], 0, None)
    return dl.Table(records=tuple(rows), probabilities=tuple(law / law.sum()), labels=LABELS)


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scale", [0.7, 2.0, 6.0])
def test_no_joint_law_with_the_pairs_leaks_more(name: str, seed: int, scale: float) -> None:
    query, noise = QUERIES[name], dl.Laplace(scale=scale)
    bound = dl.InferentialPrivacy().leakage(dl.Release(friends(), query, noise))
    found = dl.InferentialPrivacy().leakage(dl.Release(joint(seed), query, noise))
    assert found.lower <= bound.upper
    assert bound.upper <= 3 * (2 if name == "histogram" else 1) / scale * (1 + 1e-9)
    assert 0.5 * bound.upper < found.upper


@pytest.mark.parametrize("name", QUERIES)
def test_comonotone_noise_keeps_the_promise_for_several_answers(name: str) -> None:
    release = dl.Release(friends(), QUERIES[name], dl.Laplace(scale=1.0))
    promise = dl.InferentialPrivacy(epsilon=1.0)
    found, group = (dl.calibrate(release, promise, method=method) for method in ("comonotone", "group"))
    assert found.sound
    scale, most = found.noise.scale, group.noise.scale
    assert scale is not None and most is not None and scale < most  # noqa: PT018
    for seed in range(6):
        assert promise.leakage(dl.Release(joint(seed), QUERIES[name], found.noise)).upper <= 1 + 1e-9
    # Noise for one record alone is found out.
    alone = dl.calibrate(release, promise, method="independent").noise
    assert promise.leakage(dl.Release(joint(0), QUERIES[name], alone)).lower > 1.3


def test_a_chance_and_a_delta_follow_for_several_answers() -> None:
    release = dl.Release(friends(), QUERIES["histogram"], dl.Laplace(scale=2.0))
    exact = dl.Release(joint(1), QUERIES["histogram"], dl.Laplace(scale=2.0))
    bound, found = (dl.InformationPrivacy().leakage(each) for each in (release, exact))
    assert found.lower <= bound.upper
    assert dl.delta_of(exact, 0.5).lower <= dl.delta_of(release, 0.5).upper


@pytest.mark.parametrize("name", QUERIES)
def test_methods_read_pairs_of_a_joint_law_as_of_a_model_of_pairs(name: str) -> None:
    promise = dl.InferentialPrivacy(epsilon=1.0)
    for method in ("comonotone", "dependence_coefficient"):
        found = [
            dl.calibrate(dl.Release(model, QUERIES[name], dl.Laplace(scale=1.0)), promise, method=method)
            for model in (friends(), joint(2))
        ]
        assert found[0].sound == found[1].sound == (method == "comonotone")
        assert found[0].noise.scale == pytest.approx(found[1].noise.scale, rel=1e-6)
    strangers = dl.Independent(probabilities=(0.3, 0.4))
    alone = dl.calibrate(dl.Release(strangers, QUERIES["cells"], dl.Laplace(scale=1.0)), promise, method="comonotone")
    assert alone.noise.scale == 1.0


def test_the_coefficient_of_several_answers_is_eq_14_over_all_outputs() -> None:
    """Outputs on a fine grid far beyond the points leak no more, and of one answer it is the coefficient known."""
    draws = np.random.default_rng(3)
    points, laws = draws.integers(0, 3, (4, 2)).astype(float), draws.dirichlet(np.ones(4), 2)
    found = vector_coefficient(points, laws, 1.3)
    fine = np.array(list(product(np.linspace(-2, 5, 71), repeat=2)))
    falls = np.exp(-np.abs(fine[:, None] - points).sum(axis=2) / 1.3)
    ratios = np.log(falls @ laws[0]) - np.log(falls @ laws[1])
    assert np.abs(ratios).max() == pytest.approx(found, rel=1e-9)
    one = vector_coefficient(points[:, :1], laws, 1.3)
    assert one == pytest.approx(float(exact_coefficient(laws[None], points[:, 0], 1.3)[0]), rel=1e-12)
