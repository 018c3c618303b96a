"""What the commands print: JSON, or tables for people."""

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isinf
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from dalenius.notions import Leakage, Witness

PATIENCE = 2.0


def print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as its content; a terminal narrower than that wraps the cells."""
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=160)
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def nats(value: float) -> str:
    """Six digits after the point where they say something, else six significant ones."""
    if isinf(value):
        return "∞"
    return f"{value:.6f}" if value >= 1e-3 or value == 0 else f"{value:.6g}"


def whose(witness: Witness | None) -> str:
    return "nobody" if witness is None else f"person {witness.person}, {witness.who}"


def where(leakage: Leakage) -> str:
    """The witness's secret and output in words."""
    witness = leakage.witness
    if witness is None:
        return ""
    parts = []
    if witness.secret is not None:
        against = "" if witness.against is None else f" against {witness.against}"
        parts.append(f"record = {witness.secret}{against}")
    if witness.output is not None:
        named = zip(witness.output, witness.answers, strict=True)
        parts.append("output " + ", ".join(f"{value:g} {name}".rstrip() for value, name in named))
    return "; ".join(parts)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A bar on the terminal for work of over two seconds; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    columns = TextColumn(what), BarColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(what, total=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
