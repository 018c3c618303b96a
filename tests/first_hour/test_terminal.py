"""The commands of the first hour on a terminal of 60, 80 and 120 columns, in three encodings: no line is wider, nothing
is said on standard error but advice, and every letter can be written."""

import os
from itertools import islice, product
from pathlib import Path

import pytest

from tests.cli.command import Done
from tests.cli.terminal import ESCAPES, on_terminal
from tests.first_hour import inside
from tests.first_hour.pages import HELP, typed

WIDTHS = (60, 80, 120)
ENCODINGS = {
    "UTF-8": {"LC_ALL": "C.UTF-8"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
WRITTEN = {"UTF-8": "utf-8", "cp1252": "cp1252", "C": "ascii"}
LONG = ("compare", "explain")
"""Each at one width only."""


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


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(len(WIDTHS)))
def test_pages_at_every_width(turn: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTHS[turn]))
    for place, arguments in enumerate(typed(folder)):
        if arguments[0] not in LONG or LONG.index(arguments[0]) == turn:
            looks_right(inside.run(arguments, encoding=list(WRITTEN.values())[(place + turn) % 3]), WIDTHS[turn])


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(WIDTHS)))
def test_a_real_terminal(place: int, folder: Path) -> None:
    width, (encoding, more) = WIDTHS[place], list(ENCODINGS.items())[place]
    environment = {key: each for key, each in os.environ.items() if not key.startswith("LC_")} | more
    for arguments in (HELP[place], *islice(typed(folder), 2)):
        looks_right(on_terminal(width, *arguments, environment=environment, encoding=WRITTEN[encoding]), width)


def test_the_commands_of_the_readme_are_among_them(folder: Path) -> None:
    pages = typed(folder)
    assert [next(pages), next(pages)] == [
        ["audit", "households.toml", "--how-likely"],
        ["calibrate", "households.toml"],
    ]
