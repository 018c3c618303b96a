"""What the commands print: JSON, or tables for people."""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from shutil import get_terminal_size
from typing import Any, Final

from dalenius.cli.layout import GAP, column_widths, open_widths, records, wrapped
from dalenius.tables import watched

IN_PIPES: Final = 160
PATIENCE = 2.0
EVERY = 0.2
"""Seconds between two looks at how much is read."""


_QUIET: Final[ContextVar[bool]] = ContextVar("quiet", default=False)


@contextmanager
def manner(quiet: bool) -> Iterator[None]:
    """As long as it lasts, quiet: nothing is said beside the answer."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


def note(line: str) -> None:
    """What there is to say beside the answer: a line on standard error."""
    if not _QUIET.get():
        print(f"dalenius: {line}", file=sys.stderr)


def advise(line: str) -> None:
    """What is worth knowing before going on: likewise."""
    note(f"advice: {line}")


def print_json(result: dict[str, Any]) -> None:
    """In ASCII: JSON has its own way to write what a terminal or a pipe has no letter for."""
    print(json.dumps(result, indent=2, allow_nan=False))


def say(text: str, indent: str = "") -> None:
    """A paragraph: on a terminal broken between words, what follows its first line indented; in a pipe one line."""
    if not is_terminal():
        print(text)
        return
    for line in wrapped(text, _width(), indent):
        print(line)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as its content; on a terminal narrower than that the cells are wrapped between words. Where
    borders leave no room for that there are none, and where words still do not fit, the rows are lists."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = _width()
    console = Console(highlight=False, width=width)
    bordered = column_widths(columns, rows, width - 3 * len(columns) - 1)
    widths = bordered or open_widths(columns, rows, width)
    table = Table(box=box.HEAVY_HEAD if bordered else None, padding=(0, 1) if bordered else (0, GAP, 0, 0))
    if not bordered:
        table.pad_edge = False
    for place, column in enumerate(columns):
        table.add_column(Text(column), overflow="fold", width=None if widths is None else widths[place])
    for row in rows:
        table.add_row(*map(Text, row))
    with console.capture() as shown:  # not printed by rich, which ends the program where a reader went away
        for line in wrapped(title, width):
            console.print(Text(line, style="bold"))
        if widths is None:
            console.print(Text("\n".join(records(columns, rows, width))))
        else:
            console.print(table)
    print(shown.get(), end="")


def is_terminal() -> bool:
    """Whether somebody reads standard output as it is written."""
    return sys.stdout is not None and sys.stdout.isatty()


def _width() -> int:
    """Characters of the terminal; a pipe has room for more."""
    return get_terminal_size().columns if is_terminal() else IN_PIPES


@contextmanager
def working(what: str) -> Iterator[None]:
    """A bar on the terminal for work of over two seconds; nothing in a pipe. While a table is scanned it shows how much
    of it the engine says it has read."""
    if not sys.stderr.isatty() or _QUIET.get():
        yield
        return
    with watched() as share, _barred(what, None) as (bar, task):
        done = threading.Event()

        def follow() -> None:
            while not done.wait(EVERY):
                read = share()
                scan = "" if read is None else f"scan {read:.0%}"
                bar.update(task, total=None if read is None else 1.0, completed=read or 0.0, scan=scan)

        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        try:
            yield
        finally:
            done.set()
            follower.join()


@contextmanager
def counting(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """The same for work of so many steps; it is to be told how many are done."""
    if not sys.stderr.isatty() or _QUIET.get():
        yield lambda done: None
        return
    with _barred(what, total) as (bar, task):
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def _barred(what: str, total: float | None) -> Iterator[tuple[Any, Any]]:
    """A bar that is shown after two seconds, and its task."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(what), BarColumn(), TextColumn("{task.fields[scan]}"), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total, scan="")
    timer = threading.Timer(PATIENCE, bar.start)
    timer.start()
    try:
        yield bar, task
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
