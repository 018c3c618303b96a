"""g-leakage: gain matrices and the Gini vulnerability, against enumeration and quadrature."""

from collections.abc import Callable
from typing import Any

import pytest

from dalenius import (
    Count,
    Gaussian,
    Geometric,
    GLeakage,
    Households,
    Independent,
    Kernel,
    Laplace,
    MinEntropyPrivacy,
    NoNoise,
    Release,
    Sum,
    Table,
    calibrate,
)
from dalenius.bounds import Enclosure
from dalenius.noise import Noise
from tests.cases import in_turn
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.table import truth_of
from tests.reference import leakages
from tests.reference.channel import Channel, mp
from tests.reference.joints import Value

THREE = Table(
    records=[[0, 0], [0, 2], [0, 4], [1, -1], [1, 1], [1, 3], [2, -2], [2, 2]],
    probabilities=[0.1, 0.1, 0.1, 0.2, 0.1, 0.15, 0.2, 0.05],
)
GAIN = [[1.0, 0.0, 0.25], [0.0, 0.85, 0.0], [0.1, 0.1, 1.25], [0.0, 0.0, 0.0]]
NOISES: tuple[Noise, ...] = (
    Laplace(scale=0.7),
    Geometric(scale=1.3),
    Gaussian(scale=0.4),
    Kernel(answers=list(range(-3, 6)), probabilities=[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0, 0.5, 0.5]] * 3),
)
IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def by_value(gain: list[list[float]]) -> list[dict[Value, float]]:
    return [dict(enumerate(row)) for row in gain]


def of_first(notion: GLeakage, noise: Noise) -> Enclosure:
    """About the first person of THREE, whose record is 0, 1 or 2."""
    first = next(c for c in Release(THREE, Sum(), noise).channels() if c.subject.person == 1)
    return enclosure(notion.leakage_of(first))


def truth_of_first(noise: Noise) -> Channel:
    return truth_of(THREE, Sum(), noise).people[0][0]


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: f"{noise.kind} {noise.scale}")
def test_a_matrix_and_gini_against_the_reference(noise: Noise) -> None:
    if noise.kind == "kernel":
        truth = Channel(
            **{**vars(truth_of_first(NoNoise())), "noise": truth_of(THREE, Sum(), noise).people[0][0].noise}
        )
    else:
        truth = truth_of_first(noise)
    with mp.workdps(30):
        wanted = leakages.expected_gain(truth, by_value(GAIN)).value, leakages.gini(truth).value
    assert min(wanted) > 1e-3
    for gain, value in zip((GAIN, "gini"), wanted, strict=True):
        found = of_first(GLeakage(gain=gain), noise)
        assert_contains(found, value)
        assert found.upper - found.lower <= (1e-10 if noise.light_tailed else 1e-11)


@in_turn({"scale": [1e3, 1e5], "noise": [Laplace, Gaussian]})
def test_little_leakage_keeps_its_digits(noise: Callable[..., Noise], scale: float) -> None:
    """A fair bit under much noise: the leakage falls as the square of the scale, and the Gini's terms do not cancel."""
    release = Release(Independent(probabilities=[0.5]), Count(), noise(scale=scale))
    found = enclosure(GLeakage(gain="gini").leakage(release))
    with mp.workdps(60):
        assert_contains(found, leakages.gini(truth_of(*_parts(release)).people[0][0]).value)
    assert found.lower > 0
    assert found.upper - found.lower <= 1e-3 * found.upper


def _parts(release: Release) -> tuple[Any, Any, Any]:
    return release.model, release.query, release.noise


def test_the_identity_is_min_entropy() -> None:
    release = Release(Households(count=5, infected=[0.8, 0.15, 0.05]), Count(), Laplace(scale=0.7))
    wanted = MinEntropyPrivacy().leakage(release)
    assert GLeakage().leakage(release) == wanted
    written = GLeakage(gain=IDENTITY).leakage(release)
    assert written.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)
    scaled = GLeakage(gain=[[1e-300, 0.0], [0.0, 1e-300]]).leakage(release)
    assert scaled.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)


def test_one_guess_gains_nothing_from_an_output() -> None:
    release = Release(THREE, Sum(), Laplace(scale=1.0))
    first = next(c for c in release.channels() if c.subject.person == 1)
    found = GLeakage(gain=[[0.2, 1.0, 3.0]]).leakage_of(first)
    assert found.lower == 0
    assert found.upper <= 1e-12


def test_a_promise_is_calibrated() -> None:
    release = Release(Households(count=3, infected=[0.5, 0.2, 0.3]), Count(), Laplace())
    for gain in ("gini", [[1.0, 0.0], [0.0, 1.5]]):
        found = calibrate(release, GLeakage(epsilon=0.1, gain=gain), "exact")
        assert found.leakage.upper <= 0.1
        looser = Laplace(scale=found.noise.known_scale() * 0.999)
        assert GLeakage(gain=gain).leakage(release.with_noise(looser)).upper > 0.1
