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
"""The most causes that are told apart before they are forgotten."""

# Seconds between two lines of one logger and cause.
_SILENCE: Final = 1.0
_OURS: Final = ("uvicorn", "dalenius")


@final
class Log:
    """The service's one log: a line of JSON for each request, error or warning.

    It is safe for threads; where the stream is gone, requests go on without it. stream: where lines go, by default
    standard error as it then is; clock: seconds since 1970.
    """

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time) -> None:
        self._stream, self._clock = stream, clock
        self._lock = Lock()

    def write(self, **fields: Any) -> None:
        """Writes a line with the time and these fields, which hold nothing that was sent."""
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
    """The handler that writes what libraries log, as lines of the same log.

    Each logger and cause has one line in `_SILENCE` seconds, which says how many were left out since the one before.
    The server's words and our own stand there; for others only who warns, and of which error: theirs may show values.
    """

    def __init__(self, log: Log, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._log, self._clock = log, clock
        self._said: dict[tuple[str, ...], tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a `record`; its handler lets in one thread at a time."""
        why = _why(record)
        cause = record.name, record.levelname, *map(str, why.values()), f"{record.pathname}:{record.lineno}"
        now = self._clock()
        # Because one cause may be logged thousands of times a second, as when connections use up all files.
        last, left_out = self._said.get(cause, (-_SILENCE, 0))
        if now - last < _SILENCE:
            self._said[cause] = last, left_out + 1
            return
        if len(self._said) >= _MOST_REMEMBERED:
            self._said.clear()
        self._said[cause] = now, 0
        # Because the message of an exception, and its trace, show values, they are left out.
        words = record.getMessage().splitlines()[0] if record.name.startswith(_OURS) else "a warning"
        more = {"left_out": left_out} if left_out else {}
        self._log.write(level=record.levelname.lower(), logger=record.name, message=words, **why, **more)


def _why(record: logging.LogRecord) -> dict[str, str]:
    """Returns the class of an error, the line it came from, and what the system says of it."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return {}
    reason = {} if not isinstance(error, OSError) or error.errno is None else {"reason": strerror(error.errno)}
    return {**error_fields(error), **reason}
