"""What the commands print: JSON, or tables for people."""

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isinf, isnan
from typing import Any

from dalenius.calibration import Calibration
from dalenius.notions import Leakage, Witness

PATIENCE = 2.0
ALL_OTHERS = "Whoever knows all other records learns this one"
NO_BOUND = "what some outputs tell whoever knows all other records has no bound"
FEW_PIECES = 3


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


def nats(value: float) -> str:
    """Six digits after the point where they say something, else six significant ones."""
    if isinf(value):
        return "∞"
    return f"{value:.6f}" if value >= 1e-3 or value == 0 else f"{value:.6g}"


def enclosed(leakage: Leakage) -> str:
    """A leakage in nats, or both its ends where they are apart; 0 where it cannot be told from that."""
    if leakage.lower == 0 and leakage.upper < 1e-9:
        return nats(0.0)
    if leakage.lower == leakage.upper or leakage.upper - leakage.lower <= max(1e-6 * leakage.upper, 1e-9):
        return nats(leakage.epsilon)
    return f"{nats(leakage.lower)} to {nats(leakage.upper)}"


def beside(calibration: Calibration) -> list[list[str]]:
    """A row for what the noise lets through to whoever knows all other records."""
    if calibration.differential is None:
        return []
    shown = f"{nats(calibration.differential)} nats at most to whoever knows all other records"
    if isinf(calibration.differential):
        shown = (
            f"∞: {ALL_OTHERS}" if calibration.exact else "∞: some outputs have no bound, to whoever knows all others"
        )
    return [["differential", shown]]


def error(calibration: Calibration, digits: int = 6) -> str:
    """The expected error of an answer, in words where outputs are words."""
    found = calibration.expected_error
    return "none, outputs are words" if isnan(found) else f"{found:.{digits}g}"


def whose(witness: Witness | None) -> str:
    if witness is None:
        return "nobody"
    return f"person {witness.person}, {witness.who}" if witness.person else witness.who


def where(leakage: Leakage) -> str:
    """The witness's secret, output and what else is known, in words."""
    witness = leakage.witness
    if witness is None:
        return ""
    parts = []
    if witness.secret is not None:
        against = "" if witness.against is None else f" against {witness.against}"
        parts.append(f"{witness.what} = {witness.secret}{against}")
    if witness.output is not None:
        named = zip(witness.output, witness.answers, strict=True)
        parts.append("output " + ", ".join(f"{_shown(value)} {name}".rstrip() for value, name in named))
    if witness.outputs is not None:
        parts.append(_stretches(witness.outputs))
    if witness.known:
        parts.append("knowing " + ", ".join(f"record {person} = {value}" for person, value in witness.known.items()))
    return "; ".join(parts)


def _stretches(outputs: Sequence[tuple[float, float]]) -> str:
    """A set of outputs in words; where it has many pieces, how many and how far they reach."""
    if not outputs:
        return "no outputs"
    if len(outputs) > FEW_PIECES:
        return f"outputs in {len(outputs):,} pieces from {outputs[0][0]:g} to {outputs[-1][1]:g}"
    shown = (f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in outputs)
    return "outputs " + ", ".join(shown)


def _shown(value: int | float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


@contextmanager
def working(what: str) -> Iterator[None]:
    """A bar on the terminal for work of over two seconds; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

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
