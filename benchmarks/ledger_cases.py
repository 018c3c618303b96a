"""What the benchmark of ledgers calls."""

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from dalenius.curator import Ledger, Publication, Request
from dalenius.curator.cost_of_releases import Entry

COST: Final = Entry(
    "{}",
    "information",
    1e-6,
    1e-6,
    differential=1e-6,
    pure=1e-6,
    gaussian=0.0,
    records=4,
    together="model",
    identity="model",
    implied_by=("inferential",),
)
BODY: Final = "x" * 600
"""Of the length of an entry."""
ROUNDS: Final = 5


def answered(where: str, analysts: int, seconds: float) -> dict[str, float]:
    """Durable single-row commits a second of one writer, answers a second of so many analysts at once, and the 99 %
    quantile of the time an analyst waits: in turns, the medians of the rates."""
    with _sqlite() if where == "SQLite" else _postgresql() as (address, commit):
        ledger, rates = Ledger(address), []
        waits: list[float] = []
        for turn in range(ROUNDS):
            bare = _rate(commit, seconds)
            start = perf_counter()
            with ThreadPoolExecutor(analysts) as threads:
                found = threads.map(lambda who: _asked(ledger, f"{turn} {who}", seconds), range(analysts))  # noqa: B023
                each = [wait for several in found for wait in several]
            rates.append((bare, len(each) / (perf_counter() - start)))
            waits += each
        ledger.close()
    middle = sorted(rates, key=lambda pair: pair[1] / pair[0])[ROUNDS // 2]
    return {"bare": middle[0], "answers": middle[1], "p99": sorted(waits)[int(0.99 * len(waits))]}


def _asked(ledger: Ledger, who: str, seconds: float) -> list[float]:
    """How long each of one analyst's answers took."""
    waits: list[float] = []
    start, published = perf_counter(), Publication((Fraction(7),), ("",), {}, ())
    while (now := perf_counter()) < start + seconds:
        request = Request("people", "bytes", f"{who} {len(waits)}", 1e6, analyst=who, cap=1e6)
        ledger.release(request, COST, lambda: published)
        waits.append(perf_counter() - now)
    return waits


def _rate(commit: Callable[[], object], seconds: float) -> float:
    count, start = 0, perf_counter()
    while perf_counter() < start + seconds:
        commit()
        count += 1
    return count / (perf_counter() - start)


@contextmanager
def _sqlite() -> Iterator[tuple[str, Callable[[], object]]]:
    """As durable as the ledger is: with synchronous=EXTRA."""
    with TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder, "bare"), isolation_level=None)
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("CREATE TABLE bare (number INTEGER PRIMARY KEY, body TEXT)")
        yield str(Path(folder, "ledger")), lambda: connection.execute("INSERT INTO bare (body) VALUES (?)", (BODY,))
        connection.close()


@contextmanager
def _postgresql() -> Iterator[tuple[str, Callable[[], object]]]:
    """A server of its own with its default settings, on the same machine."""
    import psycopg

    from tests.postgres import server

    with server(()) as own:
        address = own.new()
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE TABLE bare (number BIGSERIAL PRIMARY KEY, body TEXT)")
            yield address, lambda: connection.execute("INSERT INTO bare (body) VALUES (%s)", (BODY,))
