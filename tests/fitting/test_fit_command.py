"""`dalenius fit`: sections that a spec takes and that are read back, goodness of fit, and what is refused."""

import csv
import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.cli.toml_text import toml_in_lines, toml_section
from dalenius.fitting import WARNING
from dalenius.models import Epidemic
from tests.cli.command import Done, Run, complaint

NOISE = '[noise]\nkind = "laplace"\nscale = 1.0\n'
OPTIONS: dict[str, list[str]] = {
    "households": ["--value", "ill", "--household", "home"],
    "chain": ["--value", "state", "--order", "hour", "--sequence", "who"],
    "network": ["--columns", "a,b,c"],
    "gaussian": ["--columns", "x, y"],
    "moments": ["--value", "ill", "--lower", "0", "--upper", "1"],
}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return past(tmp_path / "past.csv")


def past(path: Path) -> Path:
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


def test_goodness_of_fit(run: Run, table: Path) -> None:
    found = {model: fitted(run, table, model, "--json").json["fit"] for model in OPTIONS}
    said = {model: each["in_words"] for model, each in found.items()}
    assert said["households"].startswith("the epidemic with two chances fits as well as a law for each size")
    assert said["chain"].startswith("nothing says that a record depends on the one before it: indep")
    assert "so a chain fits" in said["chain"]
    assert "# in_words: nothing says that a record" in fitted(run, table, "chain").out
    assert all(said.values())
    tested = {"statistic", "degrees_of_freedom", "p_value"}
    epidemic = found["households"]["epidemic"]
    assert set(epidemic) == {"community", "household", "log_likelihood", "saturated_log_likelihood", "g"}
    assert set(epidemic["g"]) == tested | {"smallest_expected"}
    assert abs(epidemic["community"] - 0.1) < 0.03
    assert set(found["chain"]) >= {"sequences", "transitions", "order_1_against_0", "order_2_against_1"}
    assert (found["chain"]["sequences"], found["chain"]["transitions"]) == (50, 550)
    assert set(found["network"]["edges"][0]) == {"parent", "child", "mutual_information"}
    assert set(found["network"]["tree_against_saturated"]) == tested
    assert set(found["gaussian"]["skewness"]) == tested


@pytest.mark.parametrize(("model", "query"), [("households", ""), ("chain", 'values = ["on"]\n')])
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


NEEDED = "--{}: missing, wanted {}, which --model {} needs".format
CHAIN = ("chain", "--value", "state", "--order", "hour", "--sequence")
COLUMNS = "wanted one of the columns home, ill, who, hour, state, a, b, c, x, y, same"
BAD = {
    ("magic",): (
        "--model: magic, wanted one of households, chain, network, gaussian, gaussian_mixture, moments, linked,"
        " dependence, friends"
    ),
    ("chain",): NEEDED("value", "the column of values", "chain"),
    ("households", "--value", "ill"): NEEDED("household", "the column that says who belongs together", "households"),
    ("chain", "--value", "state"): NEEDED("order", "the column that says the place in the sequence", "chain"),
    ("network",): NEEDED("columns", "columns, with commas between them", "network"),
    ("moments", "--value", "ill", "--lower", "0"): NEEDED("upper", "the greatest value anybody can have", "moments"),
    ("gaussian", "--columns", "x", "--smoothing", "2"): "--smoothing: 2.0, wanted no such option with --model gaussian",
    ("network", "--columns", "a,zeal"): f"data.columns: zeal, {COLUMNS}",
    (*CHAIN, "whom"): f"data.sequence: whom, {COLUMNS} (did you mean who?)",
    ("households", "--value", "who", "--household", "home"): (
        "data.value: who, wanted 0 or 1 in every row, 576 of 600 are not "
        """(for words or other numbers write a condition: --value '{ column = "…", equals = "…" }')"""
    ),
    ("moments", "--value", '{ column = "ill", equals = 1 }', "--lower", "0", "--upper", "1"): (
        '--value: { column = "ill", equals = 1 }, wanted a column with --model moments: a condition is for --model '
        "households or chain"
    ),
    ("chain", "--value", "state", "--order", "hour"): (
        "data.order: hour, wanted each place once in a sequence, 588 of 600 rows repeat one"
    ),
}


def test_bad_input(run: Run, table: Path) -> None:
    asked = ("fit", "--data", table, "--out", "model.toml", "--model")
    assert {options: complaint(run(*asked, *options)) for options in BAD} == BAD
    assert not Path("model.toml").exists()


