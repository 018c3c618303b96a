"""Several promises at once: each is kept, none by more noise than it takes, and the optimum is that of one program."""

from math import log

import pytest
from hypothesis import assume, given, strategies as st

import dalenius as dl
from dalenius.models import Model
from dalenius.notions import Notion
from tests.conformance.strategies import models
from tests.pace import draws

HOUSEHOLDS = dl.Households(types=[dl.HouseholdType(count=12, infected=[0.9, 0.04, 0, 0, 0.06])])
ISSUE = [
    dl.InformationPrivacy(epsilon=log(2), delta=1e-6),
    dl.DifferentialPrivacy(epsilon=5.0),
    dl.NoiselessPrivacy(epsilon=2.0, delta=1e-3, known_fraction=0.5),
]


def assert_kept(found: dl.Calibration, release: dl.Release, promises: list[Notion]) -> None:
    """By a fresh audit."""
    assert [each.notion for each in found.promises] == promises
    assert found.leakage == found.promises[0].leakage
    for notion in promises:
        assert notion.leakage(release.with_noise(found.noise)).lower <= (notion.epsilon or 0.0) * (1 + 1e-9)


def test_three_promises_and_the_least_scale_for_all() -> None:
    release = dl.Release(HOUSEHOLDS, dl.Count(), dl.Geometric())
    found = dl.calibrate(release, ISSUE)
    assert found.sound
    assert_kept(found, release, ISSUE)
    alone = [dl.calibrate(release, notion).noise.scale or 0.0 for notion in ISSUE]
    assert found.noise.scale == max(alone)


def test_trusting_the_model_but_not_blindly() -> None:
    """250 households: the information promise alone needs no noise; with a cap for whoever knows all others it does."""
    release = dl.Release(
        dl.Households(types=[dl.HouseholdType(count=250, infected=[0.9, 0.04, 0, 0, 0.06])]), dl.Count(), dl.Geometric()
    )
    information = dl.InformationPrivacy(epsilon=1.0, delta=1e-6)
    assert dl.calibrate(release, information).noise == dl.NoNoise()
    both = dl.calibrate(release, [information, dl.DifferentialPrivacy(epsilon=2.0)])
    assert both.noise.scale == pytest.approx(0.5, rel=1e-9)
    assert both.differential == pytest.approx(2.0)
    assert not both.exact


@pytest.mark.parametrize("method", ["exact", "optimal", "wasserstein"])
def test_every_method_keeps_all(method: str) -> None:
    release = dl.Release(HOUSEHOLDS, dl.Count(), dl.Geometric())
    promises: list[Notion] = [dl.InformationPrivacy(epsilon=1.0), dl.DifferentialPrivacy(epsilon=2.0)]
    found = dl.calibrate(release, promises, method)
    assert_kept(found, release, promises)
    assert found.sound
    turned = dl.calibrate(release, promises[::-1], method)
    assert_kept(turned, release, promises[::-1])
    assert turned.expected_error == pytest.approx(found.expected_error, rel=1e-6)


PROMISES: tuple[Notion, ...] = (
    dl.InferentialPrivacy(),
    dl.InferentialPrivacy(delta=0.02),
    dl.InformationPrivacy(),
    dl.InformationPrivacy(delta=0.02),
    dl.DifferentialPrivacy(),
    dl.RelativeEntropyPrivacy(),
)
LISTS = st.lists(
    st.tuples(st.sampled_from(PROMISES), st.sampled_from([0.1, 0.5, 1.0, 3.0])), min_size=2, max_size=3
).map(lambda drawn: [notion.model_copy(update={"epsilon": epsilon}) for notion, epsilon in drawn])


@pytest.mark.slow
@given(models(), LISTS, st.sampled_from(["exact", "clamped", "optimal", "wasserstein", "group"]), st.booleans())
@draws(1000)
def test_no_promise_is_ever_broken(model: Model, promises: list[Notion], method: str, real: bool) -> None:
    try:
        release = dl.Release(model, dl.Sum(), dl.Laplace() if real else dl.Geometric())
        found = dl.calibrate(release, promises, method)
    except dl.DaleniusError:
        assume(False)
        return
    if found.sound:
        assert_kept(found, release, promises)
