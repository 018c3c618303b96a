"""One line of JSON per request in the log: never a value, a name, a body or a token.

What is refused, as a status and one JSON object; what JSON can hold, and its text read strictly: a body means one
thing to everybody.

An ask beyond the budget is 402 with {"error": {"message": …, "requested": 0.5, "remaining": 0.2, …}}; a key of the ask
that is wrong is 422 and named; what is wrong with the table or the ledger is 503 in words that say nothing of them, and
the log has the line that raised it.
"""

import json
import logging
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isfinite, isnan
from os import strerror
from threading import Lock
from time import monotonic, time
from typing import Any, Final, TextIO, final

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from dalenius.curator import Failed, NotAllowed, Overspent
from dalenius.errors import DaleniusError, InputError, Refused, place as place_of
from dalenius.server.tokens import utc

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
        # So many are told apart before they are forgotten.
        if len(self._said) >= 1000:
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


def error_fields(error: BaseException) -> Mapping[str, str]:
    """The class of an error, and the module and line that raised it."""
    return {"error": type(error).__name__, "at": place_of(error)}


HTTP_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# Levels of lists and objects within each other that a body may have.
DEPTH: Final = 24


@final
class NotJson(ValueError):
    """What is wrong with a body, in words."""


def plain(found: Any) -> Any:
    """Infinite numbers as the texts "inf" and "-inf", exact fractions as doubles, tuples as lists.

    >>> plain({"spent": float("inf"), "answers": (Fraction(7, 2), Fraction(3))})
    {'spent': 'inf', 'answers': [3.5, 3]}
    """
    if isinstance(found, Mapping):
        return {str(key): plain(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [plain(value) for value in found]
    if isinstance(found, float) and not isfinite(found):
        return None if isnan(found) else "inf" if found > 0 else "-inf"
    if isinstance(found, Fraction):
        return int(found) if found.denominator == 1 else float(found)
    return found


def parsed(raw: bytes) -> dict[str, Any]:
    """An object of JSON, read as `json_value` reads. NotJson for anything else."""
    found = json_value(raw)
    if not isinstance(found, dict):
        raise NotJson("an object of keys and values")
    return found


def json_value(raw: bytes) -> Any:
    """What JSON in UTF-8 says, so that it means one thing to everybody. NotJson for anything else, for numbers that no
    double or 64-bit integer holds, for a key that is there twice, for halves of characters, for NUL, and for what is
    nested deeper than any question is.

    >>> json_value(b'{"epsilon": 0.5}')
    {'epsilon': 0.5}
    >>> json_value(b'{"epsilon": 0.5, "epsilon": 5}')
    Traceback (most recent call last):
    dalenius.server.errors_and_log.NotJson: each key once
    """
    try:
        found = json.loads(raw.decode(), object_pairs_hook=_distinct)
    except NotJson:
        raise
    except UnicodeDecodeError:
        raise NotJson("text in UTF-8") from None
    except (ValueError, RecursionError):  # of a whole number of thousands of digits too
        raise NotJson("JSON") from None
    _check(found, DEPTH)
    return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as an object. NotJson where a key is there twice: readers differ about which of the two counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJson("each key once")
    return found


def _check(found: Any, depth: int) -> None:
    """NotJson for what JSON's own grammar allows and nobody can mean; depth: so many levels may still come."""
    if depth == 0:
        raise NotJson(f"at most {DEPTH} levels of nesting")
    if isinstance(found, str) and not is_text(found):
        raise NotJson("texts of whole characters, without NUL")
    if isinstance(found, float) and not isfinite(found):
        raise NotJson("finite numbers")
    if isinstance(found, int) and not -(2**63) <= found < 2**63:
        raise NotJson("whole numbers of at most 64 bits")
    for each in (*found, *found.values()) if isinstance(found, dict) else found if isinstance(found, list) else ():
        _check(each, depth - 1)


def is_text(text: str) -> bool:
    """Whether it has whole characters, and no NUL."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


# Keys of what the organisation has set up. What is wrong there is said to whoever runs the service, not to who asks:
# the words may hold paths, or what is in the table.
_CURATOR_KEYS: Final = ("data", "ledger", "people", "tokens", "policy")
_UNREACHABLE: Final = "the data or the ledger cannot be reached now; nothing was released"


@final
class Problem(HTTPException):
    """An answer that is a refusal. wait: seconds after which it may be tried again; fields: beside the message.

    A fastapi handler lets an HTTPException through where it would turn any other error into a bad request.
    """

    def __init__(
        self,
        status: int,
        message: str,
        wait: float | None = None,
        headers: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> None:
        after = {} if wait is None else {"Retry-After": str(max(1, int(-(-wait // 1))))}
        super().__init__(status, message, {**(headers or {}), **after})
        self.message, self.fields = message, fields

    def response(self) -> JSONResponse:
        """As it is sent."""
        found = {key: value for key, value in self.fields.items() if value is not None}
        error = {"message": self.message, **plain(found)}
        return JSONResponse({"error": error}, self.status_code, self.headers)


def stopping() -> Problem:
    """Of what is new, and of what is ended before it is paid for."""
    return Problem(503, "the service is stopping", wait=10)


def unknown_data(name: str) -> Problem:
    """Whether there is no such data set or it is not theirs: the same words."""
    wanted = "a data set that this token is of"
    return Problem(404, f"data: {_short(name)}, wanted {wanted}", key="data", value=_short(name), wanted=wanted)


def problem_of(error: Exception) -> Problem | None:
    """The refusal that an error is; None for one that nobody expected."""
    match error:
        # What is narrower comes first: an Overspent is a Refused, and a NotAllowed an InputError.
        case Problem():
            return error
        case Overspent():
            numbers = {key: getattr(error, key) for key in ("requested", "remaining", "difference", "whose")}
            return Problem(402, str(error), **numbers)
        case Failed():
            return Problem(502, str(error), key="data")
        case NotAllowed():
            return Problem(403, str(error), key=error.key, wanted=error.wanted)
        case Refused():
            return Problem(403, str(error))
        case InputError():
            return Problem(503, _UNREACHABLE, wait=5) if _is_ours(error.key) else _of_input(error)
        case DaleniusError():
            return Problem(422, str(error))
        case HTTPException():  # of the framework: no such route, or not with this method
            return Problem(error.status_code, str(error.detail).lower(), headers=error.headers)
        case RequestValidationError():
            return _of_parameter(error)
    return None


def _of_parameter(error: RequestValidationError) -> Problem:
    """A parameter of the path, the query or a header that is not what is wanted; its value is not said again."""
    first = error.errors()[0]
    key, wanted = str(first["loc"][-1]), str(first["msg"]).removeprefix("Input should be ").lower()
    return Problem(422, f"{key}: wanted {wanted}", key=key, wanted=wanted)


def _is_ours(key: str) -> bool:
    """Whether the key is of what the organisation has set up: an ask has a `measure`, and a policy has `measure 'ill'
    model`.

    >>> _is_ours("measure"), _is_ours("measure 'ill' model"), _is_ours("data.file"), _is_ours("query.kind")
    (False, True, True, False)
    """
    first, blank, _ = key.partition(".")[0].partition(" ")
    return first in _CURATOR_KEYS or (first == "measure" and bool(blank))


def _of_input(error: InputError) -> Problem:
    """The refusal of a key of the ask: key, value (shortened) and what was wanted, each in a field of its own."""
    shown = error.value if isinstance(error.value, str) else repr(error.value)
    return Problem(422, str(error), key=error.key, value=_short(shown), wanted=error.wanted)


def _short(text: str, most: int = 120) -> str:
    """On one line, and of at most so many letters: what was sent may have a million."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
