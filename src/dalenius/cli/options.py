"""Arguments that several commands take, for their authors: the same name, words and complaint in each.

A command takes one by writing `json: AsJson = False` among its parameters. The options `--plugin`, `--quiet`,
`--progress` and `--memory` act by their callbacks, until the command ends. A command only has to name them.

Typer's own numbers would be refused in its own words, so that ours are read here:

>>> _as_number("1e-3")
0.001

`--within 0,5` ends with `0,5, wanted a number`, as does `--confidence ninety`; `--within 0` with `--within: 0.0, wanted
a finite number above 0`.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from tomllib import TOMLDecodeError, loads
from typing import Annotated, Any, TypeAlias, cast

import typer

from dalenius.cli.output import manner
from dalenius.errors import InputError
from dalenius.memory_budget import bytes_of, memory
from dalenius.plugins import plugged
from dalenius.spec.condition import RULES, Condition, Conditions, Missing
from dalenius.text_files import known_encoding


def _as_number(text: str) -> float:
    """Reads a number as an option; a text that is none is shown in the complaint."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text}, wanted a number") from None


def argument(help: str, metavar: str | None = None) -> Any:
    """Returns an argument without a default to be shown.

    Args:
        help: Its words in `--help`.
        metavar: What stands for it in the usage; None for its name.
    """
    return typer.Argument(help=help, show_default=False, metavar=metavar)


def option(help: str, metavar: str | None = None, name: str | None = None) -> Any:
    """Returns an option without a default to be shown.

    Args:
        help: Its words in `--help`.
        metavar: What stands for its value in `--help`; None for the name of its type.
        name: The option as it is written; None for `--` and the parameter's name, and for a flag its contrary `--no-`
            too.
    """
    return typer.Option(*([] if name is None else [name]), help=help, show_default=False, metavar=metavar)


def number_option(help: str, metavar: str = "<float>", name: str | None = None) -> Any:
    """Returns an option of a number; infinities are numbers here, and each command says which it takes.

    Args:
        help: Its words in `--help`.
        metavar: What stands for its value in `--help`.
        name: The option as it is written; None for `--` and the parameter's name.
    """
    named = [] if name is None else [name]
    return typer.Option(*named, help=help, show_default=False, parser=_as_number, metavar=metavar)


SpecFile: TypeAlias = Annotated[Path, argument("The spec: a TOML or JSON file, or - for standard input.")]
PolicyFile: TypeAlias = Annotated[Path, argument("The policy, a TOML file.", "POLICY")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON with stable keys.")]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", help="Also say which engine computed it, why, and how long it took.")
]
DataFile: TypeAlias = Annotated[
    str | None, option("The table to read instead of [data] file: a path or a URL.", "<path>", "--data")
]


def condition_of(text: str, key: str) -> str | Condition | Conditions:
    """Reads a column, or a condition on one, written as in a spec.

    Args:
        text: What was typed.
        key: The option that messages name.
    """
    if not text.lstrip().startswith("{"):
        return text
    try:
        given = loads(f"value = {text}")["value"]
        return Conditions(**given) if {"all", "any"} & set(given) else Condition(**given)
    except (InputError, TOMLDecodeError, TypeError) as error:
        why = error.wanted if isinstance(error, InputError) else str(error)
        raise InputError(key, text, f'a column, or a condition like {{ column = "x", equals = 1 }} ({why})') from None


def _encoding(text: str) -> str:
    """Reads the name of an encoding, as an option."""
    try:
        return known_encoding(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text}, wanted {error}") from None


Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="The table's encoding, if it is not UTF-8: cp1252, utf-16, ...",
        show_default=False,
        parser=_encoding,
        metavar="NAME",
    ),
]
MissingWords: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--missing-words",
        help='The cells of a CSV that mean a missing value, with commas between them: "" for none [NA,NaN].',
        show_default=False,
        metavar="WORDS",
    ),
]


def words_of(given: str | None) -> tuple[str, ...] | None:
    """Returns the words `given` to `--missing-words`, with commas between; None where it was not given.

    >>> words_of("NA, -"), words_of(""), words_of(None)
    (('NA', '-'), (), None)
    """
    return None if given is None else tuple(word for each in given.split(",") if (word := each.strip()))


