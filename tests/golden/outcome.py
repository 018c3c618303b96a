"""What the commands say of one spec, run in this process."""

import contextlib
import io
import json
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, final
from unittest import mock

from dalenius.calibration import METHODS
from dalenius.cli.main import main

DRAWN: Final = ("answers", "data")


@final
@dataclass(frozen=True)
class Case:
    """A spec as text, in the folder whose tables it reads; tables: further ones, by name."""

    name: str
    text: str
    suffix: str
    folder: str
    tables: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(given: dict[str, Any]) -> "Case":
        return Case(**given)


def outcomes(case: Case) -> dict[str, Any]:
    """By command: its JSON, or what it complained of."""
    with tempfile.TemporaryDirectory() as room:
        here = Path(room)
        for file in Path(case.folder).glob("*.*"):
            if file.suffix in (".csv", ".bif", ".parquet"):
                shutil.copy(file, here)
        for name, text in case.tables.items():
            (here / name).write_text(text, encoding="utf-8")
        spec = here / f"spec.{case.suffix}"
        spec.write_text(case.text, encoding="utf-8")
        commands = ["audit", "audit --epsilon 0.7", "compare"]
        commands += [f"calibrate --method {method.name}" for method in METHODS]
        found = {command: _run([*command.split(), str(spec), "--json"], room) for command in commands}
        found["release"] = _undrawn(_run(["release", str(spec), "--json", "--ledger", str(here / "l.sqlite")], room))
        return found


def _run(arguments: list[str], room: str) -> Any:
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["dalenius", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code
        except Exception as error:  # a defect, and to be seen as one
            return {"died": f"{type(error).__name__}: {error}"}
    if code:
        return {"exit": code, "message": err.getvalue().replace(room, "")}
    return json.loads(out.getvalue())


def _undrawn(found: Any) -> Any:
    return {key: value for key, value in found.items() if key not in DRAWN} if isinstance(found, dict) else found
