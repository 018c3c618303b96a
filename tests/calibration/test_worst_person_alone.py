"""A scale searched for about one person, and verified for everybody, is the scale that a search about all finds."""

from collections.abc import Sequence
from importlib import import_module

import pytest

import dalenius as dl
from dalenius.calibration import calibrate
from dalenius.calibration.worst_person_alone import leakage_about_worst
from dalenius.notions import Notion

SIZES = (1, 2, 3, 4)
METHODS = import_module("dalenius.calibration.methods")


def homes(infected: Sequence[Sequence[float]]) -> dl.Release:
    types = [dl.HouseholdType(count=30 + 7 * place, infected=list(law)) for place, law in enumerate(infected)]
    return dl.Release(dl.Households(types=types), dl.Count(), dl.Geometric())


ALIKE = [[0.9] + [0.1 / size] * size for size in SIZES]
# In a pair nearly always both or nobody; three people who hardly depend on each other.
CROSSING = [[0.5, 0.0001, 0.4999], [0.343, 0.441, 0.189, 0.027]]


@pytest.mark.parametrize("infected", [ALIKE, CROSSING])
@pytest.mark.parametrize("kind", [dl.InferentialPrivacy, dl.InformationPrivacy, dl.DifferentialPrivacy])
@pytest.mark.parametrize("epsilon", [0.02, 0.31, 0.65])
def test_the_scale_is_that_of_a_search_about_all(
    infected: Sequence[Sequence[float]],
    kind: type[dl.InferentialPrivacy],
    epsilon: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, notion = homes(infected).with_groups_first(), kind(epsilon=epsilon)
    found = calibrate(release, notion)
    scale = found.noise.known_scale()
    assert found.leakage.upper <= epsilon < _leakage(notion, release, scale * (1 - 1e-7))
    monkeypatch.setattr(METHODS, "leakage_about_worst", lambda *_: None)
    assert calibrate(release, notion).noise == found.noise
    # By the law of the whole answer, whose last digits are rounded otherwise.
    assert calibrate(homes(infected), notion).noise.known_scale() == pytest.approx(scale, rel=1e-8)


def test_somebody_else_may_leak_more_at_the_scale_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first class of people that is looked at leaks least: the search begins again about all."""
    release, notion = homes(ALIKE).with_groups_first(), dl.InferentialPrivacy(epsilon=0.3)
    least = homes(ALIKE[:1]).with_groups_first()
    looked: list[float] = []

    def about_the_least(_: dl.Release, notion: Notion, scale: float) -> object:
        def alone(at: float) -> float:
            looked.append(at)
            return _leakage(notion, least, at)

        return alone

    monkeypatch.setattr(METHODS, "leakage_about_worst", about_the_least)
    found = calibrate(release, notion)
    assert looked
    monkeypatch.setattr(METHODS, "leakage_about_worst", lambda *_: None)
    assert found.noise == calibrate(release, notion).noise


def test_nobody_is_looked_at_alone_where_the_promise_is_not_the_worst_persons() -> None:
    release, notion = homes(ALIKE), dl.InferentialPrivacy(epsilon=0.3)
    for often in (release, release.with_groups_first()):
        assert leakage_about_worst(often, notion, 2.0) is not None
        assert leakage_about_worst(often, dl.InferentialPrivacy(epsilon=0.3, delta=1e-6), 2.0) is None
        assert leakage_about_worst(often, dl.BayesianPrivacy(epsilon=0.3), 2.0) is None
    assert leakage_about_worst(homes(ALIKE[:1]), notion, 2.0) is None


def _leakage(notion: Notion, release: dl.Release, scale: float) -> float:
    return notion.leakage(release.with_noise(dl.Geometric(scale=scale))).upper
