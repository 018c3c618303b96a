"""Tables for terminals of 60 and 80 columns: no line is wider, no word that fits is broken, nothing is left out."""

from collections import Counter

import pytest

from dalenius.cli import output
from dalenius.cli.output import print_table, say

COLUMNS = ["method", "sound", "noise", "error", "× least"]
ROW = ["dependence_coefficient_closed", "yes [14]", "geometric 83.2915", "0.000273372", "over 10,000"]
HASH = "0123456789abcdef" * 4


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


def test_names_and_values_with_a_hash(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    print_table("Certificate", ["", ""], [["recorded", f"entry 2 of the ledger, hash {HASH}"], ["budget", "0 left"]])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    assert HASH in "".join(each for each in shown if each in "0123456789abcdef"), "folded, for it is no word"


def test_a_paragraph(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = "most: no chance grows more than 2.719-fold, one of 1 % stays at or below 2.72 % " * 3
    say(text)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    assert shown.split() == text.split()


def test_in_a_pipe_a_paragraph_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("word " * 100)
    assert capsys.readouterr().out.count("\n") == 1
