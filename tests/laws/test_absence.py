"""How far beliefs about who is absent move, against the posterior enumerated: random cases, and deep ones."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from dalenius.laws.absence.prior import Prior, bounded, listed, uniform
from dalenius.laws.absence.ratios import (
    lowered,
    lowered_curve,
    posterior_of,
    raised,
    raised_curve,
    suspected,
    suspected_curve,
)
from tests.conformance.comparison import assert_contains
from tests.conformance.truth import exact
from tests.pace import slow
from tests.reference import absent as reference
from tests.reference.channel import Real, mp

WIDE = 1e-11
"""Relatively: no enclosure is wider."""


def answers_of(random: np.random.Generator, people: int) -> list[Fraction]:
    """Equal ones among them, near and far ones."""
    some = [
        random.integers(0, 5, people).astype(float),
        np.round(random.normal(size=people) * 3, 3),
        np.round(np.exp(random.uniform(-14, 1, people)), 9),
    ][random.integers(3)]
    return [Fraction(str(each)) for each in some]


def classes(answers: list[Fraction]) -> tuple[np.ndarray, np.ndarray]:
    """Offsets, and whose is whose."""
    points = sorted(set(answers))
    return np.array([float(a - points[0]) for a in points]), np.array([points.index(a) for a in answers])


def check(prior: Prior, offsets: np.ndarray, scale: float, truth: tuple[Real, Real, Real]) -> None:
    most, least, highest = truth
    odds = mp.log1p(highest / (1 - highest)) if highest < 1 else mp.inf
    for moved, value in (
        (raised(prior, offsets, scale), mp.log(most)),
        (lowered(prior, offsets, scale), -mp.log(least)),
        (suspected(prior, offsets, scale), odds),
    ):
        assert_contains(moved.value, value)
        assert exact(moved.value.upper) - exact(moved.value.lower) <= WIDE * value + mp.mpf("1e-40")


@pytest.mark.parametrize("count", [200, slow(1000)])
def test_a_thousand_random_priors(count: int) -> None:
    random = np.random.default_rng(5)
    for _ in range(count):
        people = int(random.integers(2, 7))
        answers = answers_of(random, people)
        offsets, whose = classes(answers)
        scale = float(np.exp(random.uniform(-2.5, 8)) * (offsets[-1] or 1))
        weights = random.integers(1, 10 ** int(random.integers(1, 7)), people)
        given = [Fraction(int(w), int(weights.sum())) for w in weights]
        prior = listed(np.array([float(p) for p in given]), whose, len(offsets))
        check(prior, offsets, scale, reference.extremes(answers, given, Fraction(scale)))
        even = [Fraction(1, people)] * people
        counts = np.bincount(whose)
        check(uniform(counts), offsets, scale, reference.extremes(answers, even, Fraction(scale)))


@pytest.mark.slow
def test_random_bounds_against_every_vertex() -> None:
    random = np.random.default_rng(6)
    for _ in range(150):
        people = int(random.integers(2, 5))
        answers = answers_of(random, people)
        offsets, whose = classes(answers)
        scale = float(np.exp(random.uniform(-2, 6)) * (offsets[-1] or 1))
        least = Fraction(int(random.integers(1, 100)), 100 * people)
        greatest = Fraction(int(random.integers(100, 100 * people)), 100 * people)
        prior = bounded(offsets, np.bincount(whose), least, greatest)
        assert least <= prior.least <= prior.greatest <= greatest
        check(prior, offsets, scale, reference.bounded_extremes(answers, least, greatest, Fraction(scale)))


def test_a_least_prior_of_nothing_is_the_limit_of_small_ones() -> None:
    offsets, people = np.array([0.0, 1.0, 4.0]), np.array([2, 3, 1])
    none = bounded(offsets, people, Fraction(0), Fraction(1, 4))
    little = bounded(offsets, people, Fraction(1, 10**13), Fraction(1, 4))
    for reading in (raised, lowered, suspected):
        first, second = reading(none, offsets, 2.0).value, reading(little, offsets, 2.0).value
        assert first.middle == pytest.approx(second.middle, rel=1e-10)
        assert first.upper >= second.lower


@pytest.mark.parametrize("scale", [1e-3, 1e-5])
def test_beyond_the_reach_of_doubles(scale: float) -> None:
    """Likelihoods of e^{-Θ/b}, Θ/b in the thousands."""
    offsets, people = np.array([0.0, 1.0, 3.0]), np.array([4, 1, 4])
    truth = 2.0 / scale  # the middle class, everybody else 1 or 2 away, all on one side at worst
    prior = bounded(offsets, people, Fraction(0), Fraction(1, 4))
    found = raised(prior, offsets, scale).value
    assert found.lower <= truth <= found.upper * (1 + 1e-9)
    assert lowered(prior, offsets, scale).value.middle == pytest.approx(3 / scale, rel=1e-3)


def test_without_noise() -> None:
    offsets, prior = np.array([0.0, 1.0]), listed(np.array([0.25, 0.25, 0.5]), np.array([0, 0, 1]), 2)
    assert raised(prior, offsets, 0.0).value.middle == pytest.approx(np.log(2))
    assert lowered(prior, offsets, 0.0).value == (inf, inf)
    assert suspected(prior, offsets, 0.0).value == (inf, inf)


def test_everybody_alike() -> None:
    offsets, prior = np.array([0.0]), uniform(np.array([4]))
    assert raised(prior, offsets, 1.0).value == lowered(prior, offsets, 1.0).value == (0.0, 0.0)
    assert posterior_of(suspected(prior, offsets, 1.0).value).middle == pytest.approx(0.25, rel=1e-14)


def test_curves_are_the_readings_of_one_class() -> None:
    random = np.random.default_rng(7)
    for _ in range(60):
        answers = answers_of(random, 8)
        offsets, whose = classes(answers)
        people = np.bincount(whose)
        if len(offsets) < 2:
            continue
        for prior in (uniform(people), bounded(offsets, people, Fraction(1, 20), Fraction(1, 5))):
            for scale in (0.3 * offsets[-1], 5 * offsets[-1]):
                up, down, seen = (each(prior, offsets, scale) for each in (raised, lowered, suspected))
                assert raised_curve(prior, offsets, up.whose)(scale) == pytest.approx(up.value.middle, rel=1e-12)
                assert lowered_curve(prior, offsets, down.seen)(scale) == pytest.approx(down.value.middle, rel=1e-12)
                curve = suspected_curve(prior, offsets, seen.whose)
                assert curve(scale) == pytest.approx(seen.value.middle, rel=1e-12)
                others = [raised_curve(prior, offsets, k)(scale) for k in range(len(offsets))]
                assert max(others) == pytest.approx(up.value.middle, rel=1e-12)


def test_a_near_lie_is_rejected() -> None:
    answers = [Fraction(n) for n in (0, 1, 3)]
    offsets, whose = classes(answers)
    prior = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    truth = reference.extremes(answers, prior, Fraction(2))
    wrong = listed(np.array([0.5, 0.25 - 1e-9, 0.25 + 1e-9]), whose, 3)
    with pytest.raises(AssertionError):
        check(wrong, offsets, 2.0, truth)
    with pytest.raises(AssertionError):
        check(listed(np.array([0.5, 0.25, 0.25]), whose, 3), offsets, 2.0 * (1 + 1e-9), truth)


def test_people_with_a_prior_of_their_own_far_from_the_first() -> None:
    """Offsets that all lie far from 0 resolve less, and the enclosure says so."""
    offsets = np.array([1e9, 1e9 + 1, 1e9 + 2])
    near = np.array([0.0, 1.0, 2.0])
    prior = uniform(np.array([1, 1, 1]))
    far, close = raised(prior, offsets, 1e3).value, raised(prior, near, 1e3).value
    assert far.lower <= close.lower <= close.upper <= far.upper
    assert far.upper - far.lower > 1e3 * (close.upper - close.lower)
