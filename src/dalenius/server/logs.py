"""One line of JSON per request: who was let in, what was asked for by its route, what came of it and how long it took.

Never a body, a query string, a token, an answer, a message of an error or a trace: of an error that nobody expected the
name of its class and the line it came from.
"""

import json
import logging
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from os import strerror
from threading import Lock
from time import monotonic, time
from typing import Any, Final, TextIO, final

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
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}"
    return {"error": type(error).__name__, "at": where}
