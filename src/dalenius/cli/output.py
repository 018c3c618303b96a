"""Output of the commands, for all of them: the answer on standard output, and all else on standard error.

The answer is JSON, or tables for people; all else is advice and how far long work is, unless they are to be quiet. An
audit of eight seconds shows a bar after two, "methods 3 of 20, about 6 s left", and then its table. In a pipe there is
only the table, and with --progress a line every ten seconds. The content of a column decides how wide it is. If a table
is wider than the terminal, the widest column gives way first:

>>> _widths([["a", "the words of a long sentence"], ["b", "x"]], 20)
[1, 19]
"""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial
from shutil import get_terminal_size
from textwrap import fill
from time import monotonic
from typing import Any, Final, NamedTuple

from dalenius.errors import visible
from dalenius.omitted import Omitted, omitted_json
from dalenius.progress import Course, followed

# So that columns without borders are told apart, there are so many blanks between them.
_GAP: Final = 2
_IN_ASCII: Final = str.maketrans("━─┃", "=-|")
BAR_AFTER = 2.0
# So that a bar moves smoothly, there are so many seconds between two looks at how far it is.
LOOK_EVERY = 0.2
# So that a log stays short, there are so many seconds between two lines in a pipe.
LINE_EVERY = 10.0

_QUIET: Final[ContextVar[bool]] = ContextVar("quiet", default=False)
_LINES: Final[ContextVar[bool]] = ContextVar("lines", default=False)


@contextmanager
def manner(quiet: bool = False, lines: bool = False) -> Iterator[None]:
    """Sets how commands speak as long as it lasts.

    Args:
        quiet: Whether nothing is said beside the answer.
        lines: Whether there are lines of progress where there is no terminal.
    """
    tokens = _QUIET.set(quiet or _QUIET.get()), _LINES.set(lines or _LINES.get())
    try:
        yield
    finally:
        _QUIET.reset(tokens[0])
        _LINES.reset(tokens[1])


def note(line: str) -> None:
    """Writes a `line` on standard error, for what there is to say beside the answer."""
    if not _QUIET.get():
        print(f"dalenius: {visible(line)}", file=sys.stderr)


def advise(line: str) -> None:
    """Writes a `line` of advice on standard error, for what is worth knowing before going on."""
    note(f"advice: {line}")


def print_json(result: dict[str, Any]) -> None:
    """Prints `result` as JSON in ASCII, which has its own way to write what a terminal or a pipe has no letter for."""
    print(json.dumps(result, indent=2, allow_nan=False))


def say(text: str, indent: str = "") -> None:
    """Prints `text` as a paragraph.

    On a terminal it is broken between words, with `indent` before all lines but the first; in a pipe it is one line.
    """
    print(_wrapped(_writable(text), indent) if is_terminal() else text)


