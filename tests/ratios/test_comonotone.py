"""Method comonotone: sound whatever the joint law, tight where records have two scores, never more than group."""

from fractions import Fraction

import numpy as np
import pytest

import dalenius as dl
from dalenius.laws.law import Array
from dalenius.models import Model
from dalenius.ratios.pairs.pairs import all_pairs
from tests.conformance.table import XOR
from tests.published.test_published import ONE, OUTBREAK, counted

HOUSEHOLDS = dl.Households(count=12, infected=[0.9, 0.04, 0.0, 0.0, 0.06])


@pytest.mark.parametrize("model", [XOR, HOUSEHOLDS])
def test_no_more_noise_than_exact_where_all_pairs_allow_is_leaked(model: Model) -> None:
    """Bits: what a joint law with the same pairs may leak these do leak."""
    found, exact = counted(model, "comonotone"), counted(model, "exact")
    assert found.sound
    assert found.noise.known_scale() == pytest.approx(exact.noise.known_scale(), rel=1e-8)
    assert found.leakage.upper <= 1 + 1e-9


def test_e2_keeps_its_promise() -> None:
    """At the dependence coefficient's scale, where 1.330 leaks for 1, the pairs do not prove less."""
    coefficient = counted(OUTBREAK, "dependence_coefficient").noise.known_scale()
    assert counted(OUTBREAK, "comonotone", dl.InferentialPrivacy(epsilon=1.3297)).noise.known_scale() > coefficient
    assert counted(OUTBREAK, "comonotone", dl.InferentialPrivacy(epsilon=1.331)).noise.known_scale() < coefficient


def test_it_serves_every_joint_law_with_the_same_pairs() -> None:
    """Tables that differ in triples only: a parity is added, which no pair sees. The noise is that of all of them."""
    rng = np.random.default_rng(2)
    for _ in range(8):
        base = rng.dirichlet(np.ones(8)) * 0.6 + 0.05
        parity = np.array([(-1.0) ** sum(row) for row in np.ndindex(2, 2, 2)])
        most = [float(min(base[parity * sign > 0])) for sign in (-1, 1)]
        laws = [base - most[1] * parity, base, base + most[0] * parity]
        found = [_calibrated(law) for law in laws]
        assert np.ptp([scale for scale, _ in found]) <= 1e-8
        assert max(leaked for _, leaked in found) <= 1 + 1e-9


def _calibrated(law: Array) -> tuple[float, float]:
    rows = [list(row) for row in np.ndindex(2, 2, 2)]
    table = dl.Table(records=rows, probabilities=[float(p) for p in law / law.sum()])
    release = dl.Release(table, dl.Sum(), dl.Laplace())
    found = dl.calibrate(release, ONE, "comonotone")
    return found.noise.known_scale(), ONE.leakage(release.with_noise(found.noise)).upper


def test_implied_notions_and_constant_answers() -> None:
    found = counted(HOUSEHOLDS, "comonotone", dl.InformationPrivacy(epsilon=1))
    assert found.sound
    assert found.leakage.upper <= 1
    assert counted(dl.Independent(probabilities=[0.0, 1.0]), "comonotone").leakage.upper == 0
    certain = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.0, 1.0])
    assert counted(certain, "comonotone").noise.scale == 1
    assert counted(dl.Independent(n=4, probabilities=[0.2]), "comonotone").noise.scale == 1


def test_pairs_of_a_household_have_no_rounding_of_what_is_rare() -> None:
    """Who is ill finds another ill with probability 1e-30: not lost in 1 + 1e-30 - 1."""
    rare = dl.Households(count=1, infected=[0.5, 0.5 - 5e-31, 5e-31])
    (pairs,) = all_pairs("comonotone", dl.Release(rare, dl.Count(), dl.Laplace()), every=True)
    exact = Fraction(5e-31) / (Fraction(5e-31) + Fraction(0.5 - 5e-31) / 2)
    ill = pairs.laws[0][pairs.scores[pairs.first[0]] == 1][0]
    assert ill[1] == pytest.approx(float(exact), rel=1e-12)
