"""The upper end of a conversion, found without saying of whom: what `epsilon` says with more work."""

import pytest
from hypothesis import example, given, strategies as st

import dalenius as dl
from dalenius.conversion import PrivacyProfile
from dalenius.notions import log_ratios
from tests.pace import draws

PROFILES: list[PrivacyProfile] = [
    dl.GaussianProfile(0.02),
    dl.GaussianProfile(0.4),
    dl.GaussianProfile(1.5),
    dl.PureProfile(0.3),
]
weights = st.lists(st.sampled_from([0, 1, 3, 30]), min_size=3, max_size=4).filter(lambda each: sum(map(bool, each)) > 1)


def homes(weights: list[int]) -> dl.Households:
    return dl.Households(count=2, infected=tuple(each / sum(weights) for each in weights))


@pytest.mark.slow
@draws(15)
@given(weights.map(homes), st.sampled_from(PROFILES), st.sampled_from([0.0, 1e-6, 1e-3]))
@example(homes([30, 1, 0, 1]), PROFILES[1], 1e-6)
@example(homes([1, 0, 0, 1]), PROFILES[2], 1e-6)
@example(homes([1, 30, 3, 0]), PROFILES[2], 1e-6)  # the solver leaves δ between 5.7e-7 and 1e-6
def test_it_is_the_upper_end(model: dl.Households, profile: PrivacyProfile, delta: float) -> None:
    check(model, profile, delta)


@pytest.mark.parametrize(("profile", "delta"), [(PROFILES[2], 1e-3), (PROFILES[3], 0.0)])
def test_of_a_pair_it_is_the_upper_end(profile: PrivacyProfile, delta: float) -> None:
    check(homes([3, 1, 1]), profile, delta)


def check(model: dl.Households, profile: PrivacyProfile, delta: float) -> None:
    conversion = dl.Conversion(model, profile, "replace")
    found, known = conversion.most(delta), conversion.epsilon(delta).value
    assert known.lower * (1 - 1e-12) <= found
    # Both are proved; how near they come is the solver's tolerance.
    if found > known.upper * (1 + 1e-4) + 1e-8:
        assert conversion.delta(known.upper).value.lower < 0.9 * delta
    if delta and found < 600:
        assert conversion.delta(found).value.lower <= delta


@pytest.mark.slow
def test_who_is_said_to_leak_most_is_the_first_of_those_who_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was not followed: of two households that are alike the first one, and not one of which less leaks."""
    notion = dl.InferentialPrivacy(delta=1e-5)
    model = dl.AnyOf(
        models=[dl.Households(count=2, infected=law) for law in ((0.8, 0.1, 0.1), (0.8, 0.1, 0.1), (0.9, 0.09, 0.01))]
    )
    release = dl.Release(model, dl.Count(), dl.Gaussian(scale=9.0))
    quick = notion.leakage(release)
    monkeypatch.setattr(log_ratios.InferentialPrivacy, "_leaks_less", lambda *_: False)
    assert quick == notion.leakage(release)
    assert quick.lower > 0


ALIKE = (
    dl.HouseholdType(count=2, infected=(0.9, 0.1), members={"north": 1}),
    dl.HouseholdType(count=1, infected=(0.85, 0.1, 0.05), members={"north": 2}),
    dl.HouseholdType(count=3, infected=(0.85, 0.1, 0.05), members={"south": 2}),
)


def test_what_all_groups_leak_is_what_the_worst_leaks_alone() -> None:
    """Alike groups are asked once, and those that leak less are not enclosed closely."""
    profile = dl.ApproximateProfile(0.7, 1e-4)
    whole = dl.Conversion(dl.Households(types=ALIKE), profile, "replace")
    alone = [dl.Conversion(dl.Households(types=(each,)), profile, "replace") for each in ALIKE]
    found, each_of = whole.epsilon(1e-3), [each.epsilon(1e-3) for each in alone]
    assert found.value.upper == pytest.approx(max(each.value.upper for each in each_of), rel=1e-6)
    assert found.value.lower == pytest.approx(max(each.value.lower for each in each_of), rel=1e-6)
    assert (found.person, found.who) == (3, "member of a household of 2")
    delta = whole.delta(0.5).value
    assert delta.upper == pytest.approx(max(each.delta(0.5).value.upper for each in alone), rel=1e-6)
    assert whole.curve([0.5])[0][1] == pytest.approx(delta.upper, rel=1e-6)
