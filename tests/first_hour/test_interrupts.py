"""Ctrl-C at fifty moments, while libraries are imported and while there is work: one line, exit code 130, and nothing
half-written.

The moments begin where the command's own module does. What is before it is not ours to catch: Python's start (17 ms of
a processor's time where all this was measured), of which the first half is an end by the signal without a word, the
second a traceback of `site`; the `re` that some versions of pip import in the script they write (14 ms); and finding
`dalenius` and its `__main__` (2 ms).
"""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Final

import pytest

from tests.cli.command import EXAMPLES
from tests.first_hour import inside

READY: Final = "import os; from dalenius.__main__ import main; os.write(1, b'.'); main()"
LONGEST: Final = 2.5
"""Seconds: most of what is asked has ended by then."""
MOMENTS: Final = [Random(f"moment {place}").uniform(0.0, LONGEST) for place in range(50)]
SPEC: Final = "outbreak.toml"
ASKED: Final[dict[str, list[str]]] = {
    "release": ["release", SPEC, "--ledger", "l.sqlite", "--json"],
    "picture": ["audit", "pair.toml", "--tail", "tail.svg"],
    "page": ["explain", "pair.toml", "--out", "page.html"],
    "compare": ["compare", SPEC],
}


def _ledger(path: Path) -> None:
    assert inside.run(["ledger", "verify", str(path)], screen=False).code == 0
    with sqlite3.connect(path) as ledger:
        assert ledger.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _ends_with(words: str) -> Callable[[Path], None]:
    def check(path: Path) -> None:
        assert path.read_text(encoding="utf-8").rstrip().endswith(words), path

    return check


def _whole_table(path: Path) -> None:
    *rows, last = path.read_text(encoding="utf-8").split("\n")
    assert last == ""
    assert len({row.count(",") for row in rows}) == 1


def _head(path: Path) -> None:
    assert set(json.loads(path.read_text(encoding="ascii"))) == {"entries", "hash"}


WHOLE: Final = {
    "l.sqlite": _ledger,
    "l.sqlite.head": _head,
    "tail.svg": _ends_with("</svg>"),
    "tail.csv": _whole_table,
    "page.html": _ends_with("</html>"),
}
"""Files that are written, each whole or not there."""


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(MOMENTS)))
def test_at_any_moment(place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = copytree(EXAMPLES / "outbreak", tmp_path / "room")
    (room / "pair.toml").write_text((EXAMPLES / "pair.toml").read_text(encoding="utf-8"), encoding="utf-8")
    before = {path.name for path in room.iterdir()}
    code, out, err = interrupted(list(ASKED.values())[place % len(ASKED)], room, MOMENTS[place])
    if code == 0:  # it had ended
        assert err == b""
    else:
        assert (code, err) == (130, b"dalenius: stopped\n"), (out, err)
    monkeypatch.chdir(room)
    for path in room.iterdir():
        if path.name not in before:
            assert path.name in WHOLE, f"{path.name} is left"
            WHOLE[path.name](path)


def test_nothing_is_imported_before_ctrl_c_is_heard() -> None:
    new = "import sys; before = set(sys.modules); import dalenius.__main__; print(*sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-c", new], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["dalenius", "dalenius.__main__"]


def interrupted(arguments: list[str], room: Path, moment: float) -> tuple[int, bytes, bytes]:
    """Exit code and output of the command, which gets a SIGINT so many seconds after Python has started."""
    command = [sys.executable, "-c", READY, *arguments]
    with subprocess.Popen(
        command, cwd=room, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_in_front
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"."
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def _in_front() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
