"""What promises something of one record only refuses secrets of several people, by name and in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.calibration import METHODS, Calibration, Method, calibrate, compare as compare_methods, judged_beside
from dalenius.channel import Release
from dalenius.composition import Releases, compose
from dalenius.composition.accountants import RULES
from dalenius.composition.routes import Route
from dalenius.errors import DaleniusError, InputError, Meaningless
from dalenius.models import Model
from dalenius.noise import Noise, separate
from dalenius.notions import ALL_NOTIONS, NOTIONS, Notion, audit, differential_loss
from dalenius.queries import Query
from dalenius.spec import spec_from
from tests.cases import in_turn
from tests.cli.command import complaint, here

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


@pytest.mark.parametrize("secrets", SECRETS, ids=str)
def test_what_is_read_of_single_records_is_refused(secrets: dict[str, Any]) -> None:
    release = release_of(**secrets)
    asked: tuple[Callable[[], Any], ...] = (
        lambda: release.joints,
        lambda: release.record_worlds,
        lambda: release.sensitivity,
        lambda: release.group_sensitivity,
        lambda: release.group_size,
        lambda: Releases((release,)).about_everybody,
    )
    for each in asked:
        with pytest.raises(Meaningless, match=r"^secrets: .*, wanted one person's record each: ") as caught:
            each()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_methods_that_do_not_read_the_channel_are_refused(method: Method) -> None:
    if method.reads_channel:
        assert method.name in READING
        return
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


@in_turn({"secrets": SECRETS, "method": ["exact", "clamped", "optimal"]})
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


def test_compare_has_the_reason_of_every_method() -> None:
    rows = {row.method: row for row in compare_methods(release_of(dl.Geometric()), PROMISE)}
    assert {name for name, row in rows.items() if row.calibration is not None} <= READING
    assert {"exact", "optimal", "clamped"} <= {name for name, row in rows.items() if row.calibration is not None}
    for name in rows.keys() - READING - {"noiseless"}:
        assert "secrets: the records of every 2 people" in rows[name].why


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


def test_what_stands_beside_a_promise_is_unknown() -> None:
    made = calibrate(release_of(dl.Geometric()), PROMISE)
    assert judged_beside(made, release_of(dl.Geometric())).differential is None


@pytest.mark.parametrize(
    ("model", "query"),
    [
        (dl.GaussianRecords(mean=[0.0, 0.0], covariance=[[1.0, 0.5], [0.5, 1.0]]), dl.Sum()),
        (dl.Absent(answers=[1, 2, 3]), None),
    ],
)
def test_other_kinds_of_secrets_have_no_groups(model: Model, query: Query | None) -> None:
    with pytest.raises(Meaningless, match=r"secrets: the records of every 2 people, wanted .* model \w+ says nothing"):
        Release(model, query, dl.Laplace(scale=1.0), secrets=dl.Secrets(size=2))


SPEC = """
[model]
kind = "households"
count = 2
infected = [0.7, 0.1, 0.2]
[query]
kind = "count"
[noise]
kind = "laplace"
scale = 2.0
[notion]
kind = "inferential"
epsilon = 9.0
[secrets]
size = 2
"""


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (["release"], "the ledger"),
        (["convert", "--epsilon", "1", "--neighbours", "replace"], "the conversion"),
        (["calibrate", "--method", "group"], "method group"),
    ],
)
def test_commands_say_so_in_one_line(
    command: list[str],
    asked: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "pairs.toml"
    path.write_text(SPEC, encoding="utf-8")
    line = complaint(here(capsys, monkeypatch, command[0], path, *command[1:]))
    wanted = f"wanted one person's record each: {asked} says nothing of groups"
    assert line == f"secrets: the records of every 2 people, {wanted}"


def test_certificates_from_moments_are_of_one_record() -> None:
    moments = {
        "kind": "moments",
        "n": 1000,
        "neighbourhood": 1,
        "variance": 0.2,
        "third": 0.2,
        "fourth": 0.2,
        "range": 1,
    }
    with pytest.raises(InputError, match="certificates from moments say nothing of groups"):
        spec_from({"model": moments, "query": {"kind": "sum"}, "secrets": {"size": 2}})
    assert spec_from({"model": moments, "query": {"kind": "sum"}, "secrets": {"size": 1}}).moments is not None


def test_several_questions_are_calibrated_for_groups() -> None:
    """Their scales are in proportion to what one record moves; the promise is of the groups."""
    spec = spec_from(
        {
            "model": {"kind": "households", "count": 2, "infected": [0.7, 0.1, 0.2]},
            "questions": [{"query": {"kind": "count"}, "times": 2}, {"query": {"kind": "sum"}, "share": 2.0}],
            "notion": {"kind": "inferential", "epsilon": 1.0},
            "secrets": {"groups": [[1, 2]]},
        }
    )
    found = calibrate(spec.calibrated(), spec.all_promises())
    assert found.sound
    assert 0.99 < found.leakage.upper <= 1.0
