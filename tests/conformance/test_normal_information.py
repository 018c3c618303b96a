"""δ of information privacy for Gaussian records, against quadrature in mpmath."""

from collections.abc import Iterator
from math import inf
from typing import Any

import pytest

from dalenius.bounds import Enclosure
from dalenius.gaussian.channel import GaussianChannel
from dalenius.noise import AnyNoise, Gaussian, Laplace, NoNoise
from dalenius.notions import InformationPrivacy
from tests.conformance.test_normal import PAIR, SINGULAR, TRIPLE, channels, holds, setting
from tests.pace import slow
from tests.reference import normal as reference
from tests.reference.channel import Real, mp


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mp.workdps(25):
        yield


NOISES: list[Any] = [
    slow(Laplace(scale=0.3)),
    Laplace(scale=4.0),
    slow(Gaussian(scale=0.3)),
    Gaussian(scale=4.0),
    NoNoise(),
]


def contains(found: Enclosure, wanted: Real, noise: AnyNoise) -> None:
    """Exactly but under Laplace noise, where what is known of the largest log-ratio bounds it."""
    if noise.kind != "laplace":
        holds(found, wanted)
    assert found.lower <= wanted <= found.upper <= 6 * wanted + 1e-3


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: f"{noise.kind} {noise.scale}")
@pytest.mark.parametrize("epsilon", [slow(0.0), 0.3, slow(2.0)])
def test_the_profile(noise: AnyNoise, epsilon: float) -> None:
    """The value furthest from the mean is the worst: 2, at 1.75 from it."""
    record = channels(TRIPLE, noise, bounds=(-1, 2))[0]
    truth = setting(TRIPLE, 0, noise.kind, noise.scale or 0.0)
    wanted = reference.against_prior(truth, 1.75, epsilon)
    assert wanted >= reference.against_prior(truth, -1.25, epsilon)
    contains(GaussianChannel([record]).least_delta("raised", epsilon), wanted, noise)


@pytest.mark.parametrize("noise", [Laplace(scale=0.7), Gaussian(scale=0.7)], ids=lambda noise: noise.kind)
def test_a_record_that_the_answer_shows_but_for_the_noise(noise: AnyNoise) -> None:
    record = channels(SINGULAR, noise, bounds=(-1, 2))[0]
    truth = setting(SINGULAR, 0, noise.kind, noise.scale or 0.0)
    contains(GaussianChannel([record]).least_delta("raised", 0.5), reference.against_prior(truth, 1.75, 0.5), noise)


@pytest.mark.parametrize(
    ("noise", "delta"),
    [
        (Gaussian(scale=0.5), 1e-30),
        (NoNoise(), 1e-6),
    ],
    ids=lambda case: str(case),
)
def test_the_least_epsilon_of_a_delta_has_that_delta(noise: AnyNoise, delta: float) -> None:
    record = channels(PAIR, noise, bounds=(0, 1))[0]
    truth = setting(PAIR, 0, noise.kind, noise.scale or 0.0)
    leakage = InformationPrivacy(delta=delta).leakage_of(GaussianChannel([record]))
    assert leakage.upper - leakage.lower <= 1e-9 * leakage.upper
    with mp.workdps(50):
        lowered = GaussianChannel([record]).least_epsilon("lowered", delta).value.middle
        for reverse, found in ((False, leakage.epsilon), (True, lowered)):
            below, above = (reference.against_prior(truth, 0.75, found * f, reverse) for f in (1 - 1e-9, 1 + 1e-9))
            assert above <= delta <= below
    assert leakage.companions["two_sided"].upper >= leakage.upper


def test_more_correlated_records_and_less_noise_leak_more() -> None:
    found = [
        GaussianChannel(channels([[1, r], [r, 1]], Laplace(scale=scale), bounds=(-1, 1)))
        .least_delta("raised", 0.2)
        .middle
        for r, scale in ((0.0, 2.0), (0.5, 2.0), (0.9, 2.0), (0.9, 1.0), (0.9, 0.1))
    ]
    assert found == sorted(found)


def test_without_bounds_everything_is_lost() -> None:
    for noise in (Laplace(scale=1.0), Gaussian(scale=1.0)):
        channel = GaussianChannel(channels(PAIR, noise))
        assert channel.least_delta("raised", 3.0) == (1, 1)
        assert InformationPrivacy(delta=0.1).leakage_of(channel).lower == inf


def test_a_singular_answer_without_noise_shows_the_record() -> None:
    channel = GaussianChannel(channels(SINGULAR, NoNoise(), bounds=(0, 1)))
    assert channel.least_delta("raised", 5.0) == (1, 1)
    assert InformationPrivacy(delta=0.5).leakage_of(channel).lower == inf


def test_several_answers_under_laplace_noise_leak_more_than_one() -> None:
    one, two = (
        GaussianChannel(channels(PAIR, Laplace(scale=1.0), rows, bounds=(0, 1))[:1]).least_delta("raised", 0.3).upper
        for rows in ([[1, 0]], [[1, 0], [0, 1]])
    )
    assert 0 < one < two < 1


def test_several_answers_under_gaussian_noise() -> None:
    """Two copies of one noisy answer are one answer of half the variance."""
    twice = channels([[1.0]], Gaussian(scale=2.0), [[1], [1]], bounds=(-1, 1))[0]
    once = channels([[1.0]], Gaussian(scale=2.0**0.5), [[1]], bounds=(-1, 1))[0]
    one, other = (GaussianChannel([each]).least_delta("raised", 0.2) for each in (twice, once))
    assert one.middle == pytest.approx(other.middle, rel=1e-9)
