"""`dalenius init` and `dalenius example`: what they write is served as it stands, and nothing is written over."""

import io
import tomllib
from pathlib import Path

import pytest

from dalenius.cli.example import examples, first_line
from dalenius.tables.first_look import encoding_in, pair_in
from tests.cli.command import Run, complaint

ROWS = [
    "person,home,ward,ill",
    *(f"{k},h{k // 3},{'north' if k < 9 else 'south'},{int(k % 5 == 0)}" for k in range(18)),
]
TABLE = "\n".join(ROWS) + "\n"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a folder with a table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")


HOMES = ("--data", "people.csv", "--value", "ill", "--household", "home")


@pytest.mark.parametrize(
    "flags", [("people", *HOMES, "--label", "ward"), ("people", "--count", "40"), ("days", "--count", "12")]
)
def test_what_it_writes_is_served(run: Run, flags: tuple[str, ...]) -> None:
    done = run("init", "--rows", *flags)
    assert done.code == 0
    assert done.out.splitlines()[-2] == "wrote spec.toml"
    assert run("calibrate", "spec.toml", "--json").json["sound"] is True


BAD = {
    ("--rows", "cats"): "--rows: cats, wanted people, records, days, households",
    (): "--count: missing, wanted how many rows there are, or a table (--data)",
    ("--rows", "days"): "--count: missing, wanted how many days there are, or a table (--data)",
    ("a.csv",): "data.file: ",
    ("people.csv", "--household", "hom"): "data.household: hom, wanted one of the columns person, home, ward, ill (did",
    ("people.csv", "--value", "ward"): '--value: ward, wanted a condition, as \'{ column = "ward", equals',
    ("people.csv", "--value", '{ column = "ward", equals = "west" }'): "--value: west, wanted a text that a row of",
    ("people.csv", "--rows", "households", "--label", "ward"): "--label: ward, wanted none with these rows",
    ("--rows", "absent"): "--rows: absent, wanted people, records, days, households (who is absent: dalenius example",
    ("--rows", "people", "--count", "1"): "--count: 1, wanted a whole number of at least 2",
    ("--rows", "people", "--count", "9", "--factor", "inf"): "--factor: inf, wanted a finite number above 1",
    ("--rows", "days", "--count", "9", "--label", "x"): "--label: x, wanted none with these rows",
    ("--rows", "people", "--count", "9", "--household", "x"): "--household: x, wanted a table (--data)",
}


def test_bad_input(run: Run) -> None:
    assert {flags: complaint(run("init", *flags))[: len(said)] for flags, said in BAD.items()} == BAD
    assert not Path("spec.toml").exists()


GERMAN = [
    "Person;Haushalts-Nr;Bezirk;Erkrankt?;Größe",
    *(
        f"{k:03d};{k // 3:02d};{'Köln' if k < 15 else 'Bad Röderau'};{'ja' if k % 4 else 'nein'};1,{k}"
        for k in range(30)
    ),
]


@pytest.mark.parametrize("rows", ["people", "records", "households", "days"])
def test_a_german_export_is_looked_at_and_served(run: Run, rows: str) -> None:
    Path("cases.csv").write_bytes("\n".join(GERMAN).encode("cp1252"))
    done = run("init", "cases.csv", "--rows", rows)
    assert done.code == 0, done.err
    assert "30 rows (encoding cp1252, a semicolon between cells, decimal commas)" in done.out
    read = tomllib.loads(Path("spec.toml").read_text(encoding="utf-8"))
    condition = {"column": "Erkrankt?", "equals": "ja"}
    people = {"person": "Person"} if rows in ("people", "households") else {}
    text = {"file": "cases.csv", "encoding": "cp1252", "decimal": ","}
    assert read["data"] == {**text, "value": condition, **people}
    assert ("households by size: 10 of 3" in done.out) == (rows in ("people", "households"))
    calibrated = run("calibrate", "spec.toml", "--json").json
    assert calibrated["sound"] is True
    if rows == "people":
        assert "column Bezirk may be a public label" in done.err
        assert run("release", "spec.toml", "--json").json["answers"]


