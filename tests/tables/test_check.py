"""`dalenius check`: each finding, without a cell; exit codes; where else a table is checked."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dalenius as dl
from dalenius.spec.data_section import Source
from dalenius.tables import open_people
from dalenius.tables.check import near_advice
from dalenius.tables.near_names import near_names
from tests.cli.command import Run

HOMES = ["Elm 1"] * 6 + ["elm 1", "Elm  1", "Oak 2", "Oak 2", "Zoé", "Zoe\u0301", "7", "7.0"]
ROWS = [f"p{n},{home},{'no' if n % 3 else 'yes'},{n}" for n, home in enumerate(HOMES)]
TABLE = "\n".join(["pid,home,ill,age", *ROWS]) + "\n"
CELLS = {"Elm", "elm", "Oak", "Zoé", "p3", "7.0"}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(TABLE, encoding="utf-8")


def findings(table: Any = "p.csv", **roles: Any) -> list[tuple[str, str, str, int, tuple[int, ...]]]:
    found = dl.check(table, **roles)
    return [(each.severity, each.kind, each.column, each.count, each.rows) for each in found.findings]


@pytest.mark.parametrize(
    ("names", "rarer", "kinds"),
    [
        (["a b", "ab", "c"], ["ab"], {"blanks": 1}),
        (["Bob", "bob", "BOB"], ["BOB", "bob"], {"capitals": 2}),
        (["Zoé", "Zoe\u0301"], ["Zoé"], {"Unicode form": 1}),
        (["1", "1.0", "01", "10", "1.5"], ["01", "1.0"], {"zeros, as 1, 1.0 and 01 do": 2}),
        (["\uff21", "A"], ["\uff21"], {"Unicode form": 1}),
        (["A 1", "a1"], ["a1"], {"several of blanks, capitals and form": 1}),
        (["a1", "a10", "b", "1e3", "1000", "v1.0", "v1"], [], {}),
    ],
)
def test_names_that_are_likely_one_name(names: Sequence[str], rarer: list[str], kinds: dict[str, int]) -> None:
    counts = {name: 10 if name == names[0] else 1 for name in names}
    if kinds == {"Unicode form": 1}:
        counts = dict.fromkeys(names, 1)
        assert len(near_names(counts).rarer) == 1
    else:
        assert sorted(near_names(counts).rarer) == rarer
    assert near_names(counts).kinds == kinds


def test_each_kind_of_finding_has_its_rows(tmp_path: Path) -> None:
    assert findings(household="home") == [("warning", "near", "home", 4, (7, 8, 11, 14))]
    repeated = TABLE + "p3,Oak 2,maybe,x\n"
    Path("p.csv").write_text(repeated, encoding="utf-8")
    assert findings(household="home", person="pid") == [
        ("error", "repeated", "pid", 1, (4, 15)),
        ("warning", "odd", "ill", 1, (15,)),
        ("warning", "odd", "age", 1, (15,)),
        ("warning", "near", "home", 4, (7, 8, 11, 14)),
    ]
    assert ("warning", "repeated", "pid", 1, (4, 15)) in findings()
    Path("p.csv").write_text("home,ill\na,1\n,0\nNA,1\n", encoding="utf-8")
    assert findings(household="home") == [("error", "missing", "home", 2, (2, 3))]


def test_sizes_of_households_and_columns() -> None:
    found = dl.check("p.csv", household="home")
    assert found.household_sizes == {6: 1, 2: 1, 1: 6}
    assert found.usable
    assert [(each.column, each.holds, each.different) for each in found.columns] == [
        ("pid", "texts", 14),
        ("home", "texts", 8),
        ("ill", "truth values", 2),
        ("age", "numbers", 14),
    ]


def test_a_frame_is_checked_as_a_file_is() -> None:
    frame = pa.table({"home": HOMES, "ill": [True] * len(HOMES)})
    for table in (frame, frame.to_pandas()):
        assert findings(table, household="home") == [("warning", "near", "home", 4, (7, 8, 11, 14))]
    twice = pa.table([pa.array([1]), pa.array([1])], names=["ill", "Ill"])
    assert [each[:2] for each in findings(twice)] == [("error", "unusable")]


def test_the_command_ends_with_0_or_2_and_prints_no_cell(run: Run) -> None:
    done = run("check", "p.csv", "--household", "home")
    assert done.code == 0
    assert "4 household names in column home differ from another one only in" in " ".join(done.out.split())
    wrong = run("check", "p.csv", "--person", "home")
    assert wrong.code == 2
    assert wrong.err.count("\n") == 1
    assert not [cell for cell in CELLS if cell in done.out + wrong.out + wrong.err]
    Path("q.csv").write_text("ill,Ill\n1,0\n", encoding="utf-8")
    assert "columns 1 and 2 have the same one" in run("check", "q.csv").err
    assert "wanted one of the columns pid, home, ill, age" in run("check", "p.csv", "--household", "house").err
    clean = pa.table({"a": list("xyz")})
    assert dl.check(clean).notes() == ["nothing is wrong with the 3 rows"]


SPEC = """model = { kind = "households", by = "home", epidemic = { community = 0.1, household = 0.3 } }
query = { kind = "count" }
notion = { kind = "inferential", epsilon = 1.0 }
data = { file = "p.csv", value = "ill" }
"""


def test_a_spec_is_checked_with_its_model(run: Run) -> None:
    Path("s.toml").write_text(SPEC, encoding="utf-8")
    assert [(each["severity"], each["kind"]) for each in run("check", "s.toml", "--json").json["findings"]] == [
        ("warning", "near")
    ]
    Path("s.toml").write_text(SPEC.replace('value = "ill"', 'value = "age"'), encoding="utf-8")
    done = run("check", "s.toml")
    assert done.code == 2
    assert "12 of 14 rows have another" in done.err


@pytest.mark.lengthy
def test_init_and_release_and_policy_check_say_it(run: Run) -> None:
    said = "4 household names in column home differ from another one only in"
    made = run("init", "d.toml", "--data", "p.csv", "--value", "ill", "--household", "home", "--person", "pid")
    assert made.code == 0
    assert said in made.err
    assert 'person = "pid"' in Path("d.toml").read_text(encoding="utf-8")
    refused = run("init", "e.toml", "--data", "p.csv", "--value", "ill", "--person", "home")
    assert refused.code == 2
    assert not Path("e.toml").exists()
    Path("s.toml").write_text(SPEC, encoding="utf-8")
    assert said in run("release", "s.toml", "--budget", "5").err
    model = '{kind = "households", by = "home", epidemic = {community = 0.1, household = 0.3}}'
    Path("policy.toml").write_text(
        '[[data]]\nname = "ill"\nsource = {file = "p.csv"}\nnotion = {kind = "inferential", epsilon = 1}\n'
        f'[[data.measures]]\nname = "ill"\nvalue = "ill"\nmodel = {model}\n[[data.analysts]]\nname = "ana"\n',
        encoding="utf-8",
    )
    checked = run("policy", "check", "policy.toml")
    assert checked.code == 0
    assert f"data ill: {said}" in checked.err


@pytest.mark.parametrize(
    "asked",
    [
        ("audit", "n.toml", "--json"),
        ("calibrate", "s.toml", "--json"),
        ("compare", "s.toml", "--json"),
        ("attack", "n.toml", "--json"),
        ("posterior", "n.toml", "--answers", "2"),
        ("compose", "n.toml", "--json"),
        ("convert", "n.toml", "--neighbours", "replace", "--epsilon", "1", "--json"),
    ],
)
def test_every_command_that_reads_the_table_says_it_before_it_computes(run: Run, asked: Sequence[str]) -> None:
    said = "4 household names in column home differ from another one only in"
    Path("s.toml").write_text(SPEC, encoding="utf-8")
    Path("n.toml").write_text(SPEC + 'noise = { kind = "geometric", scale = 2.0 }\n', encoding="utf-8")
    done = run(*asked)
    assert done.code == 0, done.err
    assert f"dalenius: advice: {said}" in done.err
    assert said not in done.out
    assert said not in run(*asked, "--quiet").err


def test_ids_of_people_that_are_likely_one_are_said() -> None:
    rows = ["pid,home,ill", "a1,x,0", "A1,x,1", "b2,y,0", "c3,y,0"]
    Path("ids.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    people = open_people(Source(file=Path("ids.csv"), value="ill", household="home", person="pid"))
    assert near_advice(people) == [
        "1 id of a person in column pid differs from another one only in capitals (1): "
        "dalenius check says in which rows"
    ]


def test_the_certificate_says_that_keys_are_nearly_equal(run: Run) -> None:
    Path("p.csv").write_text(TABLE.replace("yes", "1").replace("no", "0"), encoding="utf-8")
    Path("s.toml").write_text(SPEC, encoding="utf-8")
    found = run("release", "s.toml", "--budget", "9", "--json").json["certificate"]["hypotheses"]
    said = "4 households' keys differ from another's only in capitals, blanks or form, and count as different"
    assert f"{said} households" in found


def test_the_sheet_before_the_release_says_that_keys_are_nearly_equal(run: Run) -> None:
    Path("p.csv").write_text(TABLE.replace("yes", "1").replace("no", "0"), encoding="utf-8")
    Path("s.toml").write_text(SPEC, encoding="utf-8")
    assert run("explain", "s.toml", "--out", "s.html").code == 0
    said = "4 households&#39; keys differ from another&#39;s only in capitals, blanks or form, and count as different"
    # On the sheet, and in the appendix.
    assert Path("s.html").read_text(encoding="utf-8").count(f"{said} households") == 2
    Path("p.csv").write_text("home,ill\na,1\na,0\nb,0\n", encoding="utf-8")
    assert run("explain", "s.toml", "--out", "s.html").code == 0
    assert "keys differ" not in Path("s.html").read_text(encoding="utf-8")


def test_init_says_that_a_column_like_households_has_gaps(run: Run) -> None:
    Path("g.csv").write_text("Haushalt,ill\na,1\na,0\n,1\nb,0\n,0\n", encoding="utf-8")
    done = run("init", "g.csv", "g.toml")
    assert done.code == 0, done.err
    assert "Haushalt looks like households, but 2 cells are missing: the draft takes people as independent" in done.err
    assert "fill the column, then --household 'Haushalt'" in done.err
    assert 'people are taken as independent of each other, because cells of "Haushalt"' in Path("g.toml").read_text()


ASKED = [("calibrate", "s.toml"), ("explain", "s.toml", "--out", "s.html"), ("release", "s.toml", "--budget", "9")]


@pytest.mark.parametrize("asked", [*ASKED, (*ASKED[-1], "--cost")])
def test_cells_that_narrowly_miss_a_condition_are_said(run: Run, asked: Sequence[str]) -> None:
    cells = ["ja", "Ja", "Ja ", "nein", "ja", "k.A."] * 2
    Path("p.csv").write_text("\n".join(["home,ill", *(f"{n // 2},{cell}" for n, cell in enumerate(cells)), ""]))
    value = '{ column = "ill", equals = "ja" }'
    Path("s.toml").write_text(SPEC.replace('"ill"', value), encoding="utf-8")
    done = run(*asked)
    assert done.code == 0, done.err
    said = (
        "advice: data.value: 4 cells in column ill differ from a text of its condition only in capitals (2), "
        "several of blanks, capitals and form (2), and do not fulfil it: mend them, or name both in one_of"
    )
    assert said in done.err
    assert "Ja" not in done.err
    assert "only in capitals" not in done.out
    both = '{ any = [{ column = "ill", equals = "ja" }, { column = "ill", one_of = ["Ja", "Ja "] }] }'
    Path("s.toml").write_text(SPEC.replace('"ill"', both), encoding="utf-8")
    assert "data.value" not in run(*asked, *(("--ledger", "l.sqlite") if asked[0] == "release" else ())).err


@pytest.mark.parametrize(("words", "people"), [(None, None), ("", 4), ("NaN, -", 4), ("NA", None)])
def test_a_household_called_na_is_fitted_where_it_is_said(run: Run, words: str | None, people: int | None) -> None:
    Path("na.csv").write_text("home,ill\nNA,1\nNA,0\nx,1\nx,0\n", encoding="utf-8")
    given = () if words is None else ("--missing-words", words)
    done = run("fit", "--data", "na.csv", "--model", "households", "--value", "ill", "--household", "home", *given)
    checked = run("check", "na.csv", "--household", "home", *given)
    if people is None:
        assert (done.code, checked.code) == (2, 2)
        assert "data.household: home" in done.err
    else:
        assert (done.code, checked.code) == (0, 0), done.err
        assert "[model]" in done.out


MOVED_IN = """CREATE TABLE people (pid text, home text, ill bool, at timestamptz);
INSERT INTO people VALUES
    ('a1', 'Elm 1', true, '2020-01-01T00:30+01:00'), ('a2', 'elm 1', false, '2020-01-01T12:00+01:00'),
    ('a3', 'Oak 2', NULL, '2020-01-02T00:30+01:00'), ('a3', 'Oak 2', true, '2020-01-03T00:30+01:00')"""


def test_a_table_of_postgresql_is_checked(run: Run, database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(MOVED_IN)
    roles = ("--household", "home", "--person", "pid", "--value", "ill", "--table", "people")
    done = run("check", database, *roles, "--json")
    found = json.loads(done.out)
    assert done.code == 2
    assert (found["table"], found["rows"], found["usable"]) == ("people", 4, False)
    assert {each["column"]: each["holds"] for each in found["columns"]} == {
        "pid": "texts",
        "home": "texts",
        "ill": "truth values",
        "at": "times in UTC",
    }
    assert found["household_sizes"] == [{"size": 1, "households": 2}, {"size": 2, "households": 1}]
    kinds = {(each["severity"], each["kind"], each["column"], each["count"]) for each in found["findings"]}
    assert kinds == {
        ("error", "missing", "ill", 1),
        ("error", "repeated", "pid", 1),
        ("warning", "near", "home", 1),
    }
    # A database has no order, so that no row has a number; and no message has the password, or a cell.
    assert all(each["rows"] == [] for each in found["findings"])
    said = run("check", database, *roles)
    assert not any(cell in said.out + said.err for cell in ("open", "Elm", "Oak", "a3"))
    assert run("check", database, "--table", "nobody").code == 2


@pytest.mark.parametrize("url", ["postgresql://ana:sesame@127.0.0.1:1", "postgresql://127.0.0.1:1/d?password=sesame"])
def test_a_check_of_a_url_shows_no_password(run: Run, url: str) -> None:
    for asked in (("check", url), ("check", url, "--table", "people"), ("check", url, "--json")):
        done = run(*asked)
        assert done.code == 2
        assert "sesame" not in done.out + done.err


def test_times_of_postgresql_are_compared_in_utc(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(MOVED_IN)
        connection.execute("ALTER DATABASE " + database.rpartition("/")[2] + " SET TimeZone = 'Europe/Berlin'")
    counted = {}
    for operand in ("2020-01-01", "2020-01-01T00:00", "2020-01-01T00:00+01:00"):
        source = Source.model_validate({"table": "people", "value": {"column": "at", "at_least": operand}})
        tally = open_people(source, table=database).tally()
        counted[operand] = sum(count for (_, value), count in tally.items() if value == 1)
    assert counted == {"2020-01-01": 3, "2020-01-01T00:00": 3, "2020-01-01T00:00+01:00": 4}
