"""Tables for terminals of 60 and 80 columns: no line is wider, no word is broken, nothing is left out."""

import pytest

from dalenius.cli import output
from dalenius.cli.layout import wrapped
from dalenius.cli.output import print_table, say

COLUMNS = ["method", "sound", "noise", "error", "× least"]
ROW = ["dependence_coefficient_closed", "yes [14]", "geometric 83.2915", "0.000273372", "over 10,000"]


@pytest.fixture(params=[60, 80])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Of the terminal that standard output is."""
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("NO_COLOR", "1")
    return int(request.param)


@pytest.mark.parametrize("rows", [[ROW], [["word " * 40] * 5]])
def test_no_word_is_broken_and_no_line_is_wider(
    width: int, capsys: pytest.CaptureFixture[str], rows: list[list[str]]
) -> None:
    print_table("What every method would add, and whether it is sound here: a title as long as that", COLUMNS, rows)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    for word in {word for row in rows for cell in row for word in cell.split()}:
        assert word in shown.replace("│", " ").split(), shown


def test_a_paragraph(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = "most: no chance grows more than 2.719-fold, one of 1 % stays at or below 2.72 % " * 3
    say(text)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    assert shown.split() == text.split()


def test_in_a_pipe_a_paragraph_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("word " * 100)
    assert capsys.readouterr().out.count("\n") == 1


def test_wrapping_breaks_no_word() -> None:
    assert wrapped("a-b c_d/e " + "f" * 20, 8, "  ") == ["a-b", "  c_d/e", "  " + "f" * 20]
