"""The command `identify`, and `release` of model absent: one answer each, in the ledger beside the table."""

from math import log
from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius_once

PEOPLE = "person,age,given\nAnn,34,20\nBen,51,35\nCem,29,35\nDora,62,50\nEve,45,60\nFay,38,60\nJon,26,500\n"
MODEL = '[model]\nkind = "absent"\n'
QUERY = '[query]\nkind = "sum"\nlower = 0\nupper = 100\n'
PROMISE = '[notion]\nkind = "identifiability"\nalpha = 0.5\nbeta = 1\n'
DATA = '[data]\nfile = "donors.csv"\nvalue = "given"\n'
ABSENT = 'absent = { column = "person", equals = "Jon" }\n'
WHOLE = MODEL + QUERY + PROMISE + DATA + ABSENT


def spec_in(folder: Path, text: str = WHOLE) -> Path:
    (folder / "donors.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "donors.toml").write_text(text, encoding="utf-8")
    return folder / "donors.toml"


@pytest.mark.slow
def test_the_installed_command(tmp_path: Path) -> None:
    found = dalenius_once("identify", spec_in(tmp_path), "--json").json
    assert found["budget"]["spent"] == pytest.approx(0.1 * log(2), abs=1e-8)


@pytest.mark.lengthy
def test_questions_one_after_the_other_go_on_where_the_ledger_stands(tmp_path: Path, run: Run) -> None:
    spec = spec_in(tmp_path)
    expected = run("identify", spec, "--cost", "--json").json
    first = run("identify", spec, "--json").json
    assert first["certificate"]["noise"] == expected["noise"]
    assert first["certificate"]["share"] == {"before": 0.0, "after": 0.1}
    second = run("identify", spec, "--query", "mean", "--value", "age", "--share", "0.2", "--json").json
    share = second["certificate"]["share"]
    assert 0 < share["before"] <= 0.1 + 1e-9
    assert share["after"] == pytest.approx(share["before"] + 0.2)
    assert run("identify", spec, "--json").json["repeated"]
    median = run("identify", spec, "--query", "median", "--value", "given", "--json").json
    assert median["certificate"]["noise"]["kind"] in ("none", "geometric")
    shown = run("ledger", "show", tmp_path / "donors.csv.ledger.sqlite", "--json").json
    assert shown["data_sets"][0]["budget"]["route"] in ("alone", "absence")


def test_release_asks_for_all_that_is_left(tmp_path: Path, run: Run) -> None:
    spec = spec_in(tmp_path)
    found = run("release", spec, "--json").json
    assert found["certificate"]["share"] == {"before": 0.0, "after": 1.0}
    assert found["budget"]["remaining"] == 0
    rest = run("calibrate", spec, "--json").json
    assert found["certificate"]["noise"]["scale"] == pytest.approx(rest["noise"]["scale"], rel=1e-8)


def test_words_of_an_answer_and_of_its_cost(tmp_path: Path, run: Run) -> None:
    spec = spec_in(tmp_path)
    cost = run("identify", spec, "--cost").out
    assert "0 of the promise is used; at most 0.1 would be" in cost
    said = " ".join(run("identify", spec).out.split())
    assert "0 of the promise was used before; at most 0.1 is now" in said
    assert "Jon" not in said


REFUSED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "who": (MODEL + QUERY + PROMISE + DATA, (), "data.absent: missing, wanted the column, or the condition, that says"),
    "rho": (
        WHOLE.replace(PROMISE, '[notion]\nkind = "rho"\nrho = 0.4\n'),
        (),
        "notion.kind: rho, wanted identifiability: no other promise about who is absent adds up",
    ),
    "noise": (
        WHOLE + '[noise]\nkind = "laplace"\nscale = 900\n',
        (),
        "noise.kind: laplace, wanted no [noise], or geometric without a scale",
    ),
    "records": (
        '[model]\nkind = "independent"\nn = 7\nprobabilities = [[0.5, 0.5]]\n' + QUERY + PROMISE + DATA,
        (),
        "model.kind: independent, wanted absent",
    ),
    "share": (WHOLE, ("--share", "2"), "share: 2.0, wanted a number above 0, at most 1"),
    "bounds": (WHOLE, ("--upper", "2"), "--upper: 2.0, wanted nothing without --query"),
    "query": (
        WHOLE,
        ("--query", "maxi"),
        "--query: maxi, wanted sum, mean, min, max, median, variance or count (did you mean max?)",
    ),
    "list": (
        WHOLE.replace('kind = "absent"\n', 'kind = "absent"\nprior = {max = 0.4}\n'),
        (),
        "model.prior: min and max, wanted uniform or a probability for each person, for several answers",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(name: str, tmp_path: Path, run: Run) -> None:
    text, options, said = REFUSED[name]
    assert said in complaint(run("identify", spec_in(tmp_path, text), *options))


def test_who_is_absent_belongs_to_model_absent(tmp_path: Path, run: Run) -> None:
    text = WHOLE.replace('kind = "absent"\n', 'kind = "independent"\nn = 7\nprobabilities = [[0.5, 0.5]]\n')
    given = text.replace(PROMISE, "") + '[noise]\nkind = "laplace"\nscale = 3\n'
    said = complaint(run("audit", spec_in(tmp_path, given)))
    assert "data.absent: given, wanted no such key with model independent" in said
