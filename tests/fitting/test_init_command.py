"""`dalenius init` and `dalenius example`: what they write is served as it stands, and nothing is written over."""

from pathlib import Path

import pytest

from dalenius.cli.example import examples, first_line
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
    assert done.out.splitlines()[0] == "wrote spec.toml"
    assert run("calibrate", "spec.toml", "--json").json["sound"] is True


BAD = {
    ("--rows", "cats"): "--rows: cats, wanted people or days",
    (): "--count: missing, wanted how many rows there are, or a table (--data)",
    ("--rows", "days", "--data", "a.csv"): "--count: missing, wanted how many days there are",
    ("--rows", "absent"): "--rows: absent, wanted people or days (who is absent: dalenius example absent)",
    ("--rows", "people", "--count", "1"): "--count: 1, wanted a whole number of at least 2",
    ("--rows", "people", "--count", "9", "--factor", "inf"): "--factor: inf, wanted a finite number above 1",
    ("--rows", "days", "--count", "9", "--label", "x"): "--label: x, wanted none with these rows",
    ("--rows", "people", "--count", "9", "--household", "x"): "--household: x, wanted a table (--data)",
}


def test_bad_input(run: Run) -> None:
    assert {flags: complaint(run("init", *flags))[: len(said)] for flags, said in BAD.items()} == BAD
    assert not Path("spec.toml").exists()


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
