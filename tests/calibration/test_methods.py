"""The methods on random small households: exact is least and keeps the promise, group is enough, independent honest."""

from math import log

import pytest
from hypothesis import assume, given, strategies as st

from dalenius import (
    METHODS,
    Count,
    DifferentialPrivacy,
    Geometric,
    Households,
    HouseholdType,
    Independent,
    InferentialPrivacy,
    InformationPrivacy,
    InputError,
    Laplace,
    MutualInformationPrivacy,
    NoNoise,
    Refused,
    RelativeEntropyPrivacy,
    Release,
    calibrate,
    compare,
)
from dalenius.noise import Noise
from dalenius.notions import Notion
from tests.pace import draws

HOMES = Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))


def laws(size: int) -> st.SearchStrategy[tuple[float, ...]]:
    weights = st.lists(st.integers(0, 9), min_size=size + 1, max_size=size + 1).filter(lambda row: sum(row) > 0)
    return weights.map(lambda row: tuple(weight / sum(row) for weight in row))


TYPES = (
    st.integers(1, 4)
    .flatmap(laws)
    .flatmap(lambda law: st.integers(1, 3).map(lambda count: HouseholdType(count=count, infected=law)))
)
HOUSEHOLDS = st.lists(TYPES, min_size=1, max_size=2).map(lambda types: Households(types=tuple(types)))
NOTIONS: st.SearchStrategy[Notion] = st.builds(
    lambda kind, epsilon: kind(epsilon=epsilon),
    st.sampled_from(
        [
            DifferentialPrivacy,
            InferentialPrivacy,
            InformationPrivacy,
            RelativeEntropyPrivacy,
            MutualInformationPrivacy,
        ]
    ),
    st.sampled_from([0.05, 0.3, 1.0, 2.5]),
)
NOISES: st.SearchStrategy[Noise] = st.sampled_from([Geometric(), Laplace()])


def at(release: Release, notion: Notion, noise: Noise, factor: float) -> float:
    return notion.leakage(release.with_noise(noise.with_scale(noise.known_scale() * factor))).upper


@draws(60)
@given(HOUSEHOLDS, NOTIONS, NOISES)
def test_exact_is_least(model: Households, notion: Notion, noise: Noise) -> None:
    release, epsilon = Release(model, Count(), noise), notion.epsilon
    assert epsilon is not None
    exact, group = calibrate(release, notion), calibrate(release, notion, "group")
    assert exact.sound
    assert group.sound
    assert exact.leakage.upper <= epsilon
    assert group.leakage.upper <= epsilon + 1e-9  # the enclosure has a width
    assume(exact.noise.kind != "none")
    assert at(release, notion, exact.noise, 1 - 1e-6) > epsilon
    assert exact.noise.known_scale() <= group.noise.known_scale() * (1 + 1e-9)
    assert exact.leakage == notion.leakage(release.with_noise(exact.noise))
    assert exact.expected_error == exact.noise.expected_error(release.lattice)


@draws(30)
@given(HOUSEHOLDS, NOTIONS)
def test_independent_says_when_it_is_sound(model: Households, notion: Notion) -> None:
    release = Release(model, Count(), Geometric())
    found = calibrate(release, notion, "independent")
    alone = max(len(each.infected) for each in model.types or ()) == 2
    assert found.sound == (alone or notion.kind == "differential")
    assert notion.epsilon is not None
    if found.sound:
        assert found.leakage.upper <= notion.epsilon + 1e-9
    assert found.noise == Geometric(scale=found.noise.scale)
    assert found.noise.known_scale() == pytest.approx(1 / notion.epsilon)


@pytest.mark.parametrize(
    ("release", "notion"),
    [
        (
            Release(Independent(n=9, probabilities=(0.5,)), Count(), Laplace()),
            InformationPrivacy(epsilon=log(2) + 1e-9),
        ),
        (Release(Independent(probabilities=(0.0, 1.0)), Count(), Laplace()), InferentialPrivacy(epsilon=0.01)),
    ],
)
def test_no_noise_where_the_exact_answer_keeps_the_promise(release: Release, notion: Notion) -> None:
    found = calibrate(release, notion)
    assert found.noise == NoNoise()
    assert found.sound
    assert found.expected_error == 0
    assert found.why == "the exact answer already keeps the promise under this model"


def test_compare_is_every_method() -> None:
    release, notion = Release(HOMES, Count(), Geometric()), InformationPrivacy(epsilon=1)
    found = compare(release, notion)
    assert [each.method for each in found] == [method.name for method in METHODS]
    for each in found:
        assert each.seconds >= 0
        if each.calibration is not None:
            again = calibrate(release, notion, each.method)
            assert each.calibration.noise.model_dump() == again.noise.model_dump()
            assert (each.calibration.leakage, each.why) == (again.leakage, again.why)
            continue
        # No noise at all is refused where it is not enough, which is no mistake of the spec.
        wanted = Refused if each.method == "noiseless" else InputError
        with pytest.raises(wanted, match=f"^{each.why}$"):
            calibrate(release, notion, each.method)
