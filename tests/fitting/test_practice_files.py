"""`dalenius init --practise`: a table drawn from the model with a seed, on which commands run, and which is marked."""

import csv
import re
from pathlib import Path

import pytest

from dalenius.cli.practice_files import cells_of
from dalenius.errors import InputError
from dalenius.spec.condition import Condition
from dalenius.spec.practice import PRACTICE
from tests.cli.command import Run, complaint

HEAD = "home,ward,pid,ill"
ROWS = [f"h{k // 3},{'north' if k < 90 else 'south'},p{k},{int(k % 5 == 0)}" for k in range(180)]
FLAGS = ("--household", "home", "--label", "ward", "--person", "pid")


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a folder with a table."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("\n".join([HEAD, *ROWS]) + "\n", encoding="utf-8")


def rows(name: str = "spec_practice.csv") -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.lengthy
def test_it_has_the_people_of_the_table_and_none_of_their_values(run: Run) -> None:
    assert run("init", "people.csv", "--practise", *FLAGS).code == 0
    first = Path("spec_practice.csv").read_bytes()
    drawn = rows()
    assert sorted(row["ward"] for row in drawn) == sorted(row.split(",")[1] for row in ROWS)
    homes: dict[str, list[str]] = {}
    for row in drawn:
        homes.setdefault(row["home"], []).append(row["ward"])
    assert sorted(map(sorted, homes.values())) == sorted([ward] * 3 for ward in ("north", "south") for _ in range(30))
    assert {row["practice"] for row in drawn} == {"yes"}
    assert len({row["pid"] for row in drawn}) == 180
    # Everybody's value is another one, but one of each is there, so that the spec is the same.
    other = [HEAD, *(f"{row[:-1]}{1 - int(row[-1])}" for row in ROWS)]
    Path("people.csv").write_text("\n".join(other) + "\n", encoding="utf-8")
    assert run("init", "people.csv", "--practise", "--force", *FLAGS).code == 0
    assert Path("spec_practice.csv").read_bytes() == first
    assert run("init", "people.csv", "--practise", "--force", "--seed", "7", *FLAGS).code == 0
    assert Path("spec_practice.csv").read_bytes() != first


@pytest.mark.lengthy
def test_all_commands_run_and_all_say_that_it_is_practice(run: Run) -> None:
    assert run("init", "people.csv", "--practise", *FLAGS).code == 0
    for command in (("calibrate",), ("compare",), ("check",), ("release", "--cost")):
        assert run(command[0], "spec_practice.toml", *command[1:]).code == 0, command
    done = run("release", "spec_practice.toml", "--json").json
    assert done["practice"] == done["certificate"]["practice"] == PRACTICE
    shown = run("release", "spec_practice.toml")
    assert "Practice" in shown.out.splitlines()[0]
    assert "they are about nobody" in re.sub(r"[\s│]+", " ", shown.out)
    ledger = "spec_practice.csv.ledger.sqlite"
    assert run("sheet", ledger, "--entry", "3", "--out", "s.html").code == 0 or _entry(run, ledger)
    assert run("explain", "spec_practice.toml", "--out", "e.html").code == 0
    assert "PRACTICE" in Path("e.html").read_text(encoding="utf-8")
    assert not Path("people.csv.ledger.sqlite").exists(), "the data have no ledger yet"
    assert run("calibrate", "spec.toml").code == 0


def _entry(run: Run, ledger: str) -> bool:
    """Whether a sheet of the only answer can be written, whatever its number."""
    number = re.search(r"with answers: (\d+)", complaint(run("sheet", ledger, "--entry", "3", "--out", "s.html")))
    assert number is not None
    assert run("sheet", ledger, "--entry", number[1], "--out", "s.html").code == 0
    return "PRACTICE" in Path("s.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "flags", [("--household", "home", "--count", "50"), ("--rows", "days", "--count", "30"), ("--count", "40")]
)
def test_without_a_table_the_number_of_people_is_stated(run: Run, flags: tuple[str, ...]) -> None:
    assert run("init", "alone.toml", "--practise", *flags).code == 0
    assert len(rows("alone_practice.csv")) == int(flags[-1])
    assert run("release", "alone.toml", "--json").json["practice"] == PRACTICE