def print_lines(text: str) -> None:
    """Prints the lines of `text` as they are, for a picture of letters; in ASCII where its lines have no code."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_IN_ASCII)
    print("\n".join(map(_writable, text.split("\n"))))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table as wide as its content.

    On a terminal narrower than that it has no borders, or cells wrapped, between words as far as these fit. Letters
    that standard output has no code for are shown by their numbers.

    Args:
        title: The title, above the table.
        columns: The names of the columns.
        rows: The cells, as many in each row as there are columns.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[*map(_writable, row)] for row in (columns, *rows)]
    bordered = _widths(cells, width() - 3 * len(columns) - 1)
    widths: Sequence[int | None] = (
        bordered or _widths(cells, width() - _GAP * (len(columns) - 1)) or [None] * len(columns)
    )
    table = Table(box=box.HEAVY_HEAD if bordered else None, padding=(0, 1) if bordered else (0, _GAP, 0, 0))
    table.pad_edge = bool(bordered)
    for place, column in enumerate(cells[0]):
        table.add_column(Text(column), overflow="fold", width=None if widths is None else widths[place])
    for row in cells[1:]:
        table.add_row(*map(Text, row))
    console = Console(highlight=False, width=width())
    with console.capture() as shown:  # not printed by rich, which ends the program where a reader went away
        console.print(Text(_wrapped(_writable(title)), style="bold"), table, sep="\n")
    print(shown.get(), end="")


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Returns the width of each column, in characters: its content's, less for the widest where there is no room.

    None where a word would break, as on a telephone: then the table goes without borders, and at last breaks words.
    room: characters for all columns.
    """
    columns = [[line for cell in column for line in cell.split("\n")] for column in zip(*rows, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    # Because what has more characters without a blank is no word but a hash or a path, and may be broken.
    least = [min(max(map(len, " ".join(column).split()), default=0), 30) for column in columns]
    while sum(widths) > room:
        widest = max(range(len(widths)), key=lambda place: (widths[place] > least[place], widths[place]))
        if widths[widest] <= least[widest]:
            return None
        widths[widest] -= 1
    return widths


def _wrapped(text: str, indent: str = "") -> str:
    """Breaks a text between words into lines of the terminal's width."""
    return fill(text, width(), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _writable(text: str) -> str:
    """Returns a text as standard output will show it: a letter that its encoding lacks is longer there."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return visible(text).encode(encoding, "backslashreplace").decode(encoding)


def is_terminal() -> bool:
    """Says whether somebody reads standard output as it is written; a closed one is read by nobody."""
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """Returns the characters of a line of the terminal; a pipe has room for more."""
    return get_terminal_size().columns if is_terminal() else 160


@contextmanager
def working(what: str) -> Iterator[None]:
    """Shows a bar on the terminal during work of over two seconds, with its stage and about how long it will take.

    In a pipe there are lines if they are asked for.

    Args:
        what: The name of the work, such as "auditing".
    """
    bars = sys.stderr.isatty()
    if _QUIET.get() or not (bars or _LINES.get()):  # decided here: another thread knows nothing of either
        yield
        return
    with ExitStack() as until:
        course = until.enter_context(followed())
        if bars:  # somebody watches; in a pipe a log is written
            update = until.enter_context(_barred(what))
            until.enter_context(_every(LOOK_EVERY, lambda: update(**_shown(course))))
        else:
            start = monotonic()
            until.enter_context(
                _every(LINE_EVERY, lambda: note(f"{what}{_said(course) or f': {monotonic() - start:.0f} s so far'}"))
            )
        yield


def _shown(course: Course) -> dict[str, Any]:
    """Returns the fields of a bar: the share that is done, where it is known, and the stage with the time left."""
    found = course.seconds()
    done = None if found is None else 1 - found[1] / found[0]
    return {"total": None if done is None else 1.0, "completed": done or 0.0, "stage": _said(course).lstrip(": ")}


def _said(course: Course) -> str:
    """Writes where work is and how long it still takes: ": methods 3 of 20, about 6 s left"; nothing if not known."""
    found = course.seconds()
    parts = [course.words(), "" if found is None else f"about {found[1]:.0f} s left"]
    return ": " + ", ".join(filter(None, parts)) if any(parts) else ""


@contextmanager
def _every(seconds: float, look: Callable[[], None]) -> Iterator[None]:
    """Looks every so many seconds from another thread, which ends with the block."""
    done = threading.Event()

    def follow() -> None:
        while not done.wait(seconds):
            look()

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    try:
        yield
    finally:
        done.set()
        follower.join()


@contextmanager
def _barred(what: str) -> Iterator[Callable[..., None]]:
    """Shows a bar after two seconds; what is given is to be called with the fields that change."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(what), BarColumn(), TextColumn("{task.fields[stage]}"), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None, stage="")
    timer = threading.Timer(BAR_AFTER, bar.start)
    timer.start()
    try:
        yield lambda **fields: bar.update(task, **fields)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


class Further(NamedTuple):
    """A part of an audit besides leakages, where it is asked for: its keys of the JSON, and how it is said."""

    as_json: dict[str, Any]
    show: Callable[[], None]


def say_omitted(omitted: Sequence[Omitted]) -> None:
    """Prints a line for each file in `omitted`, the files that lost rows."""
    for each in omitted:
        say(each.words)


def omitted_part(omitted: Sequence[Omitted]) -> list[Further]:
    """Returns the rows left out, `omitted`, as a part of an audit, with the key `left_out`; no part without such."""
    return [Further(omitted_json(omitted), partial(say_omitted, omitted))] if omitted else []
