"""`dalenius fit`: sections that a spec takes, goodness of fit, the warning, and what is refused."""

import csv
import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from dalenius.cli.fit import fit
from dalenius.cli.main import COMMANDS
from dalenius.fitting import WARNING
from dalenius.models import Epidemic
from dalenius.models.chain import Chain
from tests.cli.command import Done, complaint, here

Run = Callable[..., Done]
NOISE = '[noise]\nkind = "laplace"\nscale = 1.0\n'
OPTIONS: dict[str, list[str]] = {
    "households": ["--value", "ill", "--household", "home"],
    "chain": ["--value", "state", "--order", "hour", "--sequence", "who"],
    "network": ["--columns", "a,b,c"],
    "gaussian": ["--columns", "x, y"],
    "moments": ["--value", "ill", "--lower", "0", "--upper", "1"],
    "independence": ["--columns", "a,b,c"],
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """A command in this process, run in a folder of its own."""
    monkeypatch.setitem(COMMANDS, "fit", fit)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: here(capsys, monkeypatch, *arguments)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return written(tmp_path / "past.csv")


def written(path: Path) -> Path:
    """600 rows that are people of households, records of sequences and observations all at once."""
    draw = np.random.default_rng(1)
    law = Epidemic(community=0.1, household=0.3).infected(3)
    ill = [draw.permutation([1] * k + [0] * (3 - k)) for k in draw.choice(4, 200, p=law)]
    a = draw.integers(0, 2, 600)
    normal = draw.multivariate_normal([1, 2], [[2, 1], [1, 3]], 600)
    columns: dict[str, Sequence[Any]] = {
        "home": np.repeat(np.arange(200), 3).tolist(),
        "ill": np.concatenate(ill).tolist(),
        "who": np.repeat(np.arange(50), 12).tolist(),
        "hour": np.tile(np.arange(12), 50).tolist(),
        "state": ["on" if bit else "off" for bit in draw.random(600) < 0.3],
        "a": a.tolist(),
        "b": np.where(draw.random(600) < 0.2, 1 - a, a).tolist(),
        "c": draw.integers(0, 2, 600).tolist(),
        "x": normal[:, 0].tolist(),
        "y": normal[:, 1].tolist(),
        "same": [7] * 600,
    }
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def fitted(run: Run, table: Path, model: str, *more: str | Path) -> Done:
    return run("fit", "--data", table, "--model", model, *OPTIONS[model], *more)


@pytest.mark.parametrize("model", OPTIONS)
def test_toml_and_json_say_the_same(model: str, run: Run, table: Path) -> None:
    plain, shown = fitted(run, table, model), fitted(run, table, model, "--json")
    assert (plain.code, plain.err) == (0, f"dalenius: {WARNING}\n")
    assert shown.err == plain.err
    assert set(shown.json) == {"model", "fit", "warning"}
    assert shown.json["warning"] == WARNING
    assert tomllib.loads(plain.out) == {"model": shown.json["model"]}
    assert shown.json["model"]["kind"] == ("network" if model == "independence" else model)
    found = shown.json["fit"]
    assert found["observations"] == (200 if model == "households" else 600)
    assert found["smoothing"] == (None if model in ("gaussian", "moments") else 1.0)
    comments = [line for line in plain.out.splitlines() if line.startswith("#")]
    assert comments[:2] == [f"# {model}, fitted to past.csv", f"# {WARNING}"]
    for key in found:
        assert any(line.startswith(f"# {key}:") for line in comments), key


def test_goodness_of_fit(run: Run, table: Path) -> None:
    found = {model: fitted(run, table, model, "--json").json["fit"] for model in OPTIONS}
    tested = {"statistic", "degrees_of_freedom", "p_value"}
    epidemic = found["households"]["epidemic"]
    assert set(epidemic) == {
        *("community", "household", "log_likelihood", "saturated_log_likelihood", "g", "chi_squared")
    }
    assert set(epidemic["g"]) == set(epidemic["chi_squared"]) == tested | {"smallest_expected"}
    assert abs(epidemic["community"] - 0.1) < 0.03
    assert set(found["chain"]) >= {"sequences", "transitions", "order_1_against_0", "order_2_against_1"}
    assert (found["chain"]["sequences"], found["chain"]["transitions"]) == (50, 550)
    assert set(found["network"]["edges"][0]) == {"parent", "child", "mutual_information"}
    assert set(found["network"]["tree_against_saturated"]) == tested
    assert set(found["gaussian"]["skewness"]) == tested
    assert found["independence"]["adjacency"] == {"a": ["b"], "b": ["a"], "c": []}
    assert found["independence"]["components"] == [["a", "b"], ["c"]]
    assert found["independence"]["neighbourhood"] == 2


def test_sections_are_what_was_simulated(run: Run, table: Path) -> None:
    (kind,) = fitted(run, table, "households", "--json").json["model"]["types"]
    assert kind["count"] == 200
    assert len(kind["infected"]) == 4
    section = fitted(run, table, "chain", "--json", "--initial", "empirical").json["model"]
    chain = Chain(**section)
    assert (chain.n, chain.values) == (12, ("off", "on"))
    assert chain.initial != "stationary"
    gaussian = fitted(run, table, "gaussian", "--json").json["model"]
    assert gaussian["mean"] == pytest.approx([1, 2], abs=0.3)
    assert np.array(gaussian["covariance"]) == pytest.approx(np.array([[2, 1], [1, 3]]), abs=0.6)


def test_audit_accepts_a_gaussian(run: Run, table: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    fitted(run, table, "gaussian", "--out", spec)
    spec.write_text(spec.read_text(encoding="utf-8") + '[query]\nkind = "mean"\n' + NOISE, encoding="utf-8")
    leakage = run("audit", spec, "--json").json["leakage"]
    assert leakage["inferential"]["epsilon"] == "inf", "records without bounds"
    assert 0 < leakage["mutual_information"]["lower"] <= leakage["mutual_information"]["upper"] < 1


@pytest.mark.parametrize(
    ("model", "query"),
    [("households", ""), ("chain", 'values = ["on"]\n'), ("network", "values = [1]\n"), ("independence", "")],
)
def test_audit_accepts_it(model: str, query: str, run: Run, table: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    done = fitted(run, table, model, "--out", spec)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"dalenius: {WARNING}\n"
    spec.write_text(spec.read_text(encoding="utf-8") + f'[query]\nkind = "count"\n{query}' + NOISE, encoding="utf-8")
    leakage = run("audit", spec, "--json").json["leakage"]["information"]
    assert 0 < leakage["lower"] <= leakage["upper"]


def test_out(run: Run, table: Path, tmp_path: Path) -> None:
    shown = fitted(run, table, "network").out
    assert fitted(run, table, "network", "--out", "model.toml").out == ""
    assert Path("model.toml").read_text(encoding="utf-8") == shown
    both = fitted(run, table, "network", "--out", "model.json", "--json").json
    assert json.loads(Path("model.json").read_text(encoding="utf-8")) == {"model": both["model"]}
    assert complaint(fitted(run, table, "network", "--out", "nowhere/model.toml")).startswith(
        "file: nowhere/model.toml"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "model.toml", "past.csv"]


def test_smoothing_and_level_are_heard(run: Run, table: Path) -> None:
    firm = fitted(run, table, "chain", "--json", "--smoothing", "1e6").json
    assert firm["fit"]["smoothing"] == 1e6
    assert firm["model"]["transition"] == [pytest.approx([0.5, 0.5], abs=1e-3)] * 2
    strict = fitted(run, table, "independence", "--json", "--level", "1e-300").json
    assert strict["fit"]["level"] == 1e-300
    assert strict["fit"]["neighbourhood"] == 1


@pytest.mark.slow
def test_a_table_of_a_duckdb_file(run: Run, table: Path) -> None:
    with duckdb.connect("past.duckdb") as connection:
        connection.execute(f"CREATE TABLE old AS FROM '{table}'")
    for model in OPTIONS:
        wanted, found = fitted(run, table, model), fitted(run, Path("past.duckdb"), model, "--table", "old")
        assert found.out.replace("past.duckdb", "past.csv") == wanted.out
    assert complaint(fitted(run, Path("past.duckdb"), "chain")) == (
        "data.table: missing, wanted one of the file's tables: old"
    )


NEEDS = {
    "value": "the column of values",
    "household": "the column that says who belongs together",
    "order": "the column that says the place in the sequence",
    "columns": "columns, with commas between them",
}
# The options, and the line.
BAD = {
    "unknown model": (
        ["--model", "magic"],
        "--model: magic, wanted one of households, chain, network, gaussian, moments, independence, friends",
    ),
    "no value": (["--model", "chain"], f"--value: missing, wanted {NEEDS['value']}, which --model chain needs"),
    "no household": (
        ["--model", "households", "--value", "ill"],
        f"--household: missing, wanted {NEEDS['household']}, which --model households needs",
    ),
    "no order": (
        ["--model", "chain", "--value", "state"],
        f"--order: missing, wanted {NEEDS['order']}, which --model chain needs",
    ),
    "no columns": (
        ["--model", "network"],
        f"--columns: missing, wanted {NEEDS['columns']}, which --model network needs",
    ),
    "no range": (
        ["--model", "moments", "--value", "ill", "--lower", "0"],
        "--upper: missing, wanted the greatest value anybody can have, which --model moments needs",
    ),
    "a value out of range": (
        ["--model", "moments", "--value", "same", "--lower", "0", "--upper", "1"],
        "value: 7, wanted a number from 0 to 1, the public range, in every row",
    ),
    "an option of another model": (
        ["--model", "gaussian", "--columns", "x", "--smoothing", "2"],
        "--smoothing: 2.0, wanted no such option with --model gaussian",
    ),
    "no such column": (
        ["--model", "network", "--columns", "a,zeal"],
        "data.columns: zeal, wanted one of the columns home, ill, who, hour, state, a, b, c, x, y, same",
    ),
    "no such value": (
        ["--model", "households", "--value", "sick", "--household", "home"],
        "data.value: sick, wanted one of the columns home, ill, who, hour, state, a, b, c, x, y, same",
    ),
    "no such household": (
        ["--model", "households", "--value", "ill", "--household", "flat"],
        "data.household: flat, wanted one of the columns home, ill, who, hour, state, a, b, c, x, y, same",
    ),
    "no such sequence": (
        ["--model", "chain", "--value", "state", "--order", "hour", "--sequence", "whom"],
        "data.sequence: whom, wanted one of the columns home, ill, who, hour, state, a, b, c, x, y, same",
    ),
    "one column": (["--model", "network", "--columns", "a"], "columns: a, wanted at least 2 columns"),
    "one value": (
        ["--model", "independence", "--columns", "a,same"],
        "column same: 7, wanted at least two different values",
    ),
    "one state": (
        ["--model", "chain", "--value", "same", "--order", "hour", "--sequence", "who"],
        "value: 7, wanted at least two different values",
    ),
    "values that are no bits": (
        ["--model", "households", "--value", "state", "--household", "home"],
        "data.value: state, wanted 0 or 1 in every row (there is also off)",
    ),
    "texts for a gaussian": (
        ["--model", "gaussian", "--columns", "x,state"],
        "column state: off, wanted a number in every row",
    ),
    "too many values": (
        ["--model", "network", "--columns", "a,x"],
        "column x: 600 different values, wanted at most 256: group them first",
    ),
    "the order is not one": (
        ["--model", "chain", "--value", "state", "--order", "hour"],
        "data.order: hour, wanted no place twice in the sequence (0 occurs twice)",
    ),
    "smoothing 0": (
        ["--model", "network", "--columns", "a,b", "--smoothing", "0"],
        "smoothing: 0.0, wanted a finite number above 0",
    ),
    "smoothing of letters": (
        ["--model", "network", "--columns", "a,b", "--smoothing", "x"],
        "Invalid value for '--smoothing': x, wanted a number",
    ),
    "level 1": (
        ["--model", "independence", "--columns", "a,b", "--level", "1"],
        "level: 1.0, wanted a number between 0 and 1",
    ),
    "initial": (
        ["--model", "chain", "--value", "state", "--order", "hour", "--sequence", "who", "--initial", "zero"],
        "initial: zero, wanted stationary or empirical",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str, run: Run, table: Path) -> None:
    options, line = BAD[case]
    assert complaint(run("fit", "--data", table, *options, "--out", "model.toml")) == line
    assert not Path("model.toml").exists()


# A table, and the line of each model that needs more.
FEW = {
    "chain": (
        "who,hour,state\na,1,on\nb,1,off\n",
        "sequences: one record in each, wanted a sequence of at least 2 records",
    ),
    "network": ("a,b,c\n1,2,3\n", "rows: 1, wanted at least 2 rows"),
    "gaussian": ("x,y\n1,2\n2,4\n3,5\n", "rows: 3, wanted at least 4 rows"),
    "independence": ("a,b,c\n1,2,3\n2,3,4\n", "rows: 2, wanted at least 10 rows"),
    "moments": (
        "ill\n1\n0\n",
        "rows: 2, wanted more, or less range: their deviation 0.707107 may be 0 at that confidence",
    ),
    "households": ("home,ill\na,1\na,0\n", "households: 1, wanted at least 2 households"),
}


@pytest.mark.parametrize("model", FEW)
def test_too_few_rows(model: str, run: Run) -> None:
    text, line = FEW[model]
    Path("few.csv").write_text(text, encoding="utf-8")
    done = fitted(run, Path("few.csv"), model)
    assert complaint(done) == line
    Path("few.csv").write_text(text.splitlines()[0] + "\n", encoding="utf-8")
    empty = complaint(fitted(run, Path("few.csv"), model))
    assert empty == f"data.file: {Path('few.csv').absolute()}, wanted a table with at least one row"


def test_no_file_and_no_options(run: Run) -> None:
    missing = Path("nowhere.csv").absolute()
    assert complaint(fitted(run, missing, "network")) == f"data.file: {missing}, wanted a file that is there"
    assert complaint(run("fit")) == "Missing option '--data'."
    assert complaint(run("fit", "--data", "x.csv")) == "Missing option '--model'."