@pytest.mark.lengthy
def test_the_value_is_written_as_the_condition_reads_it(run: Run) -> None:
    text = "\n".join(["home,fell ill", *(f"h{k // 2},{'ja' if k % 3 else 'nein'}" for k in range(60))]) + "\n"
    Path("people.csv").write_text(text, encoding="utf-8")
    assert run("init", "people.csv", "--practise", "--household", "home").code == 0
    assert {row["fell ill"] for row in rows()} == {"ja", "not ja"}
    assert run("release", "spec_practice.toml", "--json").code == 0


@pytest.mark.parametrize(
    ("condition", "cells"),
    [
        ({"equals": 1}, (0, 1)),
        ({"equals": 0}, (1, 0)),
        ({"one_of": [0, 3]}, (4, 0)),
        ({"one_of": ["a", "b"]}, ("not a", "a")),
        ({"above": 3}, (3, 4)),
        ({"at_least": 3}, (2, 3)),
        ({"below": 3}, (3, 2)),
        ({"at_most": 3}, (4, 3)),
    ],
)
def test_cells_of_a_condition(condition: dict[str, object], cells: tuple[object, object]) -> None:
    assert cells_of(Condition(column="x", **condition)) == cells


def test_a_comparison_of_dates_has_no_cells() -> None:
    with pytest.raises(InputError, match="--value: 1861-11-20, wanted a number, or equals, to practise with"):
        cells_of(Condition(column="x", above="1861-11-20"))


BAD = {
    ("alone.toml",): "--count: missing, wanted how many rows there are, or a table",
    ("alone.toml", "--household", "home"): "--count: missing, wanted the number of people to practise on, or a table",
    ("alone.toml", "--rows", "records", "--count", "9", "--label", "ward"): "--label: ward, wanted a table to read the",
    ("alone.toml", "--count", "3000000"): "--practise: 3,000,000 people, wanted fewer: limit curator.practice_people",
}


def test_bad_input_writes_nothing(run: Run) -> None:
    assert {flags: complaint(run("init", *flags, "--practise"))[: len(said)] for flags, said in BAD.items()} == BAD
    assert sorted(each.name for each in Path().iterdir()) == ["people.csv"]


def test_nothing_is_written_over(run: Run) -> None:
    Path("spec_practice.csv").write_text("mine\n", encoding="utf-8")
    said = complaint(run("init", "people.csv", "--practise", *FLAGS))
    assert said == "spec: spec_practice.csv, wanted a file that is not there yet, or --force"
    assert not Path("spec.toml").exists()
    Path("spec_practice.csv").write_text("\n".join([HEAD, *ROWS]) + "\n", encoding="utf-8")
    said = complaint(run("init", "spec_practice.csv", "--practise", "--force", *FLAGS))
    assert said.startswith(
        "--practise: spec_practice.csv, wanted a spec of another name: this file is the table itself"
    )


@pytest.mark.lengthy
def test_practice_and_data_are_not_mistaken_for_each_other(run: Run) -> None:
    assert run("init", "people.csv", "--practise", *FLAGS).code == 0
    said = complaint(run("release", "spec_practice.toml", "--data", "people.csv"))
    assert said.startswith("data.where row 1: practice, wanted one of the columns home, ward, pid, ill")
    assert run("release", "spec.toml").code == 0
    said = complaint(run("release", "spec_practice.toml", "--ledger", "people.csv.ledger.sqlite"))
    assert said == (
        "ledger: people.csv.ledger.sqlite, wanted a ledger of practice alone: this one has data set 'people'"
    )
    spec = Path("spec_practice.toml").read_text(encoding="utf-8")
    for line in ('name = "practice of people"\n', 'where = [{ column = "practice", equals = "yes" }]\n'):
        Path("other.toml").write_text(spec.replace(line, ""), encoding="utf-8")
        said = complaint(run("release", "other.toml"))
        assert said.startswith("data: ") or said.startswith("data")
        assert (
            'wanted a name that begins with "practice", and where = [{ column = "practice", equals = "yes" }]' in said
        )
