"""Bad input: exit 2, one line that names the key, the value and what was wanted, nothing on standard output."""

import json
from pathlib import Path

import pytest

from dalenius.calibration import METHODS
from dalenius.channel.limits import MOST_TILTED_POINTS
from tests.cli.command import Run, complaint, dalenius

MODEL = '[model]\nkind = "independent"\nprobabilities = [0.3, 0.5]\n'
QUERY = '[query]\nkind = "count"\n'
NOISE = '[noise]\nkind = "laplace"\nscale = 1.0\n'
NOTION = '[notion]\nkind = "information"\nepsilon = 1.0\n'
DATA = '[data]\nfile = "people.csv"\nvalue = "ill"\n'
HOMES = '[model]\nkind = "households"\nby = "home"\nepidemic = { community = 0.1, household = 0.2 }\n'
PEOPLE = "home,ill\na,1\nb,0\n"
AUDITED = MODEL + QUERY + NOISE
PROMISED = MODEL + QUERY + NOTION
ASKED = PROMISED + DATA
LINKED = """
model = { kind = "households", types = [
    { count = 300, infected = [0.5, 0.4, 0.1, 0, 0, 0, 0], members = { a = 1, b = 1, c = 1, d = 1, e = 1, f = 1 } },
] }
query = { kind = "max", labels = ["a", "z"] }
"""
CHAIN = """
model = { kind = "chain", n = 500, values = [0, 1, 2], initial = [0.5, 0.3, 0.2], transition = [
    [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8],
] }
query = { kind = "several", queries = [{ kind = "count", values = [1] }, { kind = "sum" }] }
"""
MOMENTS = '[model]\nkind = "moments"\nn = 40000\nvariance = 4.0\nthird = 9.0\nrange = 10\n[query]\nkind = "sum"\n'
LAWS_ARE_KNOWN = "model moments, wanted a model whose laws are known"
MANY = '[model]\nkind = "independent"\nn = 1000\nprobabilities = [0.3]\n' + QUERY + NOISE
NO_NOISE = "a section [noise] with kind and scale (dalenius calibrate finds the scale)"
SMALLER = "ask fewer answers at once or coarser values, or use calibrate --method group, which needs no law"


def spec_in(folder: Path, text: str, people: str = PEOPLE) -> Path:
    (folder / "people.csv").write_text(people, encoding="utf-8")
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    return folder / "spec.toml"


# By command with its options: a spec's text, and the line.
SPECS = {
    ("audit",): {
        '[model]\nkind = "chain"\nn = 3\ninitial = [0.5, 0.5]\ntransition = [[[0.7, 0.8], [0.2, 0.3]], 0]\n' + QUERY: (
            "model.transition row 2: 0, wanted a list"
        ),
        MODEL + QUERY: f"noise: missing, wanted {NO_NOISE}",
        MODEL + QUERY + '[noise]\nkind = "laplace"\n': (
            "noise.scale: missing, wanted a finite number above 0 (dalenius calibrate finds it)"
        ),
        HOMES + QUERY + NOISE: "model.by: home, wanted a [data] table to read households from (not within a product)",
        MODEL + QUERY + "values = [2]\n" + NOISE: "query.values: 2, wanted a value some record can have [0, 1]",
        AUDITED + "[secrets]\npairs = [[0, 1], [0, 7]]\n": "secrets.pairs row 2: 7, wanted values of records [0, 1]",
        AUDITED + '[secrets]\npeople = ["Ann"]\n': "secrets.people: Ann, wanted a person's number or name",
        '[model]\nkind = "table"\nrecords = [["a"]]\nprobabilities = [1.0]\n[query]\nkind = "sum"\n' + NOISE: (
            "query.kind: sum, wanted values that are numbers (a record can be 'a')"
        ),
        LINKED + NOISE: ("query.labels: z, wanted one of the people's labels: a, b, c, d, e, f"),
        CHAIN + NOISE: (
            f"the laws of the answer: a box of 7.5e+8 points over all secrets is too large, {SMALLER} "
            f"({MOST_TILTED_POINTS.said})"
        ),
        "": "model: missing, wanted a section [model]",
    },
    ("audit", "--engine", "magic"): {
        AUDITED: "engine: magic, wanted enumeration, factor, convolution, tilting or window"
    },
    ("audit", "--engine", "tilting"): {
        MODEL + '[query]\nkind = "max"\n' + NOISE: (
            "engine: tilting, wanted an answer that is a sum: maxima and minima go by convolution"
        )
    },
    ("audit", "--engine", "enumeration"): {
        MANY: (
            "enumeration: more than 1.6e+60 assignments of the records is too large, use the factor engine "
            "(limit channel.enumerated: 33,554,432 assignments)"
        )
    },
    ("audit", "--relations"): {MOMENTS: f"--relations: {LAWS_ARE_KNOWN}"},
    ("audit", "--plot", "leaks.gif"): {AUDITED: "plot: leaks.gif, wanted a file ending in .png, .svg or .pdf"},
    ("audit", "--tail", "tail.txt"): {AUDITED: "--tail: tail.txt, wanted a file ending in .png, .svg or .pdf"},
    ("audit", "--tradeoff", "curve.png"): {MOMENTS: f"--tradeoff: {LAWS_ARE_KNOWN}"},
    ("audit", "--robust", "0"): {
        AUDITED: "--robust: 0.0, wanted a finite number above 0: every probability off by a factor e^±r"
    },
    ("audit", "--robust", "0.1"): {
        MOMENTS: "--robust: model moments, wanted a model given by probabilities, to be off by a factor"
    },
    ("audit", "--epsilon", "nan"): {AUDITED: "--epsilon: nan, wanted a finite number of at least 0"},
    ("audit", "--epsilon", "x"): {AUDITED: "Invalid value for '--epsilon': x, wanted a number"},
    ("calibrate",): {
        MODEL + QUERY + '[notion]\nkind = "information"\n': "notion.epsilon: missing, wanted a finite number above 0",
        PROMISED + '[noise]\nkind = "none"\n': (
            "noise.kind: none, wanted a noise with a scale: laplace, geometric or gaussian"
        ),
    },
    ("calibrate", "--method", "magic"): {
        PROMISED: f"method: magic, wanted one of {', '.join(method.name for method in METHODS)}"
    },
    ("release",): {PROMISED: "data: missing, wanted a section [data] that names the columns to read"},
    ("release", "--budget", "0"): {ASKED: "budget: 0.0, wanted a finite number above 0"},
}


