"""g-leakage: gain matrices and the Gini vulnerability, against enumeration and quadrature.

Information privacy with a δ: closed forms, what implies what, and the noise that keeps it.

Which notions have a delta: the others say so, and have none to report.
"""

from math import exp

import pytest

import dalenius as dl
from dalenius import Count, Independent, Laplace, Release
from dalenius.bounds import Enclosure
from dalenius.errors import Meaningless
from dalenius.noise import Noise
from dalenius.notions import ALL_NOTIONS
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
        assert found.upper - found.lower <= (1e-10 if noise.shape.light_tailed else 1e-11)


def test_the_identity_is_min_entropy() -> None:
    release = dl.Release(dl.Households(count=5, infected=[0.8, 0.15, 0.05]), dl.Count(), dl.Laplace(scale=0.7))
    wanted = dl.MinEntropyPrivacy().leakage(release)
    assert dl.GLeakage().leakage(release) == wanted
    written = dl.GLeakage(gain=IDENTITY).leakage(release)
    assert written.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)
    scaled = dl.GLeakage(gain=[[1e-300, 0.0], [0.0, 1e-300]]).leakage(release)
    assert scaled.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)


def test_a_promise_is_calibrated() -> None:
    release = dl.Release(dl.Households(count=3, infected=[0.5, 0.2, 0.3]), dl.Count(), dl.Laplace())
    for gain in ("gini", [[1.0, 0.0], [0.0, 1.5]]):
        found = dl.calibrate(release, dl.GLeakage(epsilon=0.1, gain=gain), "exact")
        assert found.leakage.upper <= 0.1
        looser = dl.Laplace(scale=found.noise.known_scale() * 0.999)
        assert dl.GLeakage(gain=gain).leakage(release.with_noise(looser)).upper > 0.1


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


@pytest.mark.parametrize("noise", [dl.Geometric(), dl.Gaussian()])
def test_the_least_scale(noise: Noise) -> None:
    notion = dl.InformationPrivacy(epsilon=0.4, delta=1e-3)
    found = dl.calibrate(dl.Release(HOUSEHOLDS, dl.Count(), noise), notion)
    assert found.sound
    assert found.leakage.upper <= 0.4
    assert raising(dl.Release(HOUSEHOLDS, dl.Count(), found.noise), 0.4) <= 1e-3 * (1 + 1e-9)
    less = found.noise.with_scale(found.noise.known_scale() * (1 - 1e-6))
    assert raising(dl.Release(HOUSEHOLDS, dl.Count(), less), 0.4) > 1e-3
    if not noise.shape.light_tailed:
        pure = dl.calibrate(dl.Release(HOUSEHOLDS, dl.Count(), noise), dl.InformationPrivacy(epsilon=0.4))
        assert found.expected_error < pure.expected_error


@pytest.mark.parametrize("method", ["gaussian", "wasserstein", "optimal"])
def test_methods_that_serve_it_keep_it(method: str) -> None:
    notion = dl.InformationPrivacy(epsilon=0.4, delta=1e-3)
    found = dl.calibrate(dl.Release(HOUSEHOLDS, dl.Count(), dl.Geometric()), notion, method)
    assert found.sound
    assert raising(dl.Release(HOUSEHOLDS, dl.Count(), found.noise), 0.4) <= 1e-3 * (1 + 1e-9)


RELEASE = Release(Independent(probabilities=[0.3]), Count(), Laplace(scale=1))


def test_without_a_delta() -> None:
    (channel,) = RELEASE.all_channels()
    for notion in ALL_NOTIONS:
        if not notion.properties.has_delta:
            wanted = f"notion.kind: {notion.kind}, wanted a notion that has a delta, such as inferential"
            with pytest.raises(Meaningless, match=f"^{wanted}$"):
                notion.delta_at(channel, 0.5)
            assert notion.least_delta(RELEASE, 0.5) is None


def test_with_a_delta() -> None:
    (channel,) = RELEASE.all_channels()
    for notion in ALL_NOTIONS:
        if notion.properties.has_delta:
            found = notion.least_delta(RELEASE, 0.01)
            assert found is not None
            assert 0 < found.lower <= found.upper < 1
            assert notion.delta_at(channel, 0.01) == found
