"""Hockey-sticks of two exact laws, sorted once.

δ(ε) where e^ε is no double: one bit under little Laplace noise, 1 - e^{(ε - 1/b)/2} in closed form.

Draws of noise: a sampler of scale b passes, the same draws taken for scale 1.3 b fail; seedless.
"""

from fractions import Fraction
from math import inf, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import dalenius as dl
from dalenius.laws.integrals.privacy_profile import Profile
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import Gaussian, Laplace, Noise, NoNoise
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, enclosure
from tests.pace import draws
from tests.reference.channel import Real, mp, real

MASSES = st.one_of(st.just(0), st.integers(1, 1000), st.sampled_from([10**40, 10**90]))


def law_of(*rows: list[Fraction]) -> Law:
    with mp.workdps(60):
        logs = [[float(mp.log(real(p))) if p else -inf for p in row] for row in rows]
    base = np.max(logs, axis=0)
    base = np.where(base > -inf, base, 0.0)
    return Law((0,), base, np.array(logs) - base, 1e-13)


def normalised(masses: list[int]) -> list[Fraction]:
    return [Fraction(mass, sum(masses)) for mass in masses]


def truth(one: list[Fraction], other: list[Fraction], epsilon: float) -> Real:
    factor = mp.exp(mp.mpf(epsilon))
    return mp.fsum(max(real(p) - factor * real(q), mp.zero) for p, q in zip(one, other, strict=True))


ROWS = st.lists(MASSES, min_size=4, max_size=4).filter(lambda row: sum(row) > 0).map(normalised)


@given(one=ROWS, other=ROWS, epsilon=st.one_of(st.just(0.0), st.floats(0, 250)))
@draws(400)
def test_against_sums_of_fractions(one: list[Fraction], other: list[Fraction], epsilon: float) -> None:
    found = Profile(law_of(one, other), 0, 1).at(epsilon)
    expected = truth(one, other, epsilon)
    assert found.lower <= expected * (1 + mp.mpf("1e-15")) + mp.mpf("1e-310")
    assert found.upper >= expected * (1 - mp.mpf("1e-15"))


def test_relative_accuracy_far_down() -> None:
    """A δ of 1e-200 is known as well as one of .1."""
    rare = Fraction(1, 10**200)
    one, other = [rare, 1 - rare], [rare**2, 1 - rare**2]
    for epsilon in (1.0, 100.0, 400.0):
        found, expected = Profile(law_of(one, other), 0, 1).at(epsilon), truth(one, other, epsilon)
        assert abs(found.middle / expected - 1) < 1e-11
        assert found.upper - found.lower < 1e-11 * expected


def test_a_near_lie_is_rejected() -> None:
    one, other = normalised([3, 5, 2, 7]), normalised([6, 1, 8, 2])
    found, expected = Profile(law_of(one, other), 0, 1).at(0.3), truth(one, other, 0.3)
    assert found.lower <= expected <= found.upper
    assert not found.lower <= expected * (1 + 1e-9) <= found.upper
    assert not found.lower <= expected * (1 - 1e-9) <= found.upper


def test_mass_that_was_not_resolved_is_counted() -> None:
    law = law_of(normalised([1, 3, 4]), normalised([2, 3, 3]))
    open_ = Law(law.start, law.base, law.relative, law.error, np.array([log(1e-3), -inf, -inf]))
    sure, unsure = Profile(law, 1, 0).at(0.1), Profile(open_, 1, 0).at(0.1)
    assert unsure.lower <= sure.lower - 0.1
    assert unsure.upper >= sure.upper


BIT = dl.Table(records=[[0], [1]], probabilities=[0.5, 0.5])


@in_turn({"scale": [1 / 64, 1 / 4096], "share": [0.1, 1 - 2.0**-14]})
def test_delta_of_a_bit(scale: float, share: float) -> None:
    epsilon = share / scale
    found = dl.delta_of(dl.Release(BIT, dl.Count(), dl.Laplace(scale=scale)), epsilon)
    assert_agrees(found, -mp.expm1((mp.mpf(epsilon) - 1 / mp.mpf(scale)) / 2))


@pytest.mark.parametrize("scale", [1 / 1024, 1 / 4096])
def test_the_least_epsilon_of_a_delta(scale: float) -> None:
    notion = dl.InferentialPrivacy(delta=0.05)
    found = notion.leakage(dl.Release(BIT, dl.Count(), dl.Laplace(scale=scale)))
    assert_agrees(enclosure(found), 1 / mp.mpf(scale) + 2 * mp.log1p(-mp.mpf(0.05)))


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "law"), [(Laplace(scale=1.7), stats.laplace), (Gaussian(scale=1.7), stats.norm)])
def test_draws_of_the_reals(noise: Noise, law: Any) -> None:
    """Rounded to a lattice hundreds of times finer than the scale that contains the answers' own."""
    step, answer = Fraction(3, 10), list(range(500))
    lattice = Lattice((step,) * 500)
    drawn = [value for _ in range(24) for value in zip(answer, noise.draw(answer, lattice), strict=True)]
    assert step / max((Fraction(value) / step).denominator for _, value in drawn) <= Fraction(1.7) / 256
    offsets = [float(Fraction(value) - index * step) for index, value in drawn]
    assert stats.kstest(offsets, law(scale=1.7).cdf).pvalue > 1e-9
    assert stats.kstest(offsets, law(scale=1.3 * 1.7).cdf).pvalue < 1e-9


def test_no_noise_draws_the_answer() -> None:
    assert NoNoise().draw([3, -1], Lattice((Fraction(1, 2), Fraction(1)))) == (Fraction(3, 2), Fraction(-1))
