"""`dalenius posterior`: its JSON, what people read, and what it refuses."""

from math import exp, log, sqrt
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, dalenius_once, written

PAIR = EXAMPLES / "pair.toml"
KERNEL = """
model = { kind = "table", records = [[0, 0], [1, 1]], probabilities = [0.9, 0.1] }
query = { kind = "count" }
noise = { kind = "kernel", answers = [0, 1, 2], outputs = ["few, if any", "some", "none at all"], probabilities = [
    [0.5, 0.5, 0], [0.5, 0.5, 0], [0.1, 0.9, 0],
] }
"""
NORMAL = """
model = { kind = "gaussian", mean = [1, 0], covariance = [[1, 0.5], [0.5, 1]] }
query = { kind = "sum" }
noise = { kind = "gaussian", scale = 1.0 }
"""
IMPROBABLE = """
model = { kind = "independent", n = 100, probabilities = [0.1] }
query = { kind = "count" }
noise = { kind = "geometric", scale = 2.0 }
"""
LABELS = """
model = { kind = "households", types = [{ count = 2, infected = [0.5, 0.2, 0.3], members = { a = 1, b = 1 } }] }
query = { kind = "count", per_label = true }
noise = { kind = "geometric", scale = 1.0 }
"""


def test_keys_and_numbers() -> None:
    found = dalenius_once("posterior", PAIR, "--answers", "2", "--json").json
    keys = ["answers", "laws", "law", "people", "stands", "likelihood", "engine", "why", "seconds"]
    assert list(found) == keys
    assert found["answers"] == [2]
    first = found["people"][0]
    assert [each["person"] for each in found["people"]] == [1, 2]
    assert first["who"] == "a record of the table"
    ratio = exp(-2)
    after = 0.1 / (0.1 + 0.9 * ratio)
    assert first["values"][1]["value"] == 1
    assert first["values"][1]["prior"] == 0.1
    assert first["values"][1]["posterior"] == pytest.approx(after, abs=1e-9)
    assert first["values"][1]["posterior_lower"] <= after <= first["values"][1]["posterior_upper"]
    assert first["leaks"] == pytest.approx(log(after / 0.1), abs=1e-9)
    assert first["factor"] == pytest.approx(after / 0.1, abs=1e-8)
    assert first["raised"] == 1
    assert first["odds_ratio"] == pytest.approx(exp(2), abs=1e-8)
    assert found["stands"]["person"] == 1
    (tails,) = found["stands"]["answers"]
    assert tails["at_least"]["probability"] + tails["at_most"]["probability"] > 1
    assert found["stands"]["leaks"]["probability"] == pytest.approx(tails["at_least"]["probability"], abs=1e-9)


def test_an_answer_that_the_model_makes_next_to_impossible(tmp_path: Path) -> None:
    spec = written(tmp_path, IMPROBABLE)
    likely, unlikely = (dalenius_once("posterior", spec, "--answers", each).out for each in ("12", "90"))
    assert "next to impossible" not in likely
    assert "warning: the model makes this answer next to impossible (chance 9.6e-18 or less): " in unlikely
    assert "void if the model is wrong" in unlikely


def test_words_of_a_kernel(tmp_path: Path, run: Run) -> None:
    spec = written(tmp_path, KERNEL)
    found = dalenius("posterior", spec, "--answers", '"few, if any"', "--json").json
    assert found["answers"] == ["few, if any"]
    assert found["people"][0]["values"][1]["posterior"] == pytest.approx(0.01 / 0.46)
    assert found["stands"]["answers"] == [None]
    known = "few, if any, some, none at all"
    assert complaint(run("posterior", spec, "--answers", "7")) == f"answers: 7, wanted one of {known}"
    said = complaint(run("posterior", spec, "--answers", "none at all"))
    assert said == "answers: none at all, wanted one that can occur: few, if any, some"


def test_several_answers(tmp_path: Path) -> None:
    spec = written(tmp_path, LABELS)
    found = dalenius("posterior", spec, "--answers", "3,1", "--json").json
    assert found["answers"] == [3, 1]
    assert found["labels"] == ["a", "b"]
    assert len(found["stands"]["answers"]) == 2
    shown = dalenius("posterior", spec, "--answers", "3", "--answers", "1").out
    assert "the output 3 a, 1 b" in shown
    assert "as high or higher" in shown
    two = 'model = { kind = "independent", probabilities = [0.5, 0.2], labels = ["a", "b"] }\n'
    said = complaint(
        dalenius("posterior", written(tmp_path, two, LABELS[LABELS.index("query") :]), "--answers", "1,0.4")
    )
    assert said == "answers: 0.4, wanted for b an answer that can occur: the nearest is 0"
    without = LABELS.partition("noise")[0]
    said = complaint(dalenius("posterior", written(tmp_path, without), "--answers", "1,1"))
    assert said == "noise: missing, wanted a section [noise] with kind and scale (dalenius calibrate finds the scale)"


def test_gaussian_records(tmp_path: Path) -> None:
    """Var(X_1 + X_2) + 1 = 4, Cov(X_1, X_1 + X_2) = 3/2: the share explained is 9/16."""
    normal = written(tmp_path, NORMAL)
    first = dalenius("posterior", normal, "--answers", "3", "--json").json["people"][0]
    assert first["prior"] == {"mean": 1, "deviation": 1}
    assert first["posterior"]["mean"] == pytest.approx(1.75)
    assert first["posterior"]["deviation"] == pytest.approx(sqrt(7) / 4)
    assert "1 ± 1" in dalenius("posterior", normal, "--answers", "3").out
    laplace = written(tmp_path, NORMAL.replace('"gaussian", scale', '"laplace", scale'))
    said = complaint(dalenius("posterior", laplace, "--answers", "3"))
    assert said.startswith("noise.kind: laplace, wanted gaussian or")


def test_many_rows_wait_for_all(tmp_path: Path) -> None:
    chances = [round(0.1 + 0.01 * each, 2) for each in range(15)]
    text = f'[model]\nkind = "independent"\nprobabilities = {chances}\n[query]\nkind = "count"\n'
    spec = written(tmp_path, f'{text}[noise]\nkind = "laplace"\nscale = 1.0\n')
    shown = dalenius("posterior", spec, "--answers", "9").out
    assert "10 more rows: --all shows them" in shown
    assert "person 15" not in shown  # the likeliest to be 1 is moved least
    assert "person 15" in dalenius("posterior", spec, "--answers", "9", "--all").out


BAD = {
    "1,2": "answers: 2 of them, wanted 1, one per coordinate",
    "nan": "answers: nan, wanted a number",
    "1e400": "answers: 1e400, wanted a number between 1e-300 and 1e300, or 0",
    "": "answers: 0 of them, wanted 1, one per coordinate",
    "1.5": "answers: 1.5, wanted an answer that can occur: the nearest is 2",
}


def test_bad_answers(tmp_path: Path, run: Run) -> None:
    exact = written(tmp_path, PAIR.read_text(encoding="utf-8").replace('"geometric"', '"none" #').replace("scale", "#"))
    assert {answers: complaint(run("posterior", exact, "--answers", answers)) for answers in BAD} == BAD
