"""`dalenius compose`: several specs, the tightest route, and the reasons of the others."""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint

HOME = """
model = { kind = "households", count = 2, infected = [0.9, 0.04, 0, 0, 0.06] }
query = { kind = "count" }
noise = { kind = "geometric", scale = 8.0 }
"""
PARITY = """
model = { kind = "table", records = [
    [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1],
], probabilities = [0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125], labels = ["a", "b", "c"] }
query = { kind = "count", labels = {labels} }
noise = { kind = "kernel", answers = [0, 1, 2, 3], outputs = ["even", "odd"], probabilities = [
    [1, 0], [0, 1], [1, 0], [0, 1],
] }
"""


def specs_in(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"spec{number}.toml" for number, _ in enumerate(texts, 1)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_the_best_route_and_all_others(tmp_path: Path, run: Run) -> None:
    one, two = specs_in(tmp_path, HOME, HOME.replace("8.0", "4.0"))
    shown = run("compose", one, two, "--json").json
    assert set(shown) == {
        *("notion", "rule", "adaptive", "releases", "route", "delta", "epsilon", "lower", "upper", "witness"),
        *("hypotheses", "routes", "seconds"),
    }
    assert shown["route"] == "joint"
    assert shown["epsilon"] == shown["upper"] == pytest.approx(1.383974, rel=1e-6)
    assert shown["routes"]["conversion"]["upper"] == pytest.approx(1.383974, rel=1e-6)
    assert shown["routes"]["group"]["upper"] == pytest.approx(1.5)
    assert [each["noise"]["scale"] for each in shown["releases"]] == [8.0, 4.0]
    text = run("compose", one, two).out
    assert "What 2 releases leak together, inferential" in text
    assert "joint (the least)" in text


def test_adaptive_and_a_delta(tmp_path: Path, run: Run) -> None:
    (one,) = specs_in(tmp_path, HOME)
    shown = run("compose", one, one, "--adaptive", "--delta", "0.01", "--json").json
    assert (shown["adaptive"], shown["delta"], shown["notion"]["delta"]) == (True, 0.01, 0.01)
    assert shown["routes"]["joint"]["why"].startswith("what was asked later depends on earlier outputs")
    assert shown["upper"] < 0.9125


def test_three_parities_are_refused_to_be_added(tmp_path: Path, run: Run) -> None:
    texts = (PARITY.replace("{labels}", labels) for labels in ('["a", "b"]', '["b", "c"]', '["a", "b", "c"]'))
    specs = specs_in(tmp_path, *texts)
    shown = run("compose", *specs, "--json").json
    assert (shown["route"], shown["upper"]) == ("joint", "inf")
    said = complaint(run("compose", *specs, "--route", "conditional_independence"), code=2)
    assert said == (
        "route: conditional_independence, wanted a route whose hypotheses hold: the answers are not independent given "
        "that the record of person 1 (a record of the table) is 0: 0, 0, 1 together cannot occur, and each can"
    )


def test_bad_input(tmp_path: Path, run: Run) -> None:
    for change, arguments, said in (
        (
            (", scale = 8.0", ""),
            (),
            "spec2.toml: noise.scale: missing, wanted a finite number above 0 (dalenius calibrate finds it)",
        ),
        (("count = 2", "count = 3"), (), "releases row 2.model: households, wanted the model of release 1: what is "),
        (
            ("", ""),
            ("--route", "sum"),
            "route: sum, wanted one that inferential has: joint, parallel, conditional_inde",
        ),
        (("", ""), ("--delta", "1"), "delta: 1.0, wanted a number of at least 0 and below 1"),
    ):
        specs = specs_in(tmp_path, HOME, HOME.replace(*change) if change[0] else HOME)
        assert said in complaint(run("compose", *specs, *arguments, "--json"))


def test_two_notions_are_not_composed(tmp_path: Path, run: Run) -> None:
    kinds = ('kind = "information"\nepsilon = 1.0', 'kind = "information"\nfactor = 2', 'kind = "differential"')
    specs = specs_in(tmp_path, *(f"{HOME}\n[notion]\n{kind}\n" for kind in kinds))
    assert run("compose", *specs[:2], "--json").json["route"] == "joint"
    said = complaint(run("compose", *specs), code=2)
    assert said.endswith("spec3.toml: notion.kind: differential, wanted information, as before: one notion is composed")