GAPS = "home,ill,day,x,y,late\n" + "".join(
    f"h{row // 3},{ill},{row + 1},{x},{y},{late}\n"
    for row, (ill, x, y, late) in enumerate(
        zip(
            ["ja", "", "nein", "ja", "nein", "nein", "", "ja", "ja", "nein", "nein", "ja"],
            [0, 1, 1, 0, "", 0, 1, 1, 0, 1, 0, 1],
            [2.5, 1, 3, 7, 2, 1.5, "", 4, 2, 6, 5, 1],
            [*range(11), ""],
            strict=True,
        )
    )
)
ILL = '{ column = "ill", equals = "ja" }'
HOMES = ("households", "--value", ILL, "--household", "home")
DAYS = ("chain", "--value", ILL, "--order", "day")


def rows(keep: Callable[[list[str]], bool] = lambda row: True, empty: str = "") -> str:
    """The table with some of its rows, and with another cell where an answer is missing."""
    head, *body = (line.split(",") for line in GAPS.splitlines())
    kept = [[row[0], row[1] or empty, *row[2:]] for row in body if keep(row)]
    return "".join(",".join(row) + "\n" for row in [head, *kept])


@pytest.mark.parametrize(
    ("options", "way", "copy"),
    [
        (HOMES, "leave_out", rows(lambda row: row[1] != "")),
        (HOMES, "as=nein", rows(empty="nein")),
        (DAYS, "as=ja", rows(empty="ja")),
        (("chain", "--value", "ill", "--order", "day"), "value", rows(empty="missing")),
        (("network", "--columns", "x,y"), "leave_out", rows(lambda row: "" not in row[3:5])),
        (("gaussian", "--columns", "x,y"), "leave_out", rows(lambda row: "" not in row[3:5])),
    ],
)
def test_a_missing_answer_is_read_as_said(
    run: Run, tmp_path: Path, options: tuple[str, ...], way: str, copy: str
) -> None:
    (tmp_path / "gaps.csv").write_text(GAPS)
    (tmp_path / "copy.csv").write_text(copy)
    model, *more = options
    found = run("fit", "--data", "gaps.csv", "--model", model, *more, "--missing", way, "--json").json
    assert found["model"] == run("fit", "--data", "copy.csv", "--model", model, *more, "--json").json["model"]


@pytest.mark.parametrize(
    ("options", "way"), [(HOMES, "leave_out"), (HOMES, "as=nein"), (DAYS, "as=nein"), (DAYS, "value")]
)
def test_what_is_written_runs_on_the_same_table(run: Run, tmp_path: Path, options: tuple[str, ...], way: str) -> None:
    (tmp_path / "gaps.csv").write_text(GAPS)
    model, *more = options
    assert run("fit", "--data", "gaps.csv", "--model", model, *more, "--missing", way, "--out", "spec.toml").code == 0
    rest = '\n[query]\nkind = "count"\n[noise]\nkind = "geometric"\nscale = 2.0\n'
    text = Path("spec.toml").read_text(encoding="utf-8")
    # Because TOML's sections may stand in any order, the rest may be appended.
    Path("spec.toml").write_text(f'{text}{rest}[notion]\nkind = "information"\nepsilon = 3.0\n', encoding="utf-8")
    done = run("release", "spec.toml", "--data", "gaps.csv", "--ledger", f"{model}.sqlite", "--json")
    assert done.json["answers"]
    assert run("fit", "--data", "gaps.csv", "--model", model, *more, "--missing", way, "--out", "spec.json").code == 0
    assert json.loads(Path("spec.json").read_text(encoding="utf-8"))["data"] == tomllib.loads(text)["data"]


