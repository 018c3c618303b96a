"""`dalenius convert`."""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius

HOME = '[model]\nkind = "households"\ncount = 250\ninfected = [0.9, 0.04, 0, 0, 0.06]\n'


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "model.toml"
    path.write_text(HOME, encoding="utf-8")
    return path


def test_pure_pipelines_have_a_least_epsilon(spec: Path) -> None:
    found = dalenius("convert", spec, "--neighbours", "replace", "--epsilon", "1", "--json").json
    assert set(found) == {"inferential", "information", "neighbours", "curve", "why", "seconds"}
    assert found["inferential"]["epsilon"] == pytest.approx(3.8001661, abs=1e-7)
    assert found["inferential"]["delta"] == 0
    assert found["inferential"]["lower"] <= found["inferential"]["upper"] == found["inferential"]["epsilon"]
    assert found["inferential"]["witness"] == {
        "person": 1,
        "who": "member of a household of 4",
        "secret": 1,
        "against": 0,
    }
    assert found["information"]["epsilon"] < found["inferential"]["epsilon"]
    deltas = [delta for _, delta in found["curve"]]
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[-1] == 0


def test_a_profile_at_an_epsilon(spec: Path, tmp_path: Path) -> None:
    table = tmp_path / "profile.csv"
    table.write_text("epsilon,delta\n0,0.2\n1,0.01\n", encoding="utf-8")
    given: list[str | Path] = ["convert", spec, "--neighbours", "add_remove", "--at-epsilon", "1"]
    found = dalenius(*given, "--profile", table, "--json").json["inferential"]
    assert found["epsilon"] == 1
    assert found["lower"] <= found["delta"] == found["upper"] < 1
    shown = dalenius(*given, "--profile", table)
    assert shown.code == 0, shown.err
    assert "delta at epsilon 1" in shown.out
    assert "member of a household of 4" in shown.out


@pytest.mark.slow
def test_back_from_a_promise(spec: Path) -> None:
    given: list[str | Path] = ["convert", spec, "--neighbours", "replace", "--promise", "--at-epsilon", "1"]
    found = dalenius(*given, "--json").json
    assert found["promised"] == {"epsilon": 1, "delta": 0}
    assert set(found["largest"]["inferential"]) == {"epsilon"}
    size = found["largest"]["inferential"]["epsilon"]
    there = dalenius("convert", spec, "--neighbours", "replace", "--epsilon", str(size), "--json").json
    assert 1 - 1e-5 < there["inferential"]["upper"] <= 1
    assert "largest guarantees" in dalenius(*given).out


REPLACE = ("--neighbours", "replace")
AT = ("--at-epsilon", "1")
ONE_OF = "wanted one of --epsilon, --rho, --gdp, --profile and --event"
SECTIONS = {
    '[adversary]\nknown = { "2" = 1 }\n': (
        "adversary.known: 1 of them, wanted none here: a conversion is for the law of all records"
    ),
    '[[adversary.answers]]\nquery = { kind = "count" }\nvalue = 4\n': (
        "adversary.answers: 1 of them, wanted none here: a conversion is for the law of all records, given no total"
    ),
    "[secrets]\nsize = 2\n": (
        "secrets: the records of every 2 people, wanted one person's record each: the conversion says nothing of groups"
    ),
}
REFUSED = {
    (): "--neighbours: missing, wanted replace or add_remove, as the guarantee was given",
    ("--neighbours", "swap"): "--neighbours: swap, wanted replace or add_remove, as the guarantee was given",
    REPLACE: f"guarantee: missing, {ONE_OF}",
    (*REPLACE, "--rho", "1", "--gdp", "1"): f"guarantee: --rho, --gdp, {ONE_OF}",
    (*REPLACE, "--rho", "1", "--delta", "0.1"): "--delta: 0.1, wanted an --epsilon beside it",
    (*REPLACE, "--rho", "1"): (
        "--at-delta: missing, wanted a delta above 0, or --at-epsilon: no epsilon has delta 0 here"
    ),
    (*REPLACE, "--rho", "1", *AT, "--at-delta", "0.1"): "--at-delta: 0.1, wanted one of --at-epsilon and --at-delta",
    (*REPLACE, "--promise"): "--at-epsilon: missing, wanted the epsilon that is promised",
    (*REPLACE, "--promise", "--rho", "1", *AT): "--promise: --rho, wanted no guarantee: it is what is looked for",
    (*REPLACE, "--epsilon", "-1"): "epsilon: -1.0, wanted a finite number of at least 0",
    (*REPLACE, "--epsilon", "1", "--at-delta", "1"): "--at-delta: 1.0, wanted a number of at least 0 and below 1",
    (*REPLACE, "--epsilon", "1", "--delta", "1"): "delta: 1.0, wanted a probability below 1",
    (*REPLACE, "--profile", "none.csv"): "profile: none.csv, wanted a file that can be read",
}
ZCDP = '{"neighbours": "add_remove", "event": {"kind": "zcdp", "rho": 1}}'
TREE = '{"neighbours": "replace", "event": {"kind": "tree"}}'


def test_what_is_refused(spec: Path, tmp_path: Path, run: Run) -> None:
    for arguments, message in REFUSED.items():
        assert complaint(run("convert", spec, *arguments)).startswith(message)
    event = tmp_path / "event.json"
    for text, more, message in (
        (ZCDP, REPLACE, f"--neighbours: replace, wanted add_remove, as {event} has it"),
        (ZCDP, ("--rho", "1"), f"guarantee: --rho, --event, {ONE_OF}"),
        (TREE, (), "event.kind: tree, wanted one of 'no_op', 'lapl"),
    ):
        event.write_text(text, encoding="utf-8")
        assert message in complaint(run("convert", spec, "--event", event, *more))
    for section, message in SECTIONS.items():
        spec.write_text(HOME + section, encoding="utf-8")
        assert complaint(run("convert", spec, *REPLACE, "--epsilon", "1")) == message
