"""The log of the service: one line for each request, without what analysts ask."""

import json
import logging
import sys
from collections.abc import Callable
from os import strerror
from threading import Lock
from time import monotonic, time
from typing import Any, Final, TextIO, final

from dalenius.server.problems import error_fields
from dalenius.server.tokens import utc

_MOST_REMEMBERED: Final = 1000
"""Causes that are told apart before they are forgotten."""

# Seconds between two lines of one logger and cause.
_SILENCE: Final = 1.0
_OURS: Final = ("uvicorn", "dalenius.server")


@final
class Log:
    """The service's one log: a line of JSON for each request, error or warning.

    stream: where lines go, by default standard error as it then is; clock: seconds since 1970. Safe for threads; where
    the stream is gone, requests go on without it.
    """

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time) -> None:
        self._stream, self._clock = stream, clock
        self._lock = Lock()

    def write(self, **fields: Any) -> None:
        """A line with the time and these fields, which hold nothing that was sent."""
        line = json.dumps({"time": utc(self._clock()), **fields}, ensure_ascii=True)
        stream = self._stream if self._stream is not None else sys.stderr
        try:
            with self._lock:
                stream.write(line + "\n")
                stream.flush()
        except (OSError, ValueError):  # a full disk, or a closed pipe
            return


@final
class LibraryLog(logging.Handler):
    """What libraries log, as lines of the same log: one in `_SILENCE` seconds of each logger and cause, which says how
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
        # Somebody opens more connections than there are files: one cause, said thousands of times a second.
        last, left_out = self._said.get(cause, (-_SILENCE, 0))
        if now - last < _SILENCE:
            self._said[cause] = last, left_out + 1
            return
        if len(self._said) >= _MOST_REMEMBERED:
            self._said.clear()
        self._said[cause] = now, 0
        # The message of an exception, and its trace, are left out: they show values.
        words = record.getMessage().splitlines()[0] if record.name.startswith(_OURS) else "a warning"
        more = {"left_out": left_out} if left_out else {}
        self._log.write(level=record.levelname.lower(), logger=record.name, message=words, **why, **more)


def _why(record: logging.LogRecord) -> dict[str, str]:
    """Of an error its class, the line it came from, and what the system says of it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return {}
    reason = {} if not isinstance(error, OSError) or error.errno is None else {"reason": strerror(error.errno)}
    return {**error_fields(error), **reason}
