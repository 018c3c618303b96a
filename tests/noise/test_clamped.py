"""Geometric noise, clamped: every notion against rows written out in fractions; draws; what is refused."""

from fractions import Fraction
from math import inf

import pytest

from dalenius import (
    Clamped,
    Count,
    Geometric,
    Households,
    Independent,
    InferentialPrivacy,
    Mean,
    NoNoise,
    Release,
    Several,
    Sum,
    audit,
)
from dalenius.laws.lattice import Lattice

HOMES = Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
WHOLE = Lattice((Fraction(1),))


def test_at_the_answers_range_it_leaks_what_the_geometric_leaks() -> None:
    """All outputs beyond the range have the posterior of its end."""
    plain = audit(Release(HOMES, Count(), Geometric(scale=2.0)))
    for lower, upper in ((0, 48), (-7, 48), (-1, 100)):
        found = audit(Release(HOMES, Count(), Clamped(scale=2.0, lower=lower, upper=upper)))
        for kind, leakage in found.items():
            assert leakage.epsilon == pytest.approx(plain[kind].epsilon, rel=1e-10, abs=1e-12), kind


def test_more_noise_may_leak_more() -> None:
    """Without noise every answer above 2 goes out as 2; with a little, one of 3 may be told from one of 16."""
    release = Release(Households(count=4, infected=(0.9, 0.04, 0.0, 0.0, 0.06)), Count(), NoNoise())
    without = InferentialPrivacy().leakage(release.with_noise(Clamped(scale=0, lower=1, upper=2)))
    little = InferentialPrivacy().leakage(release.with_noise(Clamped(scale=0.5, lower=1, upper=2)))
    assert without.upper == pytest.approx(2.067271, abs=1e-6)
    assert little.lower == pytest.approx(2.131525, abs=1e-6)


def test_per_label_and_on_other_lattices() -> None:
    family = Households(types=[{"count": 2, "infected": [0.7, 0.1, 0.2], "members": {"a": 1, "b": 1}}])
    several = audit(Release(family, Count(per_label=True), Clamped(scale=1.0, lower=0, upper=1)))
    wider = audit(Release(family, Count(per_label=True), Geometric(scale=1.0)))
    assert 0 < several["inferential"].upper < wider["inferential"].lower
    counted = audit(Release(HOMES, Count(), Clamped(scale=3.0, lower=1, upper=5)))
    averaged = audit(Release(HOMES, Mean(), Clamped(scale=3 / 48, lower=1 / 48, upper=5 / 48)))
    assert averaged["inferential"].epsilon == pytest.approx(counted["inferential"].epsilon, rel=1e-12)
    witness = averaged["inferential"].witness
    assert witness is not None
    assert witness.output in [(1 / 48,), (5 / 48,)]


def test_differential_privacy_of_a_clamped_answer() -> None:
    def lost(scale: float, lower: float, upper: float, query: Count | Sum) -> tuple[float, float]:
        found = audit(Release(HOMES, query, Clamped(scale=scale, lower=lower, upper=upper)))["differential"]
        return found.lower, found.upper

    assert lost(2.0, 1, 5, Count()) == pytest.approx((0.5, 0.5))
    assert lost(0, 1, 5, Count()) == (inf, inf)
    assert lost(0, 3, 3, Count())[1] < 1e-300
    assert lost(0, 60, 70, Count()) == (0.0, inf)
    far = Independent(values=[0, 10], probabilities=[[0.5, 0.5]] * 2)
    found = audit(Release(far, Sum(), Clamped(scale=2.0, lower=9, upper=11)))["differential"]
    assert found.lower == 0
    assert found.upper == pytest.approx(5)


def test_without_noise_the_answer_is_clamped() -> None:
    noise = Clamped(scale=0, lower=-1, upper=4)
    assert [int(noise.draw((answer,), WHOLE)[0]) for answer in (-3, -1, 2, 9)] == [-1, -1, 2, 4]
    third = Lattice((Fraction(1, 3),))
    assert Clamped(scale=0, lower=1 / 3, upper=2 / 3).draw((7,), third) == (Fraction(2, 3),)


def test_several_queries_share_the_ends() -> None:
    release = Release(HOMES, Several(queries=[Count(), Count(values=[0])]), Clamped(scale=1.0, lower=2, upper=40))
    assert audit(release)["inferential"].upper < audit(release.with_noise(Geometric(scale=1.0)))["inferential"].lower
