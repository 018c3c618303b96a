"""One line of JSON per request, and what the service counts: never a value, a name, a body or a token."""

import json
import logging
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from os import strerror
from threading import Lock
from time import monotonic, time
from typing import Any, Final, TextIO, final

from dalenius.errors import place as place_of

SILENCE: Final = 1.0
CAUSES: Final = 1000
"""So many are told apart before they are forgotten."""
OURS: Final = ("uvicorn", "dalenius.server")


@final
class Log:
    """Safe for threads; where the stream is gone, requests go on without it."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time) -> None:
        self._stream, self._clock = stream, clock
        self._lock = Lock()

    def write(self, **fields: Any) -> None:
        line = json.dumps({"time": utc(self._clock()), **fields}, ensure_ascii=True)
        stream = self._stream if self._stream is not None else sys.stderr
        try:
            with self._lock:
                stream.write(line + "\n")
                stream.flush()
        except (OSError, ValueError):
            return


@final
class Lines(logging.Handler):
    """What libraries log, as lines of the same log: one in `SILENCE` seconds of each logger and cause, which says how
    many were left out since the one before. The server's own words; of others only who warns, and of which error:
    theirs may show values."""

    def __init__(self, log: Log, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._log, self._clock = log, clock
        self._said: dict[tuple[str, ...], tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Its handler lets in one thread at a time."""
        why = _why(record)
        cause = record.name, record.levelname, *map(str, why.values()), f"{record.pathname}:{record.lineno}"
        now = self._clock()
        last, left_out = self._said.get(cause, (-SILENCE, 0))
        if now - last < SILENCE:
            self._said[cause] = last, left_out + 1
            return
        if len(self._said) >= CAUSES:
            self._said.clear()
        self._said[cause] = now, 0
        # The message of an exception, and its trace, are left out: they show values.
        words = record.getMessage().splitlines()[0] if record.name.startswith(OURS) else "a warning"
        more = {"left_out": left_out} if left_out else {}
        self._log.write(level=record.levelname.lower(), logger=record.name, message=words, **why, **more)


def _why(record: logging.LogRecord) -> dict[str, str]:
    """Of an error its class, the line it came from, and what the system says of it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return {}
    reason = {} if not isinstance(error, OSError) or error.errno is None else {"reason": strerror(error.errno)}
    return {**place(error), **reason}


def utc(seconds: float) -> str:
    """As 2026-11-23T01:02:03.456Z."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def place(error: BaseException) -> Mapping[str, str]:
    """The class of an error, and the module and line that raised it."""
    return {"error": type(error).__name__, "at": place_of(error)}


METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


@final
class Metrics:
    """A registry of its own: nothing else of the process is in it."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._registry = CollectorRegistry()
        self._requests = Counter(
            "dalenius_requests",
            "Requests by method, route and status.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "dalenius_request_seconds",
            "How long requests took, by route.",
            ["route"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._debits = Counter(
            "dalenius_debits", "Debits, by whether an answer came of them.", ["outcome"], registry=self._registry
        )
        self._refusals = Counter("dalenius_refusals", "Refusals, by why.", ["why"], registry=self._registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """route: as it is declared, not as it was asked for."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def debit(self, outcome: str) -> None:
        """outcome: answered, or failed."""
        self._debits.labels(outcome).inc()

    def refusal(self, why: str) -> None:
        """why: one of few words."""
        self._refusals.labels(why).inc()

    def text(self) -> tuple[bytes, str]:
        """And its media type."""
        from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self._registry), CONTENT_TYPE_LATEST
