"""g-leakage: gain matrices and the Gini vulnerability, against enumeration and quadrature."""

from collections.abc import Callable
from typing import Any

import pytest

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.noise import Noise
from tests.cases import in_turn
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.table import truth_of
from tests.reference import leakages
from tests.reference.channel import Channel, mp
from tests.reference.joints import Value

THREE = dl.Table(
    records=[[0, 0], [0, 2], [0, 4], [1, -1], [1, 1], [1, 3], [2, -2], [2, 2]],
    probabilities=[0.1, 0.1, 0.1, 0.2, 0.1, 0.15, 0.2, 0.05],
)
GAIN = [[1.0, 0.0, 0.25], [0.0, 0.85, 0.0], [0.1, 0.1, 1.25], [0.0, 0.0, 0.0]]
NOISES: tuple[Noise, ...] = (
    dl.Laplace(scale=0.7),
    dl.Geometric(scale=1.3),
    dl.Gaussian(scale=0.4),
    dl.Kernel(answers=list(range(-3, 6)), probabilities=[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0, 0.5, 0.5]] * 3),
)
IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def by_value(gain: list[list[float]]) -> list[dict[Value, float]]:
    return [dict(enumerate(row)) for row in gain]


def of_first(notion: dl.GLeakage, noise: Noise) -> Enclosure:
    """About the first person of THREE, whose record is 0, 1 or 2."""
    first = next(c for c in dl.Release(THREE, dl.Sum(), noise).channels() if c.subject.person == 1)
    return enclosure(notion.leakage_of(first))


def truth_of_first(noise: Noise) -> Channel:
    return truth_of(THREE, dl.Sum(), noise).people[0][0]


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: f"{noise.kind} {noise.scale}")
def test_a_matrix_and_gini_against_the_reference(noise: Noise) -> None:
    if noise.kind == "kernel":
        truth = Channel(
            **{**vars(truth_of_first(dl.NoNoise())), "noise": truth_of(THREE, dl.Sum(), noise).people[0][0].noise}
        )
    else:
        truth = truth_of_first(noise)
    with mp.workdps(30):
        wanted = leakages.expected_gain(truth, by_value(GAIN)).value, leakages.gini(truth).value
    assert min(wanted) > 1e-3
    for gain, value in zip((GAIN, "gini"), wanted, strict=True):
        found = of_first(dl.GLeakage(gain=gain), noise)
        assert_contains(found, value)
        assert found.upper - found.lower <= (1e-10 if noise.light_tailed else 1e-11)


@in_turn({"scale": [1e3, 1e5], "noise": [dl.Laplace, dl.Gaussian]})
def test_little_leakage_keeps_its_digits(noise: Callable[..., Noise], scale: float) -> None:
    """A fair bit under much noise: the leakage falls as the square of the scale, and the Gini's terms do not cancel."""
    release = dl.Release(dl.Independent(probabilities=[0.5]), dl.Count(), noise(scale=scale))
    found = enclosure(dl.GLeakage(gain="gini").leakage(release))
    with mp.workdps(60):
        assert_contains(found, leakages.gini(truth_of(*_parts(release)).people[0][0]).value)
    assert found.lower > 0
    assert found.upper - found.lower <= 1e-3 * found.upper


def _parts(release: dl.Release) -> tuple[Any, Any, Any]:
    return release.model, release.query, release.noise


def test_the_identity_is_min_entropy() -> None:
    release = dl.Release(dl.Households(count=5, infected=[0.8, 0.15, 0.05]), dl.Count(), dl.Laplace(scale=0.7))
    wanted = dl.MinEntropyPrivacy().leakage(release)
    assert dl.GLeakage().leakage(release) == wanted
    written = dl.GLeakage(gain=IDENTITY).leakage(release)
    assert written.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)
    scaled = dl.GLeakage(gain=[[1e-300, 0.0], [0.0, 1e-300]]).leakage(release)
    assert scaled.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)


def test_one_guess_gains_nothing_from_an_output() -> None:
    release = dl.Release(THREE, dl.Sum(), dl.Laplace(scale=1.0))
    first = next(c for c in release.channels() if c.subject.person == 1)
    found = dl.GLeakage(gain=[[0.2, 1.0, 3.0]]).leakage_of(first)
    assert found.lower == 0
    assert found.upper <= 1e-12


def test_a_promise_is_calibrated() -> None:
    release = dl.Release(dl.Households(count=3, infected=[0.5, 0.2, 0.3]), dl.Count(), dl.Laplace())
    for gain in ("gini", [[1.0, 0.0], [0.0, 1.5]]):
        found = dl.calibrate(release, dl.GLeakage(epsilon=0.1, gain=gain), "exact")
        assert found.leakage.upper <= 0.1
        looser = dl.Laplace(scale=found.noise.known_scale() * 0.999)
        assert dl.GLeakage(gain=gain).leakage(release.with_noise(looser)).upper > 0.1
