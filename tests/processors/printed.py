"""What commands print and write, all but how long it took: `python -m tests.processors.printed`, which reads them, a
list of arguments each, as JSON."""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from dalenius.cli.main import _outcome as outcome


def printed(commands: list[list[str]]) -> dict[str, Any]:
    """By command. A refusal is its exit code and its words."""
    return {" ".join(command): [_answer(command), _written(command)] for command in commands}


def _answer(command: list[str]) -> Any:
    told, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(complaint):
        code, refusal = outcome(command)
    if code or "--json" not in command:
        return [code, complaint.getvalue() + refusal]
    return untimed(json.loads(told.getvalue()))


def _written(command: list[str]) -> list[str]:
    """The numbers beside a picture, or a page."""
    files = [Path(each).with_suffix(".csv" if each.endswith(".png") else ".html") for each in command if _is_file(each)]
    return [file.read_text(encoding="utf-8") for file in files if file.exists()]


def _is_file(argument: str) -> bool:
    return argument.endswith((".png", ".html"))


def untimed(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: untimed(value) for key, value in found.items() if key != "seconds"}
    return [untimed(each) for each in found] if isinstance(found, list) else found


if __name__ == "__main__":
    print(json.dumps(printed(json.load(sys.stdin)), indent=1))
