"""The `dalenius` command: answers on standard output, one line of error, exit codes 0, 1 (refused), 2 (bad input).

`dalenius audit none.toml` prints nothing but `dalenius: spec: none.toml, wanted a file that can be read (…)`, and ends
with 2. A release that a budget does not allow ends with 1. Ctrl-C ends with 130 and its line, whenever it comes. An
error that nobody expected, and only that, is a traceback.
"""

import json
import os
import signal
import sys
from collections.abc import Collection
from contextlib import suppress
from io import TextIOWrapper
from types import FrameType
from typing import Annotated, Any

import typer

from dalenius.errors import DaleniusError, InputError, without_passwords

# Because `from dalenius import wings` asks the package for all its public names first, it is imported this way.
from dalenius.wings import COMMANDS, found

_STOPPED = 130


# Because Typer brings its own copy of click, and names only this child of the base of all complaints about arguments.
_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]


def application(arguments: Collection[str] = tuple(COMMANDS)) -> typer.Typer:
    """Builds one application of all commands, in which those that the `arguments` name are imported.

    By default all are, as the documentation and tests want them; `dalenius --help` imports none, and answers at once.
    """
    app = typer.Typer(
        help="Privacy guarantees for people whose data depend on each other.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for name, command in COMMANDS.items():
        # Because `--help` needs only what the other commands do, one is imported.
        if name in arguments:
            app.command(name)(found(command.place))
        else:
            app.command(name, help=command.does, short_help=command.does)(_never_run)
    return app


def _never_run() -> None:
    raise AssertionError("a command that runs is among the arguments")


def _print_version(wanted: bool) -> None:
    """Prints the version, for `--version`: nothing else is looked at, and no command imported."""
    if wanted:
        from importlib.metadata import version

        print(version("dalenius"))
        raise typer.Exit


def _options(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Privacy guarantees for people whose data depend on each other."""


def main() -> None:
    """Runs a command, and turns every error we raise into one line and an exit code.

    An interrupt is remembered beside being raised: a library that swallows it does not make the command go on.
    """
    came = []

    def interrupted(number: int, frame: FrameType | None) -> None:
        """Remembers an interrupt, whatever its `number` and `frame`, and raises it.

        Because it may come out as another error, or as none, in an import or in a library's own C.
        """
        came.append(number)
        raise KeyboardInterrupt

    # Where a terminal or a pipe has an old encoding.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a letter that it lacks is no reason to stop
    signal.signal(signal.SIGINT, interrupted)
    try:
        code, complaint = _outcome(sys.argv[1:])
    except BaseException:
        if not came:  # a mistake of ours: all of it is wanted
            raise
        code, complaint = _STOPPED, ""
    if came or code == _STOPPED:
        _stop()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is Python's own tidying
    if complaint:
        print(f"dalenius: {' '.join(complaint.split())}", file=sys.stderr)
    sys.exit(code)


def _stop() -> None:
    """Ends the process with its line. What is half-written was tidied on the way here; nobody waits for threads."""
    with suppress(AttributeError, OSError, ValueError):  # closed, or gone, or never there
        sys.stdout.flush()
    os.write(2, b"dalenius: stopped\n")
    os._exit(_STOPPED)


def _print_refusal(error: DaleniusError) -> None:
    """Prints a refusal as JSON on standard output, for programs that asked for JSON; its line is an error's as ever."""
    parts = {name: str(getattr(error, name)) for name in ("key", "value", "wanted") if isinstance(error, InputError)}
    found = {"error": {"exit_code": error.exit_code, "message": str(error), **parts}}
    with suppress(AttributeError, OSError, ValueError):  # nobody reads
        print(json.dumps(found, indent=2), flush=True)


def _outcome(arguments: list[str]) -> tuple[int, str]:
    """Returns the exit code, and what there is to complain of, in one line.

    0: done; 1: refused, as by a budget; 2: bad input, or no room; 130: stopped. Errors that are not caught here are
    mistakes of the program.
    """
    # Because people know `dalenius help audit` from git.
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    # Because a shell that completes a word names the command in its environment, and not among the arguments.
    completed = " ".join(os.environ.get(name, "") for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")).split()
    try:
        outcome = typer.main.get_command(application([*arguments, *completed])).main(
            arguments or ["--help"], prog_name="dalenius", standalone_mode=False
        )
        if sys.stdout is not None:
            sys.stdout.flush()
    except DaleniusError as error:
        if "--json" in arguments and not error.shown:
            _print_refusal(error)
        return error.exit_code, str(error)
    except _USAGE_ERROR as error:
        return 2, without_passwords(error.format_message())
    except (KeyboardInterrupt, typer.Abort):
        return _STOPPED, ""
    except SystemExit:
        return 0, ""  # typer's word for a reader that went away; nothing is left to tell it
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # lest what could not be written be tried again at exit
        if isinstance(error, BrokenPipeError):
            return 0, ""
        return 2, f"output: {error.strerror or error}, wanted a place that can be written"
    except MemoryError:  # an enumeration of more states than there are bytes
        return 2, "out of memory: ask fewer answers at once or coarser values, or use the group method"
    return (outcome if isinstance(outcome, int) else 0), ""
