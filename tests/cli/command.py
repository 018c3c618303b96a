"""The installed command, run as users run it; and in this process, where only its complaint is wanted."""

import csv
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from dalenius.cli.main import main
from tests.cli import warm
from tests.pace import Pace

COMMAND = Path(sys.executable).with_name("dalenius")
EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


Run: TypeAlias = Callable[..., Done]
"""Arguments to what the command, in this process, has done with them: the fixture `run`."""


def dalenius(*arguments: str | Path) -> Done:
    """A process of its own: the installed command (a second or more), its output in pipes. In the quick suite it is
    forked from one that has started already."""
    return installed(*arguments) if Pace.full else Done(*warm.run([str(each) for each in arguments]))


def installed(*arguments: str | Path) -> Done:
    """The installed command in either suite, for what is decided when it starts."""
    done = subprocess.run(
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


@cache
def dalenius_once(*arguments: str | Path) -> Done:
    """The same, for commands that write nothing: run once, looked at by several tests."""
    return dalenius(*arguments)


def here(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> Done:
    """The command's own entry point, called in this process."""
    monkeypatch.setattr(sys, "argv", ["dalenius", *map(str, arguments)])
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as stopped:
            main()
    finally:
        signal.signal(signal.SIGINT, before)
    out, err = capsys.readouterr()
    return Done(stopped.value.code if isinstance(stopped.value.code, int) else 1, out, err)


def written(folder: Path, *parts: str) -> Path:
    """A spec there, of these parts."""
    path = folder / "spec.toml"
    path.write_text("".join(parts), encoding="utf-8")
    return path


def sections(folder: Path, given: dict[str, Any]) -> Path:
    """A spec there, as JSON."""
    path = folder / "spec.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    return path


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def complaint(done: Done, code: int = 2) -> str:
    """The one line of a refusal, without the command's name; asserts that there is nothing else."""
    assert done.code == code, done
    # With --json the same refusal is JSON on standard output.
    if done.out:
        assert f"dalenius: {json.loads(done.out)['error']['message']}\n" == done.err
    assert done.err.startswith("dalenius: "), done.err
    assert done.err.endswith("\n"), done.err
    assert done.err.count("\n") == 1, done.err
    return done.err.removeprefix("dalenius: ").rstrip("\n")
