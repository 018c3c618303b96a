"""The commands of the first hour on a terminal of 60, 80 and 120 columns, in three encodings: no line is wider, nothing
is said on standard error but advice, and every letter can be written."""

import os
from pathlib import Path

import pytest

from tests.cli.command import Done
from tests.cli.terminal import ESCAPES, on_terminal
from tests.first_hour import inside
from tests.first_hour.pages import HELP, typed, write_files

WIDTHS = (60, 80, 120)
ENCODINGS = {
    "UTF-8": {"LC_ALL": "C.UTF-8"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
WRITTEN = {"UTF-8": "utf-8", "cp1252": "cp1252", "C": "ascii"}
TYPED = typed()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody has who reads the pages."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)


def looks_right(done: Done, width: int) -> None:
    assert done.code == 0, done
    assert all(line.startswith("dalenius: advice: ") for line in done.err.splitlines()), done.err
    assert done.out.strip()
    assert max(map(len, ESCAPES.sub("", done.out).split("\n"))) <= width, done.out


@pytest.mark.parametrize("place", range(len(HELP)))
def test_help_at_every_width(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for turn, width in enumerate(WIDTHS):
        monkeypatch.setenv("COLUMNS", str(width))
        encoding = list(WRITTEN.values())[(place + turn) % 3]
        looks_right(inside.run(HELP[place], encoding=encoding), width)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(TYPED)))
@pytest.mark.parametrize("turn", range(len(WIDTHS)))
def test_pages_at_every_width(place: int, turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTHS[turn]))
    encoding = list(WRITTEN.values())[(place + turn) % 3]
    looks_right(inside.run(TYPED[place], encoding=encoding), WIDTHS[turn])


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_real_terminal(width: int, encoding: str) -> None:
    place = WIDTHS.index(width) * len(ENCODINGS) + list(ENCODINGS).index(encoding)
    environment = {key: each for key, each in os.environ.items() if not key.startswith("LC_")} | ENCODINGS[encoding]
    for arguments in (HELP[place], TYPED[place % 2]):
        looks_right(on_terminal(width, *arguments, environment=environment, encoding=WRITTEN[encoding]), width)


def test_the_commands_of_the_readme_are_among_them() -> None:
    assert TYPED[:2] == [["audit", "households.toml"], ["calibrate", "households.toml"]]
