"""Examples 1 and 2 of IDP and IP, and what both say of rare events."""

from fractions import Fraction
from math import exp, log
from typing import Any

import pytest
from mpmath import mp

import dalenius as dl
from tests.papers import enumerated as by
from tests.papers.drawn import universe
from tests.reference.joints import gather


def family(size: int, ill: float, epsilon: float) -> dl.Release:
    """All of a family are ill, or nobody; a count with Laplace(1/ε) noise."""
    infected = [1 - ill, *[0.0] * (size - 1), ill]
    return dl.Release(dl.Households(count=1, infected=infected), dl.Count(), dl.Laplace(scale=1 / epsilon))


def test_example_1() -> None:
    """Of ten people the odds change e^10ε-fold, at an output of 10 or more, such as 12. The *probability* does so
    less, (1 - p + p e^10ε)^-1 times that, and up to e^10ε only where the illness is rare."""
    epsilon = 0.5
    assert exp(-epsilon * abs(12 - 10)) / exp(-epsilon * abs(12 - 0)) == pytest.approx(exp(10 * epsilon))
    for ill in (0.5, 0.01):
        audited = dl.audit(family(10, ill, epsilon))
        odds, chance = audited["inferential"], audited["information"]
        assert odds.lower <= 10 * epsilon + 1e-12
        assert odds.upper >= 10 * epsilon - 1e-12
        gains = [10 * epsilon - log(1 - p + p * exp(10 * epsilon)) for p in (ill, 1 - ill)]
        assert chance.epsilon == pytest.approx(max(gains), abs=1e-9)
        assert chance.upper < odds.lower
    nearly = dl.audit(family(10, 1e-12, epsilon))["information"]
    assert nearly.epsilon == pytest.approx(10 * epsilon, abs=1e-3)


def test_example_2_of_identity_privacy() -> None:
    """IDP Example 2, Eqs 1–3: p(t1) = 1/10. Independent people: at most e^ε. Equal ones: e^2ε at the output 2."""
    rare, decay = Fraction(1, 10), Fraction(1, 4)
    made = by.noised_sum(universe([2, 2]), decay)
    equal = by.seen(gather([((0, 0), 1 - rare), ((1, 1), rare)]), made, [0])
    after = equal.posterior(2)
    assert after[1,] / after[0,] == Fraction(rare, 1 - rare) / decay**2
    alone = {(x, y): (rare if x else 1 - rare) * (rare if y else 1 - rare) for x, y in universe([2, 2])}
    assert by.identity(by.seen(alone, made, [0])) <= 1 / decay


def test_example_2_of_information_privacy() -> None:
    """IP Example 2: independent people, e^ε at most; equal ones, e^2ε in the limit of a rare illness, not attained."""
    epsilon = 0.5
    apart = dl.Independent(n=2, probabilities=[0.1])
    found = dl.audit(dl.Release(apart, dl.Count(), dl.Laplace(scale=1 / epsilon)))
    assert found["information"].upper <= epsilon
    assert found["mutual_information"].upper <= epsilon
    nearer = [dl.audit(family(2, ill, epsilon))["information"].upper for ill in (0.1, 1e-3, 1e-9)]
    assert nearer[0] < nearer[1] < nearer[2] < 2 * epsilon
    assert nearer[2] > 2 * epsilon - 1e-5


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_example_2_never_has_that_much_information(epsilon: float) -> None:
    """E13: IP Example 2 says that I(X_1; Y) may then exceed ε. Of two equal bits it does not: a channel of log-ratio
    2ε is a post-processing of randomised response, whose capacity is ln 2 - h(1/(1 + e^2ε)) <= min(ε²/2, ln 2) <
    ε."""
    flip = 1 / (1 + exp(2 * epsilon))
    capacity = log(2) + flip * log(flip) + (1 - flip) * log(1 - flip)
    assert capacity <= min(epsilon**2 / 2, log(2)) < epsilon
    for ill in (0.5, 0.3, 0.1, 0.01):
        assert dl.MutualInformationPrivacy().leakage(family(2, ill, epsilon)).upper <= capacity


def test_larger_families_have() -> None:
    """E13: it is so of eight people, and of the ten of Example 1; not of seven, at any of these ε."""
    for size, most in ((10, True), (8, True), (7, False)):
        scales = [0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6]
        found = [dl.MutualInformationPrivacy().leakage(family(size, 0.5, epsilon)) for epsilon in scales]
        assert any(each.lower > epsilon for each, epsilon in zip(found, scales, strict=True)) is most


def test_rare_events_decide_pure_promises() -> None:
    """E14: both papers say that rare events have very small effect on Def 3 "since they have very small
    probabilities". Independent people, each ill with probability 1/10, but with probability p all n are: the odds
    of one change by e^ε (1 + p/(…)) where p e^εn is small, and by nearly e^εn where it is not, however small p."""
    promise = 1.0
    found = {}
    for people, rare in ((10, 1e-6), (10, 1e-3), (100, 1e-6), (100, 1e-30)):
        infected = [(1 - rare) * float(_binomial(people, k)) for k in range(people + 1)]
        infected[-1] += rare
        total = sum(infected)
        model = dl.Households(count=1, infected=[each / total for each in infected])
        release = dl.Release(model, dl.Count(), dl.Laplace(scale=1.0))
        found[people, rare] = dl.audit(release)["inferential"]
        wanted = mp.log(_odds(people, rare))
        assert found[people, rare].epsilon == pytest.approx(float(wanted), abs=1e-6)
    assert found[10, 1e-6].upper < promise + 0.02
    assert found[10, 1e-3].lower > 2
    assert found[100, 1e-6].lower > 70
    assert found[100, 1e-30].lower > 10


def _binomial(people: int, k: int) -> Any:
    with mp.workdps(60):
        return mp.binomial(people, k) * mp.mpf("0.1") ** k * mp.mpf("0.9") ** (people - k)


def _odds(people: int, rare: float) -> Any:
    """W(∞|1)/W(∞|0) at ε = 1."""
    with mp.workdps(60):
        others = (mp.mpf("0.9") + mp.mpf("0.1") * mp.e) ** (people - 1)
        usual, epidemic = mp.mpf("0.1") * (1 - mp.mpf(rare)), mp.mpf(rare)
        ill = (usual * mp.e * others + epidemic * mp.e**people) / (usual + epidemic)
        return ill / others