def test_spec(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for (command, *options), lines in SPECS.items():
        found = {text: complaint(run(command, spec_in(tmp_path, text), *options)) for text in lines}
        assert found == lines, command
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "spec.toml"], "no picture is begun"


# A spec's text and the table, and the line of `release`.
BY_HOME = HOMES + QUERY + NOTION + DATA
TABLES = {
    (PROMISED.replace(QUERY, QUERY + "per_label = true\n") + DATA, PEOPLE): (
        "query.per_label: true, wanted a [data] label, or labels in the model: the people have none"
    ),
    (ASKED, PEOPLE + "c,0\n"): "data: 3 people, wanted 2, as many as the model has",
    (ASKED + 'label = "home"\n', PEOPLE): "data: 0 people without a label, wanted 2, as many as the model has",
    (ASKED, "home,ill\na,2\nb,0\n"): (
        "data.value: ill, wanted a value the model's records can have in every row: 0, 1 "
        "(1 of 2 rows have another (row 1))"
    ),
    (ASKED + '[[adversary.answers]]\nquery = { kind = "count" }\nvalue = 2\n', PEOPLE): (
        "adversary.answers row 1: 2, wanted what the table answers: totals that are known must be so"
    ),
    (BY_HOME, "home,ill\n,1\nb,0\n"): "model.by: home, wanted a cell in every row, 1 of 2 is missing",
    (BY_HOME, "house,ill\na,1\n"): "model.by: home, wanted one of the columns house, ill (did you mean house?)",
    (BY_HOME + 'household = "ill"\n', PEOPLE): (
        "model.by: home, wanted one household column, the same as data.household"
    ),
    (
        '[model]\nkind = "households"\nby = "home"\n[[model.types]]\ninfected = [0.5, 0.5]\n' + QUERY + NOTION + DATA,
        "home,ill\na,1\na,0\n",
    ): "model.types: sizes [1], wanted also a law for size 2, which the table has",
    (ASKED.replace("people.csv", "nobody.csv"), PEOPLE): (
        "data.file: {nobody}, wanted a file that is there, or --data with where it is"
    ),
}


def test_table(tmp_path: Path, run: Run) -> None:
    for (text, people), line in TABLES.items():
        said = complaint(run("release", spec_in(tmp_path, text, people)))
        assert said == line.format(nobody=tmp_path / "nobody.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "spec.toml"]


def test_ledger(tmp_path: Path, run: Run) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "corrupted.sqlite").write_text("this is no ledger, only a long text. " * 100, encoding="utf-8")
    for ledger, reason in {
        "nowhere/ledger.sqlite": "No such file or directory",
        "folder": "it is a folder",
        "corrupted.sqlite": "file is not a database",
    }.items():
        path = tmp_path / ledger
        said = complaint(run("release", spec_in(tmp_path, ASKED), "--ledger", path))
        assert said == f"ledger: {path}, wanted a SQLite file that can be written ({reason})"


def test_arguments(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = {
        ("audit",): "Missing argument 'spec'.",
        ("guess",): "No such command 'guess'.",
        ("audit", "nothing.toml", "--jsno"): "No such option: --jsno (Possible options: --json)",
        ("audit", "no.toml"): "spec: no.toml, wanted a file that can be read (No such file or directory)",
        ("audit", "."): "spec: ., wanted a file that can be read (Is a directory)",
    }
    assert {arguments: complaint(run(*arguments)) for arguments in lines} == lines


def test_the_installed_command_complains_alike(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, AUDITED.replace("[0.3, 0.5]", "[0.3, nan]"))
    wanted = "model.probabilities: [0.3, nan], wanted probabilities from 0 to 1 (number 2 is nan)"
    assert complaint(dalenius("audit", spec, "--json")) == wanted
    assert complaint(dalenius("release", tmp_path / "none.toml")).startswith(f"spec: {tmp_path / 'none.toml'}, wanted")


def test_refusal_is_json_where_json_is_asked_for(run: Run, tmp_path: Path) -> None:
    spec = tmp_path / "none.toml"
    done = run("audit", spec, "--json")
    found = json.loads(done.out)["error"]
    assert list(found) == ["exit_code", "message", "key", "value", "wanted"]
    assert (done.code, found["exit_code"], found["key"], found["value"]) == (2, 2, "spec", str(spec))
    assert done.err == f"dalenius: {found['message']}\n"
    assert run("audit", spec).out == ""