BAD_WAYS = {
    (*HOMES, "--missing", "skip"): (
        "--missing: skip, wanted refuse, value, leave_out or as=WORD, with the cell that a missing one is read as"
    ),
    (*HOMES, "--missing", "as="): (
        "--missing: as=, wanted refuse, value, leave_out or as=WORD, with the cell that a missing one is read as"
    ),
    (*HOMES, "--missing", "value"): (
        "--missing: value, wanted refuse, leave_out or as=WORD with --model households: its records are 0 or 1"
    ),
    (*HOMES, "--missing", "as=Nein"): (
        '--missing: as=Nein, wanted "Nein" as the column spells it: no row is that, but for capitals and blanks some '
        "are"
    ),
    (*DAYS, "--missing", "leave_out"): (
        "--missing: leave_out, wanted refuse, value or as=WORD with --model chain: without a row, records are "
        "neighbours that are not"
    ),
    ("linked", "--value", "x", "--order", "day", "--sequence", "home", "--missing", "leave_out"): (
        "--missing: leave_out, wanted refuse, value or as=WORD with --model linked: without a row, records are "
        "neighbours that are not"
    ),
    (
        "chain",
        "--value",
        f'{{ any = [{ILL}, {{ column = "x", equals = 1 }}] }}',
        "--order",
        "day",
        "--missing",
        "as=1",
    ): ("--missing: as=1, wanted refuse or value: the value is made of several columns"),
    ("network", "--columns", "x,y", "--missing", "as=0"): (
        "--missing: as=0, wanted refuse, value or leave_out with --model network: it reads several columns"
    ),
    ("gaussian", "--columns", "x,y", "--missing", "value"): (
        "--missing: value, wanted refuse or leave_out with --model gaussian: it reads several columns, of numbers"
    ),
    ("moments", "--value", "y", "--lower", "0", "--upper", "9", "--missing", "value"): (
        "--missing: value, wanted refuse, leave_out or as=WORD with --model moments: its records are numbers"
    ),
    ("moments", "--value", "y", "--lower", "0", "--upper", "9", "--missing", "as=none"): (
        "--missing: as=none, wanted a cell that column y can hold: its cells are float64"
    ),
    ("dependence", "--columns", "x,y", "--missing", "leave_out"): (
        "--missing: leave_out, wanted no such option with --model dependence"
    ),
}


def test_another_way_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text(GAPS)
    asked = ("fit", "--data", "gaps.csv", "--model")
    assert {options: complaint(run(*asked, *options)) for options in BAD_WAYS} == BAD_WAYS


def test_a_gap_says_what_to_do(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text(GAPS)
    ways, copy = "--missing says what else a missing cell means: ", "fit a copy of the table without these rows"
    advice = {
        HOMES: f"ill, wanted a cell in every row, 2 of 12 are missing ({ways}leave_out, as=WORD)",
        DAYS: f"ill, wanted a cell in every row, 2 of 12 are missing ({ways}value, as=WORD)",
        ("network", "--columns", "ill,x"): (
            f"ill, wanted a cell in every row, 2 of 12 are missing ({ways}value, leave_out)"
        ),
        ("households", "--value", ILL, "--household", "late", "--missing", "leave_out"): (
            f"late, wanted a cell in every row, 1 of 10 is missing ({copy}; a household that loses a member counts as a"
            " smaller one)"
        ),
        ("chain", "--value", "x", "--order", "late", "--missing", "value"): (
            "late, wanted a cell in every row, 1 of 12 is missing"
        ),
    }
    for options, said in advice.items():
        assert complaint(run("fit", "--data", "gaps.csv", "--model", *options)).endswith(f": {said}")


def test_intervals_hold_the_frequencies(run: Run, table: Path) -> None:
    point = fitted(run, table, "chain", "--json").json["model"]
    shown = fitted(run, table, "chain", "--confidence", "0.95", "--json").json
    assert shown["model"]["confidence"] == shown["fit"]["confidence"] == 0.95
    assert shown["fit"]["region"] == "robbins"
    for row, intervals in zip(point["transition"], shown["model"]["transition"], strict=True):
        for p, (low, high) in zip(row, intervals, strict=True):
            assert 0 <= low < p < high <= 1
    homes = fitted(run, table, "households", "--confidence", "0.95", "--json").json
    assert homes["fit"]["region"] == "clopper_pearson"
    assert all(low < high for kind in homes["model"]["types"] for low, high in kind["infected"])


BAD_INTERVALS = {
    ("chain", "--confidence", "0.9", "--smoothing", "2"): (
        "--smoothing: 2.0, wanted none beside --confidence: exact intervals have no prior"
    ),
    ("gaussian", "--confidence", "0.9"): "--confidence: 0.9, wanted no such option with --model gaussian",
}


def test_bad_intervals(run: Run, table: Path) -> None:
    assert {asked: complaint(fitted(run, table, *asked)) for asked in BAD_INTERVALS} == BAD_INTERVALS


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | texts
values = scalars | st.lists(scalars, max_size=3) | st.lists(st.lists(scalars, max_size=3), max_size=3)
plain = st.dictionaries(texts, values, max_size=3)
sections = st.dictionaries(texts, values | plain | st.lists(plain, min_size=1, max_size=3), max_size=4)


@given(sections, st.lists(texts, max_size=2))
def test_what_is_written_is_read_back(section: dict[str, Any], comments: list[str]) -> None:
    assert tomllib.loads(toml_section("model", section, comments)) == {"model": section}
    assert tomllib.loads(toml_in_lines("data", section)) == {"data": section}


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^TOML has no form for None here"):
        toml_section("model", {"a": None})
