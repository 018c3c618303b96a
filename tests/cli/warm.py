"""The command in a process of its own that starts warm: forked from one that has imported what commands import.

A process takes a second or more to import the engines, and the quick suite starts some hundred.
"""

import gc
import io
import os
import sys
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

Called: TypeAlias = Callable[[list[str]], None]
"""A function of a module, which the process imports."""

PATIENCE: Final = 300.0
OWN: Final = Path(__file__).parents[2] / "src"
IMPORTED: Final = [
    "tests.cli.warm",
    "tests.cli.adapters",
    *(
        ".".join(path.relative_to(OWN).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(OWN.rglob("*.py"))
    ),
    "duckdb",
    "ibis",
    "ibis.backends.duckdb",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "opendp.prelude",
    "pandas",
    "rich.console",
    "rich.progress",
    "rich.table",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "sqlalchemy.dialects.sqlite",
]
"""Of the package, every file: what needs an extra that is not installed is passed over. Of the libraries, what commands
import late, which is most of what they take."""


def run(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    with TemporaryDirectory() as room:
        out, err = Path(room, "out"), Path(room, "err")
        code = ended(started(dalenius, arguments, out, err))
        return code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")


def started(
    called: Called, arguments: list[str], out: Path, err: Path, environment: Mapping[str, str] = os.environ
) -> BaseProcess:
    """A process that calls this with these arguments; what it prints is appended to these files."""
    context = get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    process = context.Process(target=_process, args=(called, arguments, os.getcwd(), dict(environment), out, err))
    process.start()
    return process


def ended(process: BaseProcess) -> int:
    """Its exit code, once it has ended; negative where a signal ended it."""
    process.join(PATIENCE)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError(process.name)
    return process.exitcode


def _process(
    called: Called, arguments: list[str], folder: str, environment: dict[str, str], out: Path, err: Path
) -> None:
    gc.freeze()  # what is shared stays so: nothing of it is garbage
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), encoding="utf-8", write_through=True)
    called(arguments)


def dalenius(arguments: list[str]) -> None:
    sys.argv = ["dalenius", *arguments]
    from dalenius.cli.main import main

    main()
