"""Model absent on the command line: answers given or read from a table, and one line for what is wrong."""

from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius_once

TABLE = '[data]\nfile = "people.csv"\nvalue = "hours"\n'
PEOPLE = "hours,town\n40,a\n40,b\n35,a\n12.5,b\n"
MODEL = '[model]\nkind = "absent"\n'
GIVEN = MODEL + "answers = [1, 2, 2, 5]\n"
NOISE = '[noise]\nkind = "laplace"\nscale = 3.0\n'
SUM = '[query]\nkind = "sum"\n'
RHO = '[notion]\nkind = "rho"\nrho = 0.4\n'
BOTH = '[notion]\nkind = "identifiability"\nalpha = 0.5\nbeta = 0.8\n'


def spec_in(folder: Path, text: str) -> Path:
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    return folder / "spec.toml"


@pytest.mark.slow
def test_the_example() -> None:
    shown = dalenius_once("audit", EXAMPLES / "absent.toml", "--json").json["leakage"]
    assert shown["rho"]["posterior"] == pytest.approx(0.2464174, rel=1e-6)
    found = dalenius_once("calibrate", EXAMPLES / "absent.toml", "--json").json
    assert found["method"] == "exact"
    assert found["leakage"]["posterior"] == pytest.approx(0.2, rel=1e-9)
    assert found["details"]["apart"] == pytest.approx(30 / found["noise"]["scale"], rel=1e-9)
    methods = {
        each["method"]: each for each in dalenius_once("compare", EXAMPLES / "absent.toml", "--json").json["methods"]
    }
    assert {name for name, each in methods.items() if each["applies"]} == {"lee_clifton", "exact"}


def test_answers_from_a_table(tmp_path: Path, run: Run) -> None:
    given = MODEL + "answers = [87.5, 87.5, 92.5, 115.0]\n"
    one = run("calibrate", spec_in(tmp_path, given + NOISE + BOTH), "--json").json
    other = run("calibrate", spec_in(tmp_path, MODEL + SUM + TABLE + NOISE + BOTH), "--json").json
    assert one["noise"] == other["noise"]
    assert other["leakage"]["witness"]["person"] == 0
    assert other["leakage"]["witness"]["who"].startswith("one of ")


def test_the_query_s_bounds_say_what_it_is_in_differential_privacy(tmp_path: Path, run: Run) -> None:
    bounded = SUM + "lower = 0\nupper = 60\n"
    found = run("calibrate", spec_in(tmp_path, MODEL + bounded + TABLE + NOISE + BOTH), "--json").json
    details, scale = found["details"], found["noise"]["scale"]
    assert (details["theta"], details["theta_worst"], details["sensitivity"]) == (27.5, 60, 60)
    assert details["differential"] == pytest.approx(60 / scale)
    without = run("calibrate", spec_in(tmp_path, MODEL + SUM + TABLE + NOISE + BOTH), "--json").json
    assert set(without["details"]) == {"theta", "apart"}
    assert without["noise"]["scale"] == scale


REFUSED = {
    GIVEN + NOISE + BOTH.replace("0.5", "1.5"): "notion.alpha: 1.5, wanted a number below 1",
    GIVEN + NOISE + BOTH.replace("0.8", "3"): "notion.beta: 3.0, wanted below 3: somebody's prior is 0.25 already",
    GIVEN + NOISE + RHO.replace("0.4", "0.2"): "notion.rho: 0.2, wanted above 0.25, which somebody's prior is already",
    GIVEN + NOISE + BOTH + "epsilon = 1": 'notion: { kind = "identifiability", alpha = 0.5, beta = 0.8, epsilon = 1 }, '
    "wanted no epsilon: alpha and beta say what is promised",
    MODEL + "answers = [1]\n" + NOISE + RHO: 'model: { kind = "absent", answers = [1] }, wanted the answers without '
    "each of 2 people or more (there are 1)",
    MODEL + NOISE + RHO: "model.answers: missing, wanted the answer without each person, or a [data] table and a query",
    MODEL + "answers = [1, nan]\n" + NOISE + RHO: "model.answers: [1, nan], wanted finite numbers (number 2 is nan)",
    GIVEN + "prior = [0.5, 0.5]\n" + NOISE + RHO: "model.prior: 2 probabilities, wanted a probability for each of the "
    "4 people",
    GIVEN + "prior = [0, 0, 1, 0]\n" + NOISE + RHO: "model.prior: person 3 at 1, wanted nobody at 1: who is absent is "
    "known already",
    GIVEN + "prior = { min = 0.3, max = 0.5 }\n" + NOISE + RHO: "model.prior: min 0.3, max 0.5, wanted min and max "
    "that 4 probabilities can keep and sum to 1",
    GIVEN + 'prior = "even"\n' + NOISE + RHO: 'model.prior: even, wanted "uniform", a probability per person, or '
    "{min = , max = }",
    GIVEN + SUM + TABLE + NOISE + RHO: "model.answers: given, wanted no answers beside [data], whose table and query "
    "give them",
    MODEL + TABLE + NOISE + RHO: "query: missing, wanted a section [query], what the table is asked",
    GIVEN + NOISE + RHO + "[secrets]\npeople = [1]\n": "secrets.people: [1], wanted no such key: with model absent the "
    "secret is who is absent",
    MODEL
    + "prior = { max = 0.5 }\n"
    + SUM.replace("sum", "mean")
    + TABLE
    + NOISE.replace("laplace", "geometric")
    + RHO.replace("0.4", "0.6"): ("noise.kind: geometric, wanted laplace: the answers lie on no lattice that is known"),
}


def test_refused_in_one_line(tmp_path: Path, run: Run) -> None:
    assert {text: complaint(run("calibrate", spec_in(tmp_path, text))) for text in REFUSED} == REFUSED


def test_missing_values_are_refused(tmp_path: Path, run: Run) -> None:
    spec = spec_in(tmp_path, MODEL + SUM + TABLE + NOISE + RHO)
    (tmp_path / "people.csv").write_text("hours,town\n40,a\n,b\n12,b\n", encoding="utf-8")
    assert "data.value: hours, wanted a cell in every row, 1 of 3 is missing" in complaint(run("audit", spec))
