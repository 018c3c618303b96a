"""Bad input: exit 2, one line that names the key, the value and what was wanted, nothing on standard output."""

from pathlib import Path

import pytest

from dalenius.calibration import METHODS
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
[model]
kind = "households"
[[model.types]]
count = 300
infected = [0.5, 0.4, 0.02, 0.02, 0.02, 0.02, 0.02]
members = { a = 1, b = 1, c = 1, d = 1, e = 1, f = 1 }
[query]
kind = "count"
per_label = true
"""
CHAIN = """
[model]
kind = "chain"
n = 500
values = [0, 1, 2]
initial = [0.5, 0.3, 0.2]
transition = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
[query]
kind = "several"
queries = [{ kind = "count", values = [1] }, { kind = "sum" }]
"""
MANY = '[model]\nkind = "independent"\nn = 1000\nprobabilities = [0.3]\n' + QUERY + NOISE
NO_NOISE = "a section [noise] with kind and scale (dalenius calibrate finds the scale)"
SMALLER = "ask fewer answers at once or coarser values, or use the group method, which needs no law"


def spec_in(folder: Path, text: str, people: str = PEOPLE) -> Path:
    (folder / "people.csv").write_text(people, encoding="utf-8")
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    return folder / "spec.toml"


# A spec's text, the command with its options, and the line.
SPECS = {
    "a row of a chain that is a number": (
        '[model]\nkind = "chain"\nn = 3\ninitial = [0.5, 0.5]\ntransition = [[[0.7, 0.8], [0.2, 0.3]], 0]\n' + QUERY,
        ["audit"],
        "model.transition row 2: 0, wanted a list",
    ),
    "no noise": (MODEL + QUERY, ["audit"], f"noise: missing, wanted {NO_NOISE}"),
    "no scale": (
        MODEL + QUERY + '[noise]\nkind = "laplace"\n',
        ["audit"],
        "noise.scale: missing, wanted a finite number above 0 (dalenius calibrate finds it)",
    ),
    "no notion, calibrate": (
        MODEL + QUERY,
        ["calibrate"],
        "notion: missing, wanted a section [notion] with kind and epsilon, or several [[promises]]",
    ),
    "no notion, compare": (
        MODEL + QUERY,
        ["compare"],
        "notion: missing, wanted a section [notion] with kind and epsilon, or several [[promises]]",
    ),
    "no epsilon": (
        MODEL + QUERY + '[notion]\nkind = "information"\n',
        ["calibrate"],
        "notion.epsilon: missing, wanted a finite number above 0",
    ),
    "no data": (PROMISED, ["release"], "data: missing, wanted a section [data] that names the columns to read"),
    "no data, but a table": (
        PROMISED,
        ["release", "--data", "people.csv"],
        "data: missing, wanted a section [data] that names the columns to read",
    ),
    "households from no data": (
        HOMES + QUERY + NOISE,
        ["audit"],
        "model.by: home, wanted a [data] table to read households from (not within a product)",
    ),
    "no noise to calibrate": (
        PROMISED + '[noise]\nkind = "none"\n',
        ["calibrate"],
        "noise.kind: none, wanted a noise with a scale: laplace, geometric or gaussian",
    ),
    "unknown method": (
        PROMISED,
        ["calibrate", "--method", "magic"],
        f"method: magic, wanted one of {', '.join(method.name for method in METHODS)}",
    ),
    "unknown engine": (
        AUDITED,
        ["audit", "--engine", "magic"],
        "engine: magic, wanted enumeration, factor, convolution, tilting or window",
    ),
    "count of a value nobody has": (
        MODEL + QUERY + "values = [2]\n" + NOISE,
        ["audit"],
        "query.values: 2, wanted a value some record can have [0, 1]",
    ),
    "pair of a value nobody has": (
        AUDITED + "[secrets]\npairs = [[0, 1], [0, 7]]\n",
        ["audit"],
        "secrets.pairs row 2: 7, wanted values of records [0, 1]",
    ),
    "pair of one value": (
        AUDITED + "[secrets]\npairs = [[1, 1]]\n",
        ["audit"],
        "secrets.pairs row 1: [1, 1], wanted two different values",
    ),
    "nobody of that number": (
        AUDITED + "[secrets]\npeople = [3]\n",
        ["audit"],
        "secrets.people: 3, wanted a person's number from 1 to 2",
    ),
    "sum of texts": (
        '[model]\nkind = "table"\nrecords = [["a"], ["b"]]\nprobabilities = [0.5, 0.5]\n'
        '[query]\nkind = "sum"\n' + NOISE,
        ["audit"],
        r"query.kind: sum, wanted values that are numbers \(a record can be '[ab]'\)",
    ),
    "greatest of texts": (
        '[model]\nkind = "table"\nrecords = [["a"], ["b"]]\nprobabilities = [0.5, 0.5]\n'
        '[query]\nkind = "max"\n' + NOISE,
        ["audit"],
        r"query.kind: max, wanted values that are numbers \(a record can be '[ab]'\)",
    ),
    "greatest of a label nobody has": (
        LINKED.replace('count"\nper_label = true', 'max"\nlabels = ["a", "z"]') + NOISE,
        ["audit"],
        "query.labels: z, wanted one of the people's labels ['a', 'b', 'c', 'd', 'e', 'f']",
    ),
    "tilting of a maximum": (
        MODEL + '[query]\nkind = "max"\n' + NOISE,
        ["audit", "--engine", "tilting"],
        "engine: tilting, wanted an answer that is a sum: maxima and minima go by convolution",
    ),
    "window of a maximum": (
        MODEL + '[query]\nkind = "max"\n' + NOISE,
        ["audit", "--engine", "window"],
        "engine: window, wanted a single answer that is a sum",
    ),
    "too large to enumerate": (
        MANY,
        ["audit", "--engine", "enumeration"],
        r"enumeration: 1.6e\+60 assignments of the records is too large, use the factor engine",
    ),
    "too many answers of one chain": (
        CHAIN + NOISE,
        ["audit"],
        rf"the laws of the answer: a box of 7.5e\+8 points over all secrets is too large, {SMALLER}",
    ),
    "negative --epsilon": (
        AUDITED,
        ["audit", "--epsilon", "-1"],
        "--epsilon: -1.0, wanted a finite number of at least 0",
    ),
    "NaN --epsilon": (AUDITED, ["audit", "--epsilon", "nan"], "--epsilon: nan, wanted a finite number of at least 0"),
    "--epsilon of letters": (
        AUDITED,
        ["audit", "--epsilon", "x"],
        "Invalid value for '--epsilon': x, wanted a number",
    ),
    "--budget 0": (ASKED, ["release", "--budget", "0"], "--budget: 0.0, wanted a finite number above 0"),
    "--budget inf": (ASKED, ["release", "--budget", "inf"], "--budget: inf, wanted a finite number above 0"),
    "--budget of letters": (ASKED, ["release", "--budget", "x"], "Invalid value for '--budget': x, wanted a number"),
    "plot of another kind": (
        PROMISED,
        ["calibrate", "--plot", "leakage.gif"],
        "plot: leakage.gif, wanted a file ending in .png, .svg or .pdf",
    ),
    "broken TOML": (
        "[model\n",
        ["audit"],
        r"spec: .*spec.toml, wanted TOML \(expected .* at the \^ in line 1: \[model\^\)",
    ),
    "a date for a section": ("model = 1861-11-01\n" + QUERY, ["audit"], "model: .*1861.*, wanted a section of keys"),
    "empty": ("", ["audit"], "model: missing, wanted a section [model]"),
}


@pytest.mark.parametrize("case", SPECS)
def test_spec(case: str, tmp_path: Path, run: Run) -> None:
    text, (command, *options), line = SPECS[case]
    done = run(command, spec_in(tmp_path, text), *options)
    if "\\" in line or ".*" in line:
        assert_matches(complaint(done), line)
    else:
        assert complaint(done) == line


def assert_matches(said: str, line: str) -> None:
    with pytest.raises(ValueError, match=f"^{line}$"):
        raise ValueError(said)


# A spec's text, the table, and the line of `release`.
TABLES = {
    "empty": (ASKED, "home,ill\n", "data.file: {file}, wanted a table with at least one row"),
    "no label to ask for": (
        PROMISED.replace(QUERY, QUERY + "per_label = true\n") + DATA,
        PEOPLE,
        "query.per_label: true, wanted a [data] label, or labels in the model: the people have none",
    ),
    "a decimal comma": (
        ASKED,
        'home,ill\na,"0,5"\nb,"1,0"\n',
        "data.value: ill, wanted a value the model's records can have in every row: 0, 1 (2 of 2 rows have another, "
        "numbers with a decimal comma among them: write 0.5)",
    ),
    "of no bytes": (ASKED, "", "data.file: {file}, wanted a first line with the names of the columns"),
    "one person too many": (ASKED, PEOPLE + "c,0\n", "data: 3 people, wanted 2, as many as the model has"),
    "one person too few": (ASKED, "home,ill\na,1\n", "data: 1 people, wanted 2, as many as the model has"),
    "labels the model does not know": (
        ASKED + 'label = "home"\n',
        PEOPLE,
        "data: 0 people without a label, wanted 2, as many as the model has",
    ),
    "a value the model does not know": (
        ASKED,
        "home,ill\na,2\nb,0\n",
        "data.value: ill, wanted a value the model's records can have in every row: 0, 1 (1 of 2 rows have another)",
    ),
    "a value missing": (
        ASKED,
        "home,ill\na,\nb,0\n",
        "data.value: ill, wanted a cell in every row, 1 of 2 are missing",
    ),
    "a household missing": (
        HOMES + QUERY + NOTION + DATA,
        "home,ill\n,1\nb,0\n",
        "model.by: home, wanted a cell in every row, 1 of 2 are missing",
    ),
    "no household column": (
        HOMES + QUERY + NOTION + DATA,
        "house,ill\na,1\n",
        "model.by: home, wanted one of the columns house, ill",
    ),
    "no value column": (ASKED, "home,sick\na,1\n", "data.value: ill, wanted one of the columns home, sick"),
    "no label column": (
        ASKED + 'label = "town"\n',
        PEOPLE,
        "data.label: town, wanted one of the columns home, ill",
    ),
    "two household columns": (
        HOMES + QUERY + NOTION + DATA + 'household = "ill"\n',
        PEOPLE,
        "model.by: home, wanted one household column, the same as data.household",
    ),
    "a household of a size without law": (
        '[model]\nkind = "households"\nby = "home"\n[[model.types]]\ninfected = [0.5, 0.5]\n' + QUERY + NOTION + DATA,
        "home,ill\na,1\na,0\n",
        "model.types: sizes [1], wanted also a law for size 2, which the table has",
    ),
    "no file": (
        PROMISED + '[data]\nvalue = "ill"\n',
        PEOPLE,
        "data.file: missing, wanted the file that holds the people",
    ),
    "a file that is not there": (
        ASKED.replace("people.csv", "nobody.csv"),
        PEOPLE,
        "data.file: {nobody}, wanted a file that is there, or --data with where it is",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_table(case: str, tmp_path: Path, run: Run) -> None:
    text, people, line = TABLES[case]
    said = complaint(run("release", spec_in(tmp_path, text, people)))
    assert said == line.format(file=tmp_path / "people.csv", nobody=tmp_path / "nobody.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "spec.toml"]


@pytest.mark.parametrize(
    ("ledger", "reason"),
    [
        ("nowhere/ledger.sqlite", "No such file or directory"),
        ("folder", "it is a folder"),
        ("corrupted.sqlite", "file is not a database"),
    ],
)
def test_ledger(ledger: str, reason: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "corrupted.sqlite").write_text("this is no ledger, only a long text. " * 100, encoding="utf-8")
    path = tmp_path / ledger
    said = complaint(run("release", spec_in(tmp_path, ASKED), "--ledger", path))
    assert said == f"ledger: {path}, wanted a SQLite file that can be written ({reason})"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["audit"], "Missing argument 'spec'."),
        (["guess"], "No such command 'guess'."),
        (["audit", "nothing.toml", "--jsno"], "No such option: --jsno (Possible options: --json)"),
        (["audit", "no.toml"], "spec: no.toml, wanted a file that can be read (No such file or directory)"),
        (["audit", "."], "spec: ., wanted a file that can be read (Is a directory)"),
    ],
)
def test_arguments(arguments: list[str], line: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert complaint(run(*arguments)) == line


def test_broken_json(tmp_path: Path, run: Run) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text('{"model": ', encoding="utf-8")
    said = complaint(run("audit", spec))
    assert said == f'spec: {spec}, wanted JSON (expecting value at the ^ in line 1: {{"model": ^)'


def test_the_installed_command_complains_alike(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, AUDITED.replace("[0.3, 0.5]", "[0.3, nan]"))
    wanted = "model.probabilities: [0.3, nan], wanted probabilities from 0 to 1 (number 2 is nan)"
    assert complaint(dalenius("audit", spec, "--json")) == wanted
    assert complaint(dalenius("release", tmp_path / "none.toml")).startswith(f"spec: {tmp_path / 'none.toml'}, wanted")
