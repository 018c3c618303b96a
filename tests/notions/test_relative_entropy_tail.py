"""Relative entropy with a δ: how likely it is that an output moves a belief by more than ε."""

from math import exp, log

import pytest

from dalenius.bounds import Enclosure
from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.gaussian.model import GaussianRecords
from dalenius.models import Households, HouseholdType, Independent
from dalenius.noise import Geometric, Kernel, Laplace, Noise, NoNoise
from dalenius.notions import RelativeEntropyPrivacy
from dalenius.queries import Count, Sum

ROWS = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]
HOUSEHOLDS = Households(types=[HouseholdType(count=12, infected=[0.9, 0.04, 0, 0, 0.06])])


def by_output(prior: float) -> list[tuple[float, float]]:
    """D(S|Y=y ‖ S) and Pr[Y=y] of every output of the kernel."""
    found = []
    for zero, one in zip(*ROWS, strict=True):
        whole = (1 - prior) * zero + prior * one
        belief = (1 - prior) * zero / whole, prior * one / whole
        found.append((sum(b * log(b / p) for b, p in zip(belief, (1 - prior, prior), strict=True)), whole))
    return sorted(found)


def released(prior: float) -> Release:
    return Release(Independent(probabilities=(prior,)), Count(), Kernel(answers=[0, 1], probabilities=ROWS))


def delta_of(release: Release, epsilon: float) -> Enclosure:
    found = RelativeEntropyPrivacy().least_delta(release, epsilon)
    assert found is not None
    return found


def test_the_tail_of_a_kernel() -> None:
    prior = 0.1
    (small, _), (middle, _), (large, rare) = by_output(prior)
    release = released(prior)
    assert delta_of(release, (middle + large) / 2).middle == pytest.approx(rare, rel=1e-12)
    assert delta_of(release, large * (1 + 1e-9)).upper == 0
    assert delta_of(release, small * (1 - 1e-9)).lower == pytest.approx(1, rel=1e-12)


def test_the_least_epsilon_of_a_delta() -> None:
    prior = 0.1
    _, (middle, _), (large, rare) = by_output(prior)
    above = RelativeEntropyPrivacy(delta=rare * 1.01).leakage(released(prior))
    below = RelativeEntropyPrivacy(delta=rare * 0.99).leakage(released(prior))
    assert above.epsilon == pytest.approx(middle, rel=1e-9)
    assert below.epsilon == pytest.approx(large, rel=1e-9)
    assert above.companions["reverse"] == RelativeEntropyPrivacy().leakage(released(prior)).companions["reverse"]


@pytest.mark.parametrize("noise", [Geometric(), pytest.param(Laplace(), marks=pytest.mark.slow)])
def test_what_is_calibrated_keeps_it(noise: Noise) -> None:
    release = Release(HOUSEHOLDS, Count(), noise)
    found = calibrate(release, RelativeEntropyPrivacy(epsilon=0.1, delta=1e-2))
    assert delta_of(release.with_noise(found.noise), 0.1).upper <= 1e-2
    assert found.expected_error < calibrate(release, RelativeEntropyPrivacy(epsilon=0.1)).expected_error


def test_normal_records() -> None:
    """D is ½ log 1/(1 - ρ²) - ρ²/2 + ρ² z²/2 for a standard normal z (ρ² = 1/2 for one of two alike)."""
    release = Release(GaussianRecords(mean=[0.0, 0.0], covariance=[[1.0, 0.0], [0.0, 1.0]]), Sum(), NoNoise())
    offset, share = log(2) / 2 - 0.25, 0.25
    one = 0.31731050786291415  # Pr[|z| > 1]
    assert delta_of(release, offset + share).middle == pytest.approx(one, rel=1e-9)
    assert RelativeEntropyPrivacy(delta=one).leakage(release).epsilon == pytest.approx(offset + share, rel=1e-9)
    assert exp(delta_of(release, offset * (1 - 1e-9)).middle) == pytest.approx(exp(1))
