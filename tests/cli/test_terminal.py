"""What `compare` shows on a terminal of 80 columns; other commands and widths are in tests/first_hour.

Tables for terminals of 60 and 80 columns: no line is wider, no word that fits is broken, nothing is left out.

The bar of long work on a terminal; that there is none in a pipe is in test_progress.py.
"""

import io
from collections import Counter
from threading import Event

import pytest

from dalenius.cli import output
from dalenius.cli.output import print_table, say
from tests.cli.command import EXAMPLES
from tests.cli.terminal import on_terminal


@pytest.mark.slow
def test_a_comparison_is_one_screen() -> None:
    done = on_terminal(80, "compare", EXAMPLES / "outbreak/outbreak.toml")
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│ yes" in line or "│ NO [" in line]
    order = [row[0] for row in rows]
    assert (order[0], rows[0][4]) == ("exact", "1"), "the least noise that one would use"
    unsound = [row[1].startswith("NO") for row in rows]
    assert unsound == sorted(unsound), "what is not sound comes last, whatever its error"
    assert unsound[-1]
    sound = order[: unsound.index(True)]
    assert "optimal" not in sound[:-2], (
        "what leaks without bound to an adversary who knows all others is the last of these"
    )
    assert lines[-1] == "17 more do not apply: --all says why, and why each is sound"


COLUMNS = ["method", "sound", "noise", "error", "× least"]
ROW = ["dependence_coefficient_closed", "yes [14]", "geometric 83.2915", "0.000273372", "over 10,000"]


@pytest.fixture(params=[60, 80])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Of the terminal that standard output is."""
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("NO_COLOR", "1")
    return int(request.param)


@pytest.mark.parametrize("rows", [[ROW], [ROW, *([[ROW[0], "no", "a " * 30, *ROW[3:]]] * 2)], [["word " * 40]] * 5])
def test_no_word_is_broken_and_no_line_is_wider(
    width: int, capsys: pytest.CaptureFixture[str], rows: list[list[str]]
) -> None:
    title = "What every method would add, and whether it is sound here: a title as long as that"
    print_table(title, COLUMNS[: len(rows[0])], rows)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    said = shown.replace("│", " ")
    words = [word for row in rows for cell in row for word in cell.split()]
    if width == 80 or len(rows[0]) == 1:
        assert set(words) <= set(said.split()), shown
    letters = Counter("".join((title, *COLUMNS[: len(rows[0])], *words)).replace(" ", ""))
    assert letters <= Counter(said), "nothing is left out, where words are broken either"


def test_a_paragraph(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = "most: no chance grows more than 2.719-fold, one of 1 % stays at or below 2.72 % " * 3
    say(text)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    assert shown.split() == text.split()


class Terminal(io.StringIO):
    """shown: once the text is in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text, self.shown = text, Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._text in self.getvalue():
            self.shown.set()
        return written


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal("opening")
    monkeypatch.setattr("sys.stderr", seen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(output, "BAR_AFTER", 0.0)
    monkeypatch.setattr(output, "LOOK_EVERY", 0.01)
    with output.working("opening"):
        assert seen.shown.wait(20)
