"""What the commands print: JSON, or tables for people."""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dalenius.tables import watched

PATIENCE = 2.0
EVERY = 0.2
"""Seconds between two looks at how much is read."""


def advise(line: str) -> None:
    """What is worth knowing before going on: a line on standard error."""
    print(f"dalenius: advice: {line}", file=sys.stderr)


def print_json(result: dict[str, Any]) -> None:
    text = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # JSON has its own way to write what the terminal has no letter for
        text = json.dumps(result, indent=2, allow_nan=False)
    print(text)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as its content; a terminal narrower than that wraps the cells."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=160)
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    with console.capture() as shown:  # not printed by rich, which ends the program where a reader went away
        console.print(table)
    print(shown.get(), end="")


@contextmanager
def working(what: str) -> Iterator[None]:
    """A bar on the terminal for work of over two seconds; nothing in a pipe. While a table is scanned it shows how much
    of it the engine says it has read."""
    if not sys.stderr.isatty():
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
    if not sys.stderr.isatty():
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
