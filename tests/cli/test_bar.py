"""The bar of long work: on a terminal alone."""

import io
from threading import Event

import pytest

from dalenius.cli import output


class Terminal(io.StringIO):
    """shown: once the text is in it."""

    def __init__(self, terminal: bool, text: str) -> None:
        super().__init__()
        self._terminal, self._text, self.shown = terminal, text, Event()

    def isatty(self) -> bool:
        return self._terminal

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._text in self.getvalue():
            self.shown.set()
        return written


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal(True, "opening")
    monkeypatch.setattr("sys.stderr", seen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    monkeypatch.setattr(output, "EVERY", 0.01)
    with output.working("opening"):
        assert seen.shown.wait(20)


def test_in_a_pipe_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal(False, "opening")
    monkeypatch.setattr("sys.stderr", seen)
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    with output.working("opening"):
        assert not seen.shown.wait(0.1)
    assert seen.getvalue() == ""


def test_what_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal(True, "attacking")
    monkeypatch.setattr("sys.stderr", seen)
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    with output.counting("attacking", 10) as done:
        done(5)
        assert seen.shown.wait(20)
