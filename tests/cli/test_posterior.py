"""`dalenius posterior`: its JSON, what people read, and what it refuses."""

from math import exp, log
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, dalenius_once, written

PAIR = EXAMPLES / "pair.toml"
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


def test_answers_of_a_ledger_are_those_of_its_spec(run: Run, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("home,ill\n" + "".join(f"{n // 2},{n % 3 // 2}\n" for n in range(12)), encoding="utf-8")
    model = '[model]\nkind = "households"\nby = "home"\nepidemic = { community = 0.1, household = 0.3 }\n'
    asked = f'{model}[query]\nkind = "count"\n[data]\nfile = "people.csv"\nvalue = "ill"\n'
    promise = '[notion]\nkind = "inferential"\nepsilon = 1\n'
    book = tmp_path / "book.sqlite"
    shown = run("release", written(tmp_path, asked, promise), "--ledger", book, "--json").json
    (answer,), scale = shown["answers"], shown["certificate"]["noise"]["scale"]
    found = run("posterior", book, "--entry", "4", "--data", people, "--json").json
    noise = f'[noise]\nkind = "geometric"\nscale = {scale}\n'
    given = run("posterior", written(tmp_path, asked, noise), f"--answers={answer}", "--json").json
    assert {**found, "seconds": 0, "why": ""} == {**given, "seconds": 0, "why": ""}
    without = complaint(run("posterior", book, "--entry", "4"))
    assert without == "--data: missing, wanted the table of data set people: the ledger does not say where it is"
    assert complaint(run("posterior", book, "--entry", "3", "--data", people)) == (
        "--entry: 3, wanted an entry with answers: 4"
    )
    for arguments in ((), ("--entry", "4", "--answers", "3")):
        assert "wanted either --answers, or --entry of a ledger" in complaint(run("posterior", book, *arguments))
