"""What the commands print of specs, all but how long it took: `python -m tests.processors.printed SPEC...`."""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from dalenius.cli.main import _run as run
from tests.processors.specs import commands


def printed(specs: list[Path]) -> dict[str, Any]:
    """By command. A refusal is its exit code and its words."""
    return {" ".join(command): _answer(command) for spec in specs for command in commands(spec)}


def _answer(command: list[str]) -> Any:
    told, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(complaint):
        code = run(command)
    return untimed(json.loads(told.getvalue())) if code == 0 else [code, complaint.getvalue()]


def untimed(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: untimed(value) for key, value in found.items() if key != "seconds"}
    return [untimed(each) for each in found] if isinstance(found, list) else found


if __name__ == "__main__":
    print(json.dumps(printed([Path(name) for name in sys.argv[1:]]), indent=1))