def test_labels_without_households_are_counted(run: Run) -> None:
    assert run("init", "people.csv", "labels.toml", "--rows", "records", "--label", "ward").code == 0
    read = tomllib.loads(Path("labels.toml").read_text(encoding="utf-8"))
    assert [(each["count"], each["members"]) for each in read["model"]["types"]] == [
        (9, {"north": 1}),
        (9, {"south": 1}),
    ]


def test_five_questions_are_asked_again_until_they_are_answered(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("cases.csv").write_bytes("\n".join(GERMAN).encode("cp1252"))
    answers = ["nobody", "person", "Größe2", "", "-", "", "Bezirk", "one", "3"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(answers) + "\n"))
    done = run("init", "cases.csv", "--interactive")
    assert done.code == 0, done.err
    assert done.out.count("1 of 5: is the unit a record, a day, a person or a household? [person]") == 2
    assert "Größe2, wanted one of the columns" in done.out
    read = tomllib.loads(Path("spec.toml").read_text(encoding="utf-8"))
    assert read["data"]["value"] == {"column": "Erkrankt?", "equals": "ja"}
    monkeypatch.setattr("sys.stdin", io.StringIO("person\n"))
    ended = run("init", "cases.csv", "e.toml", "--interactive")
    assert (ended.code, "--interactive: the end of the input, wanted an answer" in ended.err) == (2, True)
    assert not Path("e.toml").exists()


def test_an_encoding_is_found_far_into_a_file(tmp_path: Path) -> None:
    for encoding in ("cp1252", "utf-8"):
        text = "home,name\n" + "1,x\n" * 400_000 + "1,Müller\n2,Größe\n3,Jäger\n"
        (tmp_path / "far.csv").write_bytes(text.encode(encoding))
        assert encoding_in(tmp_path / "far.csv") == (None if encoding == "utf-8" else encoding)


def test_words_for_yes_and_no_are_of_one_language() -> None:
    assert pair_in(["oui", "NON"]) == ("oui", "NON")
    assert pair_in(["nein"]) == ("", "nein")
    assert pair_in(["ja", "non"]) is None
    assert pair_in([]) is None
    assert pair_in(["ja", "nein", "weiß nicht"]) is None


def test_nothing_is_written_over(run: Run) -> None:
    Path("spec.toml").write_text("mine", encoding="utf-8")
    again = ["init", "--rows", "people", "--count", "9"]
    assert complaint(run(*again)) == "spec: spec.toml, wanted a file that is not there yet, or --force"
    assert Path("spec.toml").read_text(encoding="utf-8") == "mine"
    assert run(*again, "--force").code == 0
    assert Path("spec.toml").read_text(encoding="utf-8") != "mine"


def test_the_examples_are_listed_and_written_whole(run: Run) -> None:
    shown = run("example").out
    assert {"outbreak", "pair", "asia"} <= set(examples())
    for name, files in examples().items():
        assert f" {name} " in shown
        assert first_line(name).endswith(".")
        assert run("example", name, "--out", name).code == 0
        assert {path.name for path in Path(name).iterdir()} == {path.name for path in files}
    assert run("audit", "pair/pair.toml", "--json").code == 0
    assert run("audit", "asia/asia.toml", "--json").code == 0
    assert run("example", "pair", "--out", "elsewhere").out.endswith("try: dalenius audit elsewhere/pair.toml\n")


def test_an_example_is_written_whole_or_not_at_all(run: Run) -> None:
    Path("o").mkdir()
    Path("o/people.csv").write_text("mine", encoding="utf-8")
    assert (
        complaint(run("example", "outbreak", "--out", "o")) == "--out: o/people.csv, wanted a folder without that file"
    )
    assert [path.name for path in Path("o").iterdir()] == ["people.csv"]
    assert complaint(run("example", "outbreak", "--out", "people.csv")).startswith(
        "--out: people.csv, wanted a folder "
    )
    assert complaint(run("example", "cats")).startswith("example: cats, wanted one of absent, adult, asia, ")