MissingAnswers: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--missing",
        help="What a missing answer means: refuse, value, leave_out or as=WORD, as [data] missing says [refuse].",
        show_default=False,
        metavar="WAY",
    ),
]


def missing_of(text: str) -> Missing:
    """Reads what a missing answer means, as `--missing` has it.

    >>> missing_of("leave_out"), missing_of("as=nein"), missing_of("as=0"), missing_of('as="0"')
    ('leave_out', {'as': 'nein'}, {'as': 0}, {'as': '0'})

    Args:
        text: What was typed.

    Raises:
        InputError: If the text is none of refuse, value, leave_out and as=WORD.
    """
    way, _, word = text.partition("=")
    if way.strip() == "as" and word.strip():
        return {"as": _cell_of(word.strip())}
    if text in RULES:
        return cast("Missing", text)
    wanted = "refuse, value, leave_out or as=WORD, with the cell that a missing one is read as"
    raise InputError("--missing", text, wanted)


def _cell_of(word: str) -> int | float | str:
    """Returns a finite number, or the text in quotes, that `word` is in TOML; for any other word that word."""
    try:
        found = loads(f"cell = {word}")["cell"]
    except TOMLDecodeError:
        return word
    is_number = isinstance(found, int | float) and not isinstance(found, bool) and isfinite(found)
    return found if is_number or isinstance(found, str) else word


NewData: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--new-data",
        help="Ask a table that has changed since the last release under its name, on the rest of the budget.",
    ),
]
Confidence: TypeAlias = Annotated[
    float,
    typer.Option(
        "--confidence",
        help="The probability with which an answer's interval holds the exact answer.",
        parser=_as_number,
        metavar="<float>",
    ),
]


Within: TypeAlias = Annotated[
    float | None, number_option("Also report how likely an answer is off by this much or more.", name="--within")
]


def check_within(within: float | None) -> None:
    """Raises InputError for a distance `within`, in the query's unit, that is 0, a negative number, or no number."""
    if within is not None and not (isfinite(within) and within > 0):
        raise InputError("--within", within, "a finite number above 0")


def _plug(context: typer.Context, names: list[str] | None) -> list[str] | None:
    """Makes these modules known until the command is done."""
    if names:
        context.with_resource(_known(names))
    return names


@contextmanager
def _known(names: list[str]) -> Iterator[None]:
    """Makes modules known until the command is done; they are looked for in the current folder first.

    InputError for a module that there is not, or that fails as it is imported.
    """
    sys.path.insert(0, "")  # a file that somebody has written for this one question
    try:
        with plugged(names):
            yield
    finally:
        sys.path.remove("")


# Because the option itself makes them known, no command has to do anything with it.
Plugins: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        help="Also know the notions, noises, queries, models and methods of this Python module, from the current "
        "folder or an installed package; may be repeated.",
        metavar="MODULE",
        show_default=False,
        callback=_plug,
    ),
]


def _speaking(**how: bool) -> Callable[[typer.Context, bool], bool]:
    """Returns the callback of a flag, which sets how commands speak until the command is done."""

    def callback(context: typer.Context, given: bool) -> bool:
        if given:
            context.with_resource(manner(**how))
        return given

    return callback


# Because their callbacks do it all, no command has to do anything with them.
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", help="Write only errors to standard error.", callback=_speaking(quiet=True))
]


ProgressLines: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--progress",
        help="In a pipe, write a line of progress to standard error every ten seconds.",
        callback=_speaking(lines=True),
    ),
]


def _allow(context: typer.Context, given: str | None) -> str | None:
    """Sets the memory budget until the command is done. InputError for what is no amount."""
    if given is not None:
        context.with_resource(memory(bytes_of(given, "--memory")))
    return given


Memory: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--memory",
        help="The memory that laws and tables may take, such as 8G [4G].",
        metavar="SIZE",
        show_default=False,
        callback=_allow,
    ),
]
