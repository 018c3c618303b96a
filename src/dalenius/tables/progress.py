"""How much of a long scan is done, as the engine that does it says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

_WATCHED: Final[ContextVar[list[Any] | None]] = ContextVar("watched", default=None)


@contextmanager
def watched() -> Iterator[Callable[[], float | None]]:
    """Of the DuckDB connections that are opened inside. What is given may be asked from any thread for the share of the
    scan that runs at that moment, from 0 to 1; None where no engine says."""
    connections: list[Any] = []
    token = _WATCHED.set(connections)
    try:
        yield lambda: _share(connections)
    finally:
        _WATCHED.reset(token)


def watch(connection: Any) -> None:
    """A DuckDB connection that was opened just now, where somebody wants to know."""
    connections = _WATCHED.get()
    if connections is not None:
        for setting in ("enable_progress_bar = true", "enable_progress_bar_print = false"):
            connection.execute(f"SET {setting}").fetchall()
        connections.append(connection)


def _share(connections: list[Any]) -> float | None:
    for connection in reversed(connections):
        try:
            percent = float(connection.query_progress())
        except Exception:  # it was closed meanwhile: a bar is no reason to fail
            continue
        if 0.0 <= percent <= 100.0:
            return percent / 100.0
    return None
