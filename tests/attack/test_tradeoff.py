"""What attackers find: closed forms of one bit, records that are real numbers, who is absent; shapes; bad rates.

Relative entropy with a δ: how likely it is that an output moves a belief by more than ε.
"""

from math import log

import pytest

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.noise import Geometric, Kernel, Laplace, Noise
from tests.pace import slow
from tests.reference import tradeoff as reference
from tests.reference.channel import Real, mp

RATES = (1e-6, 0.001, 0.01, 0.2, 0.5, 0.93)


def assert_known(found: Enclosure, truth: Real) -> None:
    truth = mp.mpf(truth)
    assert found.lower <= truth * (1 + mp.mpf("1e-15"))
    assert found.upper >= truth * (1 - mp.mpf("1e-15"))
    assert found.upper - found.lower < 1e-11


def bit(noise: Noise, chance: float = 0.3) -> dl.Tradeoff:
    return dl.tradeoff(dl.Release(dl.Independent(probabilities=[chance]), dl.Count(), noise))


@pytest.mark.parametrize(("scale", "chance"), [(0.2, 0.5), slow((40.0, 0.3))])
def test_the_gaussian_mechanism(scale: float, chance: float) -> None:
    found, distance = bit(dl.Gaussian(scale=scale), chance), 1 / mp.mpf(scale)
    assert_known(found.advantage.value, 2 * mp.ncdf(distance / 2) - 1)
    for rate in (1e-6, 0.01, 0.4):
        assert_known(found.true_positives(rate).value, reference.of_gaussian(distance, rate))


@pytest.mark.parametrize("scale", [0.05, 60.0])
def test_the_laplace_mechanism(scale: float) -> None:
    found, distance = bit(dl.Laplace(scale=scale)), 1 / mp.mpf(scale)
    assert_known(found.advantage.value, 1 - mp.exp(-distance / 2))
    for rate in RATES:
        assert_known(found.true_positives(rate).value, reference.of_laplace(distance, rate))


@pytest.mark.parametrize("noise", [dl.Laplace(scale=2), dl.Gaussian(scale=2)])
def test_who_is_absent(noise: Noise) -> None:
    """The outermost answers are those of 0 and 5; under log-concave noise no pair is easier."""
    model = dl.Absent(answers=[10, 5, 7, 10])
    found = dl.tradeoff(dl.Release(model, None, noise))
    truth = reference.of_laplace if noise.kind == "laplace" else reference.of_gaussian
    assert_known(found.true_positives(0.01).value, truth(2.5, 0.01))
    assert found.in_words(0.01).startswith("An attacker who wrongly flags 1 % where the absent person is ")


def test_nothing_leaks() -> None:
    found = dl.tradeoff(dl.Release(dl.Independent(probabilities=[1.0, 0.0]), dl.Count(), dl.Laplace(scale=1)))
    assert found.advantage == (Enclosure(0.0, 0.0), None)
    assert found.true_positives(0.3).value == (0.3, 0.3)
    assert [point.true_positives.middle for point in found.curve([0.1, 0.2])] == [0.1, 0.2]
    assert found.in_words(0.3) == "An attacker who wrongly flags 30 % finds no more than that: nothing leaks."


ROWS = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]
HOUSEHOLDS = dl.Households(types=[dl.HouseholdType(count=12, infected=[0.9, 0.04, 0, 0, 0.06])])


def by_output(prior: float) -> list[tuple[float, float]]:
    """D(S|Y=y ‖ S) and Pr[Y=y] of every output of the kernel."""
    found = []
    for zero, one in zip(*ROWS, strict=True):
        whole = (1 - prior) * zero + prior * one
        belief = (1 - prior) * zero / whole, prior * one / whole
        found.append((sum(b * log(b / p) for b, p in zip(belief, (1 - prior, prior), strict=True)), whole))
    return sorted(found)


def released(prior: float) -> dl.Release:
    return dl.Release(dl.Independent(probabilities=(prior,)), dl.Count(), Kernel(answers=[0, 1], probabilities=ROWS))


def delta_of(release: dl.Release, epsilon: float) -> Enclosure:
    found = dl.RelativeEntropyPrivacy().least_delta(release, epsilon)
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
    above = dl.RelativeEntropyPrivacy(delta=rare * 1.01).leakage(released(prior))
    below = dl.RelativeEntropyPrivacy(delta=rare * 0.99).leakage(released(prior))
    assert above.epsilon == pytest.approx(middle, rel=1e-9)
    assert below.epsilon == pytest.approx(large, rel=1e-9)
    assert above.companions["reverse"] == dl.RelativeEntropyPrivacy().leakage(released(prior)).companions["reverse"]


@pytest.mark.parametrize("noise", [Geometric(), slow(Laplace())])
def test_what_is_calibrated_keeps_it(noise: Noise) -> None:
    release = dl.Release(HOUSEHOLDS, dl.Count(), noise)
    found = dl.calibrate(release, dl.RelativeEntropyPrivacy(epsilon=0.1, delta=1e-2))
    assert delta_of(release.with_noise(found.noise), 0.1).upper <= 1e-2
    assert found.expected_error < dl.calibrate(release, dl.RelativeEntropyPrivacy(epsilon=0.1)).expected_error
