"""Ten thousand specs, tables and options that somebody mistyped: exit 0, 1 or 2, no traceback, no line wider than the
terminal, one line per error, none that goes on for ever, and what is wrong said soon (`inside`).

What the mutations have found is kept as cases of tests/cli, with what is said now.
"""

import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.command import Done
from tests.cli.terminal import ESCAPES
from tests.first_hour import inside
from tests.first_hour.mutations import Case, case_of

CASES = 10_000
AT_ONCE = 100
QUICK = 24
WIDTHS = (60, 80, 120)
ENCODINGS = ("utf-8", "cp1252", "ascii")
LINE = re.compile(r"dalenius: \S.{0,1500}")
FILES = ("fit",)
"""What it prints is a file, whose lines are as long as they are."""
REPORTS = ("check",)
"""What it prints says what is wrong, so that it prints that before it ends with 2."""


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def test_a_few() -> None:
    for seed in range(QUICK):
        tried(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, CASES, AT_ONCE))
def test_ten_thousand(first: int) -> None:
    for seed in range(first, min(first + AT_ONCE, CASES)):
        tried(seed)


def tried(seed: int) -> None:
    """The case of this seed, on a terminal of one of the widths and encodings; AssertionError shows all of it."""
    case, width, encoding = case_of(seed), WIDTHS[seed % 3], ENCODINGS[seed // 3 % 3]
    for path in Path().iterdir():
        path.unlink()
    for name, text in case.files.items():
        Path(name).write_bytes(text)
    os.environ["COLUMNS"] = str(width)
    try:
        done = inside.run(case.arguments, encoding=encoding)
    except BaseException as error:
        raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}\n{case}") from error
    wrong = complaint_of(case, done, width)
    assert wrong is None, f"seed {seed}: {wrong}\n{case}\n{done}"


def _is_refusal(case: Case, out: str) -> bool:
    """Whether JSON was asked for, and says what was refused."""
    if "--json" not in case.arguments:
        return False
    found = json.loads(out)
    return list(found) == ["error"] and {"exit_code", "message"} <= set(found["error"])


def complaint_of(case: Case, done: Done, width: int) -> str | None:
    """What is wrong with this end."""
    said = done.err.splitlines()
    if done.code not in (0, 1, 2):
        return f"exit code {done.code}"
    if not all(map(LINE.fullmatch, said)):
        return "something else than a line on standard error"
    errors = [line for line in said if not line.startswith("dalenius: advice: ")]
    # A refusal with --json is JSON on standard output too.
    plain = done.out and case.arguments[0] not in REPORTS and not _is_refusal(case, done.out)
    if done.code and (plain or len(errors) != 1):
        return "more than the one line of an error"
    if done.code and errors[0].startswith(("dalenius: output: ", "dalenius: out of memory")):
        return "an error that is not about what was given"
    widest = max((len(ESCAPES.sub("", line)) for line in done.out.split("\n")), default=0)
    if widest > width and "--json" not in case.arguments and case.arguments[0] not in FILES:
        return f"a line of {widest} letters, where there is room for {width}"
    return None
