"""The methods on random small households: exact is least and keeps the promise, group is enough, independent honest."""

from math import log

import pytest
from hypothesis import assume, given, strategies as st

import dalenius as dl
from dalenius.noise import Noise
from dalenius.notions import Notion
from tests.pace import draws

HOMES = dl.Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))


def laws(size: int) -> st.SearchStrategy[tuple[float, ...]]:
    weights = st.lists(st.integers(0, 9), min_size=size + 1, max_size=size + 1).filter(lambda row: sum(row) > 0)
    return weights.map(lambda row: tuple(weight / sum(row) for weight in row))


TYPES = (
    st.integers(1, 4)
    .flatmap(laws)
    .flatmap(lambda law: st.integers(1, 3).map(lambda count: dl.HouseholdType(count=count, infected=law)))
)
HOUSEHOLDS = st.lists(TYPES, min_size=1, max_size=2).map(lambda types: dl.Households(types=tuple(types)))
NOTIONS: st.SearchStrategy[Notion] = st.builds(
    lambda kind, epsilon: kind(epsilon=epsilon),
    st.sampled_from(
        [
            dl.DifferentialPrivacy,
            dl.InferentialPrivacy,
            dl.InformationPrivacy,
            dl.RelativeEntropyPrivacy,
            dl.MutualInformationPrivacy,
        ]
    ),
    st.sampled_from([0.05, 0.3, 1.0, 2.5]),
)
NOISES: st.SearchStrategy[Noise] = st.sampled_from([dl.Geometric(), dl.Laplace()])


def at(release: dl.Release, notion: Notion, noise: Noise, factor: float) -> float:
    return notion.leakage(release.with_noise(noise.with_scale(noise.known_scale() * factor))).upper


@draws(60)
@given(HOUSEHOLDS, NOTIONS, NOISES)
def test_exact_is_least(model: dl.Households, notion: Notion, noise: Noise) -> None:
    release, epsilon = dl.Release(model, dl.Count(), noise), notion.epsilon
    assert epsilon is not None
    exact, group = dl.calibrate(release, notion), dl.calibrate(release, notion, "group")
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
def test_independent_says_when_it_is_sound(model: dl.Households, notion: Notion) -> None:
    release = dl.Release(model, dl.Count(), dl.Geometric())
    found = dl.calibrate(release, notion, "independent")
    alone = max(len(each.infected) for each in model.types or ()) == 2
    assert found.sound == (alone or notion.kind == "differential")
    assert notion.epsilon is not None
    if found.sound:
        assert found.leakage.upper <= notion.epsilon + 1e-9
    assert found.noise == dl.Geometric(scale=found.noise.scale)
    assert found.noise.known_scale() == pytest.approx(1 / notion.epsilon)


@pytest.mark.parametrize(
    ("release", "notion"),
    [
        (
            dl.Release(dl.Independent(n=9, probabilities=(0.5,)), dl.Count(), dl.Laplace()),
            dl.InformationPrivacy(epsilon=log(2) + 1e-9),
        ),
        (
            dl.Release(dl.Independent(probabilities=(0.0, 1.0)), dl.Count(), dl.Laplace()),
            dl.InferentialPrivacy(epsilon=0.01),
        ),
    ],
)
def test_no_noise_where_the_exact_answer_keeps_the_promise(release: dl.Release, notion: Notion) -> None:
    found = dl.calibrate(release, notion)
    assert found.noise == dl.NoNoise()
    assert found.sound
    assert found.expected_error == 0
    assert found.why == "the exact answer already keeps the promise under this model"


def test_compare_is_every_method() -> None:
    release, notion = dl.Release(HOMES, dl.Count(), dl.Geometric()), dl.InformationPrivacy(epsilon=1)
    found = dl.compare(release, notion)
    assert [each.method for each in found] == [method.name for method in dl.METHODS]
    for each in found:
        assert each.seconds >= 0
        if each.calibration is not None:
            again = dl.calibrate(release, notion, each.method)
            assert each.calibration.noise.model_dump() == again.noise.model_dump()
            assert (each.calibration.leakage, each.why) == (again.leakage, again.why)
            continue
        # No noise at all is refused where it is not enough, which is no mistake of the spec.
        wanted = dl.Refused if each.method == "noiseless" else dl.InputError
        with pytest.raises(wanted, match=f"^{each.why}$"):
            dl.calibrate(release, notion, each.method)
