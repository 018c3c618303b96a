"""One line of JSON per request: who was let in, what was asked for by its route, what came of it and how long it took.

Never a body, a query string, a token, an answer, a message of an error or a trace: of an error that nobody expected the
name of its class and the line it came from.
"""

import json
import logging
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from threading import Lock
from time import time
from typing import Any, TextIO, final


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
    """What libraries log, as lines of the same log. The server's own words; of others only who warns: theirs may show
    values."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        # An exception is left out: a trace shows values.
        words = record.getMessage().splitlines()[0] if record.name.startswith("uvicorn") else "a warning"
        self._log.write(level=record.levelname.lower(), logger=record.name, message=words)


def utc(seconds: float) -> str:
    """As 2026-11-23T01:02:03.456Z."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def place(error: BaseException) -> Mapping[str, str]:
    """The class of an error, and the module and line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}"
    return {"error": type(error).__name__, "at": where}
