"""What promises something of one record only refuses secrets of several people, by name and in one line."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import dalenius as dl
from dalenius.calibration import METHODS, Calibration, Method, calibrate
from dalenius.channel import Release
from dalenius.composition import Releases, compose
from dalenius.composition.route import Route
from dalenius.composition.rules import RULES
from dalenius.errors import DaleniusError, InputError, Meaningless
from dalenius.noise import Noise, separate
from dalenius.notions import ALL_NOTIONS, NOTIONS, Notion, audit, differential_loss
from tests.cases import in_turn

PROMISE = dl.InferentialPrivacy(epsilon=1.0)
READING = {"exact", "optimal", "clamped", "noiseless"}
SECRETS = (
    {"size": 2},
    {"groups": [[1, 2]]},
    {"function": "any member 1"},
    {"groups": "everybody", "function": "total"},
)


def release_of(noise: Noise | None = None, **secrets: Any) -> Release:
    model = dl.Households(count=3, infected=[0.7, 0.1, 0.2])
    return Release(model, dl.Count(), noise or dl.Laplace(scale=1.0), secrets=dl.Secrets(**(secrets or {"size": 2})))


def test_what_is_read_of_single_records_is_refused() -> None:
    asked: tuple[Callable[[Release], Any], ...] = (
        lambda release: release.joints,
        lambda release: release.record_worlds,
        lambda release: release.sensitivity,
        lambda release: release.group_sensitivity,
        lambda release: release.group_size,
        lambda release: Releases((release,)).about_everybody,
    )
    for secrets, each in product(SECRETS, asked):
        with pytest.raises(Meaningless, match=r"^secrets: .*, wanted one person's record each: ") as caught:
            each(release_of(**secrets))
        assert "\n" not in str(caught.value)


def test_methods_that_do_not_read_the_channel_are_refused() -> None:
    assert {method.name for method in METHODS if method.reads_channel} == READING
    for method in METHODS:
        if not method.reads_channel:
            with pytest.raises(Meaningless, match=f"method {method.name} says nothing of groups"):
                calibrate(release_of(), PROMISE, method)
            with pytest.raises(DaleniusError):
                method.calibrate(release_of(), PROMISE)


def test_a_new_method_is_refused_unless_it_says_that_it_reads_the_channel() -> None:
    class Hoping(Method):
        name = "hoping"

        def calibrate(self, release: Release, notion: Notion) -> Calibration:
            raise AssertionError

    with pytest.raises(Meaningless, match="method hoping says nothing of groups"):
        calibrate(release_of(), PROMISE, Hoping())


@in_turn({"secrets": SECRETS, "method": ["exact", "optimal"]})
def test_methods_that_read_the_channel_keep_the_promise(method: str, secrets: dict[str, Any]) -> None:
    found = calibrate(release_of(dl.Geometric(), **secrets), PROMISE, method)
    audited = dl.InferentialPrivacy().leakage(release_of(found.noise, **secrets))
    assert found.sound
    assert audited.upper <= 1.0
    single = calibrate(release_of(dl.Geometric(), size=1), PROMISE, method)
    alone = dl.InferentialPrivacy().leakage(release_of(single.noise, **secrets))
    # Noise for one record does not hide the records of several.
    assert alone.lower > 1.0 or secrets.get("function") == "any member 1"
    assert (found.differential, found.bayesian) == (None, None)


def test_the_joint_route_alone_composes() -> None:
    release = release_of()
    found = compose([release, release], PROMISE)
    assert found.route == "joint"
    both = Release(
        release.model,
        dl.Several(queries=(dl.Count(), dl.Count())),
        separate([dl.Laplace(scale=1.0)] * 2),
        secrets=dl.Secrets(size=2),
    )
    leakage = dl.InferentialPrivacy().leakage(both)
    assert abs(found.bound.value.upper - leakage.upper) < 1e-9
    routes: set[Route] = {route for rule in RULES.values() for route in rule.routes}
    assert {route.name for route in routes if route.reads_channel} == {"joint"}
    for route in {route.name for route in rule_routes(PROMISE)} - {"joint"}:
        with pytest.raises(InputError, match=f"route {route} says nothing of groups"):
            compose([release, release], PROMISE, route)


def rule_routes(notion: Notion) -> tuple[Route, ...]:
    return RULES[notion.implied_by].routes


def test_notions_of_one_record_are_refused_and_left_out_of_an_audit() -> None:
    release = release_of()
    for notion in (
        dl.DifferentialPrivacy(),
        dl.BayesianPrivacy(),
        dl.NoiselessPrivacy(known_fraction=0.5, delta=0.1),
        dl.MutualInformationPrivacy(given=[3]),
    ):
        with pytest.raises(Meaningless, match="says nothing of groups"):
            notion.leakage(release)
        assert audit(release, [notion]) == {}
    assert set(audit(release)) == {notion.kind for notion in ALL_NOTIONS} - {"differential"}
    assert differential_loss(release) is None
    assert len(NOTIONS.own) == 11  # another one must be told here whether it is of groups, too


def test_other_kinds_of_secrets_have_no_groups() -> None:
    normal = dl.GaussianRecords(mean=[0.0, 0.0], covariance=[[1.0, 0.5], [0.5, 1.0]])
    for model, query in ((normal, dl.Sum()), (dl.Absent(answers=[1, 2, 3]), None)):
        with pytest.raises(Meaningless, match=r"secrets: the records of every 2 people, wanted .* model \w+ says"):
            Release(model, query, dl.Laplace(scale=1.0), secrets=dl.Secrets(size=2))
