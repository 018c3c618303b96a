"""The commands of the first hour on a terminal of 60, 80 and 120 columns, in three encodings: no line is wider, nothing
is said on standard error but advice, and every letter can be written."""

from itertools import product
from pathlib import Path

import pytest

from tests.cli.command import Done
from tests.cli.terminal import ESCAPES
from tests.first_hour import inside
from tests.first_hour.pages import HELP, typed

WIDTHS = (60, 80, 120)
WRITTEN = {"UTF-8": "utf-8", "cp1252": "cp1252", "C": "ascii"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def looks_right(done: Done, width: int) -> None:
    assert done.code == 0, done
    assert all(line.startswith("dalenius: advice: ") for line in done.err.splitlines()), done.err
    assert done.out.strip()
    lines = ESCAPES.sub("", done.out).split("\n")
    assert all(len(line) <= width or " " not in line for line in lines), done.out  # a hash is not broken


def test_help_at_every_width(monkeypatch: pytest.MonkeyPatch) -> None:
    for place, turn in product(range(len(HELP)), range(len(WIDTHS))):
        monkeypatch.setenv("COLUMNS", str(WIDTHS[turn]))
        looks_right(inside.run(HELP[place], encoding=list(WRITTEN.values())[(place + turn) % 3]), WIDTHS[turn])


def test_the_commands_of_the_readme_are_among_them(folder: Path) -> None:
    pages = typed(folder)
    assert [next(pages), next(pages)] == [
        ["audit", "households.toml", "--how-likely"],
        ["calibrate", "households.toml"],
    ]
