"""What the commands print: on standard output the answer, as JSON or in tables for people; on standard error whatever
else there is to say, advice and how far long work is, unless they are to be quiet.

An audit of eight seconds shows a bar after two, "methods 3 of 20, about 6 s left", and then its table; in a pipe there
is nothing but the table, and with --progress a line every ten seconds. What a column holds decides how wide it is; of a
table that is wider than the terminal the widest column gives way first:

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
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from time import monotonic
from typing import Any, Final, NamedTuple

from dalenius import wings
from dalenius.errors import visible
from dalenius.omitted import Omitted, omitted_json
from dalenius.progress import Course, followed
from dalenius.spec import Spec, bound

# Blanks between two columns without borders.
_GAP: Final = 2
BAR_AFTER = 2.0
# Seconds between two looks at how far it is.
LOOK_EVERY = 0.2
# Seconds between two lines in a pipe.
LINE_EVERY = 10.0


_QUIET: Final[ContextVar[bool]] = ContextVar("quiet", default=False)


_LINES: Final[ContextVar[bool]] = ContextVar("lines", default=False)


@contextmanager
def manner(quiet: bool = False, lines: bool = False) -> Iterator[None]:
    """As long as it lasts, quiet: nothing is said beside the answer; lines: of progress where there is no terminal."""
    tokens = _QUIET.set(quiet or _QUIET.get()), _LINES.set(lines or _LINES.get())
    try:
        yield
    finally:
        _QUIET.reset(tokens[0])
        _LINES.reset(tokens[1])


def note(line: str) -> None:
    """What there is to say beside the answer: a line on standard error."""
    if not _QUIET.get():
        print(f"dalenius: {visible(line)}", file=sys.stderr)


def advise(line: str) -> None:
    """What is worth knowing before going on: likewise."""
    note(f"advice: {line}")


def bound_aloud(spec: Spec, folder: Path, table: str | None) -> tuple[Spec, Any]:
    """The spec with what its model reads from the table, and the table, as `bound`; what is doubtful in the table is
    said before anything is computed from it."""
    read, people = bound(spec, folder, table)
    for line in () if people is None else wings.found(wings.PARTS["doubts about a table"])(people):
        advise(line)
    return read, people


def print_json(result: dict[str, Any]) -> None:
    """In ASCII: JSON has its own way to write what a terminal or a pipe has no letter for."""
    print(json.dumps(result, indent=2, allow_nan=False))


def say(text: str, indent: str = "") -> None:
    """A paragraph: on a terminal broken between words, what follows its first line indented; in a pipe one line."""
    print(_wrapped(_writable(text), indent) if is_terminal() else text)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as its content; on a terminal narrower than that without borders, or with cells wrapped, between
    words as far as these fit.

    rows: as wide as columns. Letters that standard output has no code for are shown by their numbers.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[*map(_writable, row)] for row in (columns, *rows)]
    bordered = _widths(cells, _width() - 3 * len(columns) - 1)
    widths: Sequence[int | None] = (
        bordered or _widths(cells, _width() - _GAP * (len(columns) - 1)) or [None] * len(columns)
    )
    table = Table(box=box.HEAVY_HEAD if bordered else None, padding=(0, 1) if bordered else (0, _GAP, 0, 0))
    table.pad_edge = bool(bordered)
    for place, column in enumerate(cells[0]):
        table.add_column(Text(column), overflow="fold", width=None if widths is None else widths[place])
    for row in cells[1:]:
        table.add_row(*map(Text, row))
    console = Console(highlight=False, width=_width())
    with console.capture() as shown:  # not printed by rich, which ends the program where a reader went away
        console.print(Text(_wrapped(_writable(title)), style="bold"), table, sep="\n")
    print(shown.get(), end="")


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Of each column its content's, less of the widest where there is no room for it; None where a word would break,
    as on a telephone: then the table goes without borders, and at last breaks words.

    room: characters for all columns; widths are in characters too.
    """
    columns = [[line for cell in column for line in cell.split("\n")] for column in zip(*rows, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    # Characters; what is longer without a blank is no word but a hash or a path, and may be broken.
    least = [min(max(map(len, " ".join(column).split()), default=0), 30) for column in columns]
    while sum(widths) > room:
        widest = max(range(len(widths)), key=lambda place: (widths[place] > least[place], widths[place]))
        if widths[widest] <= least[widest]:
            return None
        widths[widest] -= 1
    return widths


def _wrapped(text: str, indent: str = "") -> str:
    """In lines of the terminal's width, broken between words."""
    return fill(text, _width(), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _writable(text: str) -> str:
    """As standard output will show it: a letter that its encoding lacks is longer there."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return visible(text).encode(encoding, "backslashreplace").decode(encoding)


def is_terminal() -> bool:
    """Whether somebody reads standard output as it is written; a closed one is read by nobody."""
    return sys.stdout is not None and sys.stdout.isatty()


def _width() -> int:
    """Characters of the terminal; a pipe has room for more."""
    return get_terminal_size().columns if is_terminal() else 160


@contextmanager
def working(what: str) -> Iterator[None]:
    """A bar on the terminal for work of over two seconds, with its stage and about how long it will take. In a pipe
    there are lines if they are asked for."""
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
    """The fields of a bar: what share is done, where that is known, and the stage with the time that is left."""
    found = course.seconds()
    done = None if found is None else 1 - found[1] / found[0]
    return {"total": None if done is None else 1.0, "completed": done or 0.0, "stage": _said(course).lstrip(": ")}


def _said(course: Course) -> str:
    """Where it is, and how long it still takes: ": methods 3 of 20, about 6 s left"; nothing where neither is known."""
    found = course.seconds()
    parts = [course.words(), "" if found is None else f"about {found[1]:.0f} s left"]
    return ": " + ", ".join(filter(None, parts)) if any(parts) else ""


@contextmanager
def _every(seconds: float, look: Callable[[], None]) -> Iterator[None]:
    """As long as the block lasts, looks every so many seconds from another thread, which ends with it."""
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
    """A bar that is shown after two seconds; what is given is to be called with the fields that change."""
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
    """What an audit reports besides leakages, where it is asked to: its keys of the JSON, and how it is said."""

    as_json: dict[str, Any]
    show: Callable[[], None]


def say_omitted(omitted: Sequence[Omitted]) -> None:
    """A line for each file of which rows were left out."""
    for each in omitted:
        say(each.words)


def omitted_part(omitted: Sequence[Omitted]) -> list[Further]:
    """The same as a part of an audit, with the key `left_out` of its JSON."""
    return [Further(omitted_json(omitted), partial(say_omitted, omitted))] if omitted else []
