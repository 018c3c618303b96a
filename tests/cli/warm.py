"""The command in a process of its own that starts warm: forked from one that has imported what commands import.

A process takes a second or more to import the engines, and the quick suite starts some hundred.
"""

import io
import os
import sys
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

PATIENCE: Final = 300.0
IMPORTED: Final = [
    "tests.cli.warm",
    "dalenius.cli.main",
    *(f"dalenius.cli.{name}" for name in ("audit", "calibrate", "compare", "release")),
    "dalenius.tables.engine",
    "duckdb",
    "ibis",
    "ibis.backends.duckdb",
    "pandas",
    "rich.console",
    "rich.table",
]


def run(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    context = get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    with TemporaryDirectory() as room:
        out, err = Path(room, "out"), Path(room, "err")
        process = context.Process(target=_command, args=(arguments, os.getcwd(), dict(os.environ), out, err))
        process.start()
        process.join(PATIENCE)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(arguments)
        return process.exitcode, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")


def _command(arguments: list[str], folder: str, environment: dict[str, str], out: Path, err: Path) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), encoding="utf-8", write_through=True)
    sys.argv = ["dalenius", *arguments]
    from dalenius.cli.main import main

    main()
