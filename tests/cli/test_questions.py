"""Several questions in a spec: alone and together, a promise split by shares, and numbers derived from the answers."""

from math import log
from pathlib import Path
from typing import Any

import pytest

from dalenius import wings
from tests.cli.command import Run, complaint, sections

XOR = [[1, 0], [0, 1], [0, 1], [1, 0]]
SUMS: dict[str, Any] = {
    "model": {
        "kind": "network",
        "nodes": [
            *({"name": f"x{i}", "probabilities": [0.5, 0.5]} for i in (1, 2, 3)),
            {"name": "a", "label": "a", "parents": ["x1", "x2"], "probabilities": XOR},
            {"name": "b", "label": "b", "parents": ["x2", "x3"], "probabilities": XOR},
            {"name": "c", "label": "c", "parents": ["a", "x3"], "probabilities": XOR},
        ],
    },
    "secrets": {"people": [1, 2, 3]},
    "questions": [{"query": {"kind": "count", "labels": [name]}, "noise": {"kind": "none"}} for name in "abc"],
}
HOMES = """
model = { kind = "households", by = "home", types = [{ infected = [0.8, 0.1, 0.1] }] }
data = { file = "people.csv", value = "ill" }
notion = { kind = "inferential", epsilon = 1 }
questions = [
    { name = "ill", query = { kind = "count" }, noise = { kind = "geometric" }, share = 2 },
    { name = "most", query = { kind = "max" }, noise = { kind = "laplace" }, times = 2 },
]
"""
DERIVED = """
[[derived]]
name = "twice"
weights = { ill = 2, "most (1)" = -0.5 }
[[derived]]
name = "share"
weights = { ill = 1 }
over = { ill = 1, "most (2)" = 0 }
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    rows = [f"h{home},{int(home % 3 == 0)}" for home in range(9) for _ in range(2)]
    (tmp_path / "people.csv").write_text("\n".join(["home,ill", *rows]), encoding="utf-8")
    file = tmp_path / "spec.toml"
    file.write_text(HOMES + DERIVED, encoding="utf-8")
    return file


def test_three_sums_leak_nothing_alone_and_everything_together(run: Run, tmp_path: Path) -> None:
    """Result 9.1: X₁⊕X₂, X₂⊕X₃ and X₁⊕X₂⊕X₃."""
    file = sections(tmp_path, SUMS)
    done = run("audit", file, "--json").json
    assert done["leakage"]["inferential"]["lower"] == "inf"
    assert done["leakage"]["mutual_information"]["epsilon"] == pytest.approx(log(2), rel=1e-9)
    alone, difference = done["questions"]["alone"], done["questions"]["difference"]
    assert [each["name"] for each in alone] == ["count 1", "count 2", "count 3"]
    for each in alone:
        assert each["noise"] == {"kind": "none"}
        assert all(leakage["upper"] < 1e-9 for leakage in each["leakage"].values())
    assert difference["inferential"]["above_sum"]["lower"] == "inf"
    assert difference["information"]["above_most"]["epsilon"] == pytest.approx(log(2), rel=1e-9)
    assert set(difference["information"]) == {"together", "most_alone", "sum_alone", "above_most", "above_sum"}
    shown = run("audit", file).out
    assert "Alone and together (nats)" in shown
    assert "above most" in shown


def test_a_promise_is_split_by_shares(run: Run, spec: Path) -> None:
    """One scale t for all: t·Δ/share; the largest is asked twice, so that Δ = 2."""
    done = run("calibrate", spec, "--json").json
    noise = done["noise"]
    assert noise["kind"] == "separate"
    assert noise["units"] == [0.5, 2.0, 2.0]
    scales = [part["scale"] for part in noise["parts"]]
    assert scales == pytest.approx([noise["scale"] * unit for unit in noise["units"]])
    assert done["leakage"]["upper"] <= 1
    # In differential privacy the first question has twice the loss of the second's answers together.
    assert done["differential"] == pytest.approx(1 / scales[0] + 2 / scales[1], rel=1e-9)
    assert 1 / scales[0] == pytest.approx(2 * (2 / scales[1]), rel=1e-9)


def test_release_draws_and_derives(run: Run, spec: Path) -> None:
    done = run("release", spec, "--json").json
    ill, one, two = done["answers"]
    assert done["labels"] == ["ill", "most (1)", "most (2)"]
    assert isinstance(ill, int)
    assert one != two
    assert done["derived"]["twice"] == pytest.approx(2 * ill - one / 2)
    assert done["derived"]["share"] == (1 if ill else None)
    # What is computed from the answers is no part of the request: with other numbers it is the same, and free.
    spec.write_text(HOMES, encoding="utf-8")
    again = run("release", spec, "--json").json
    assert again["repeated"] is True
    assert again["answers"] == done["answers"]
    assert "derived" not in again
    spec.write_text(HOMES + DERIVED, encoding="utf-8")
    assert "Derived" in run("release", spec).out


QUESTION: dict[str, Any] = {"query": {"kind": "count"}, "noise": {"kind": "laplace", "scale": 1}}
BITS: dict[str, Any] = {"model": {"kind": "independent", "n": 3, "probabilities": [0.5]}}
NOISES = ", ".join(map(repr, wings.ROOMS["noise"]))
REFUSED: dict[str, dict[str, Any]] = {
    f"questions 2.noise.kind: pink, wanted one of {NOISES}": {
        "questions": [QUESTION, QUESTION | {"noise": {"kind": "pink"}}]
    },
    "questions 1.share: 0, wanted a finite number above 0": {"questions": [QUESTION | {"share": 0}]},
    "questions 1.times: 2.5, wanted a whole number": {"questions": [QUESTION | {"times": 2.5}]},
    "questions: [], wanted at least one question (or a section [query])": {"questions": []},
    "questions 1.query: missing, wanted a value": {"questions": [{"noise": QUESTION["noise"]}]},
    "questions row 1.noise: missing, wanted a noise with kind and scale": {"questions": [{"query": {"kind": "count"}}]},
    "questions row 1.noise.scale: missing, wanted a finite number above 0 (dalenius calibrate finds it)": {
        "questions": [QUESTION | {"noise": {"kind": "laplace"}}]
    },
    "questions row 2.name: a, wanted a name that no other question has": {"questions": [QUESTION | {"name": "a"}] * 2},
    "questions: 1200 answers, wanted at most 1000 together (limit spec.answers)": {
        "questions": [QUESTION | {"times": 600}] * 2
    },
    'query: { kind = "count" }, wanted no section [query] beside [[questions]]: write it as one of them': {
        "questions": [QUESTION],
        "query": {"kind": "count"},
    },
}


def test_questions_that_are_refused(run: Run, tmp_path: Path) -> None:
    for message, asked in REFUSED.items():
        assert complaint(run("audit", sections(tmp_path, BITS | asked))) == message


def test_numbers_derived_from_answers_that_there_are_not(run: Run, spec: Path) -> None:
    for old, new, message in (
        (
            "{ ill = 1 }",
            "{ sick = 1 }",
            "derived row 2.weights: sick, wanted one of the answers ill, most (1), most (2)",
        ),
        ('name = "share"', 'name = "ill"', "derived row 2.name: ill, wanted a name that no other number has"),
    ):
        spec.write_text(HOMES + DERIVED.replace(old, new), encoding="utf-8")
        done = run("release", spec)
        assert (done.code, complaint(done)) == (2, message)
