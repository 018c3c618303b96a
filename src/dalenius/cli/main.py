"""The `dalenius` command: answers on standard output, one line of error, exit codes 0, 1 (refused), 2 (bad input)."""

import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from dalenius.cli.audit import audit
from dalenius.cli.calibrate import calibrate
from dalenius.cli.compare import compare
from dalenius.cli.fit import fit
from dalenius.cli.release import release
from dalenius.cli.reproduce import reproduce
from dalenius.errors import DaleniusError

COMMANDS: dict[str, Callable[..., None]] = {
    "audit": audit,
    "calibrate": calibrate,
    "compare": compare,
    "release": release,
    "fit": fit,
    "reproduce": reproduce,
}

# The base of all complaints about arguments. Typer brings its own copy of click and names only this child of it.
USAGE_ERROR: Any = typer.BadParameter.__mro__[1]


def application() -> typer.Typer:
    """The commands, in one application."""
    app = typer.Typer(
        help="Privacy guarantees for people whose data depend on each other.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for name, command in COMMANDS.items():
        app.command(name)(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(version("dalenius"))
        raise typer.Exit


def _options(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Privacy guarantees for people whose data depend on each other."""


def main() -> None:
    """Run, and turn every error we raise into one line and an exit code."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a letter that the terminal lacks is no reason to stop
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    try:
        outcome = typer.main.get_command(application()).main(
            arguments or ["--help"], prog_name="dalenius", standalone_mode=False
        )
        sys.stdout.flush()
    except DaleniusError as error:
        return _complain(str(error), error.exit_code)
    except USAGE_ERROR as error:
        return _complain(error.format_message(), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("stopped", 130)
    except SystemExit:
        return 0  # typer's word for a reader that went away; nothing is left to tell it
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # lest what could not be written be tried again at exit
        if isinstance(error, BrokenPipeError):
            return 0
        return _complain(f"output: {error.strerror or error}, wanted a place that can be written", 2)
    except MemoryError:
        return _complain("out of memory: ask fewer answers at once or coarser values, or use the group method", 2)
    return outcome if isinstance(outcome, int) else 0


def _complain(message: str, code: int) -> int:
    print(f"dalenius: {' '.join(message.split())}", file=sys.stderr)
    return code
