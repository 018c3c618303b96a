"""Information privacy with a δ: closed forms, what implies what, and the noise that keeps it."""

from math import exp

import pytest

import dalenius as dl
from dalenius.noise import Noise
from tests.cases import in_turn

HOUSEHOLDS = dl.Households(types=[dl.HouseholdType(count=12, infected=[0.9, 0.04, 0, 0, 0.06])])


def raising(release: dl.Release, epsilon: float) -> float:
    found = dl.InformationPrivacy().least_delta(release, epsilon)
    assert found is not None
    assert found.upper - found.lower <= 1e-8 * found.upper + 1e-300
    return found.middle


@in_turn({"prior": [0.5, 0.1, 1e-6], "epsilon": [0.0, 0.4]})
def test_randomised_response(prior: float, epsilon: float) -> None:
    """One bit, flipped with probability .2: a posterior is at most a few times the prior, and δ what is beyond e^ε."""
    kernel = dl.Kernel(answers=[0, 1], probabilities=[[0.8, 0.2], [0.2, 0.8]])
    release = dl.Release(dl.Independent(probabilities=(prior,)), dl.Count(), kernel)
    wanted = 0.0
    for own in (0, 1):
        given = [0.8, 0.2] if own == 0 else [0.2, 0.8]
        mixed = [0.8 * (1 - prior) + 0.2 * prior, 0.2 * (1 - prior) + 0.8 * prior]
        wanted = max(wanted, sum(max(w - exp(epsilon) * m, 0) for w, m in zip(given, mixed, strict=True)))
    assert raising(release, epsilon) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("noise", [dl.Laplace(scale=1.5), dl.NoNoise()])
def test_inferential_privacy_implies_it(noise: Noise) -> None:
    """By convexity, at the same ε and δ."""
    release = dl.Release(HOUSEHOLDS, dl.Count(), noise)
    for epsilon in (0.0, 0.5, 1.5):
        own = dl.InformationPrivacy().least_delta(release, epsilon)
        assert own is not None
        assert own.lower <= dl.delta_of(release, epsilon).upper
    few, many = (dl.InformationPrivacy(delta=delta).leakage(release) for delta in (1e-2, 1e-6))
    assert few.lower <= many.upper
    assert many.lower <= dl.InformationPrivacy().leakage(release).upper


def test_the_pure_leakage_is_attained_where_nobody_looks() -> None:
    """250 households: 2.4 nats somewhere, and more than 1 nat nearly never."""
    big = dl.Households(types=[dl.HouseholdType(count=250, infected=[0.9, 0.04, 0, 0, 0.06])])
    release = dl.Release(big, dl.Count(), dl.Geometric(scale=1.0))
    assert dl.InformationPrivacy().leakage(release).epsilon == pytest.approx(2.399081, abs=1e-6)
    assert raising(release, 1.0) < 1e-11
    assert dl.InformationPrivacy(delta=1e-6).leakage(release).epsilon < 0.71


@pytest.mark.parametrize("noise", [dl.Geometric(), dl.Gaussian()])
def test_the_least_scale(noise: Noise) -> None:
    notion = dl.InformationPrivacy(epsilon=0.4, delta=1e-3)
    found = dl.calibrate(dl.Release(HOUSEHOLDS, dl.Count(), noise), notion)
    assert found.sound
    assert found.leakage.upper <= 0.4
    assert raising(dl.Release(HOUSEHOLDS, dl.Count(), found.noise), 0.4) <= 1e-3 * (1 + 1e-9)
    less = found.noise.with_scale(found.noise.known_scale() * (1 - 1e-6))
    assert raising(dl.Release(HOUSEHOLDS, dl.Count(), less), 0.4) > 1e-3
    if not noise.light_tailed:
        pure = dl.calibrate(dl.Release(HOUSEHOLDS, dl.Count(), noise), dl.InformationPrivacy(epsilon=0.4))
        assert found.expected_error < pure.expected_error


@pytest.mark.parametrize("method", ["gaussian", "wasserstein", "optimal"])
def test_methods_that_serve_it_keep_it(method: str) -> None:
    notion = dl.InformationPrivacy(epsilon=0.4, delta=1e-3)
    found = dl.calibrate(dl.Release(HOUSEHOLDS, dl.Count(), dl.Geometric()), notion, method)
    assert found.sound
    assert raising(dl.Release(HOUSEHOLDS, dl.Count(), found.noise), 0.4) <= 1e-3 * (1 + 1e-9)
