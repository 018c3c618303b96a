"""Problems: refusals as a status and one JSON object, and errors as fields of the log, without any value.

An ask beyond the budget is 402 with {"error": {"message": …, "requested": 0.5, "remaining": 0.2, …}}; a wrong key of
the ask is 422 and named. A defect of the table or the ledger is 503, in words that say nothing of them. The log then
has the key of the spec or policy, and the line that raised it.
"""

from collections.abc import Mapping
from typing import Any, Final, final

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from dalenius.curator import Failed, Lost, NotAllowed, Overspent
from dalenius.errors import DaleniusError, InputError, Refused, place as place_of
from dalenius.server.json_values import plain


def error_fields(error: BaseException) -> Mapping[str, str]:
    """Returns the class of an error, and the module and line that raised it."""
    return {"error": type(error).__name__, "at": place_of(error)}


def cause_fields(error: Exception) -> Mapping[str, str]:
    """Returns the fields of `error_fields`, and the key of the spec or policy where the error names one."""
    # Because an analyst is told that the table is not as the policy says, and only its keeper what is not.
    while isinstance(error, InputError) and error.key == "data" and isinstance(error.__context__, InputError):
        error = error.__context__
    return {**error_fields(error), **({"key": error.key} if isinstance(error, InputError) else {})}


def logged_of(error: Exception, found: "Problem | None") -> Mapping[str, str]:
    """Returns the fields of a line that tells the keeper why a request failed; none where the answer says it.

    Such are an error that nobody expected, and a table, a ledger or tokens that cannot be used.

    Args:
        error: The error.
        found: The refusal that it is; None for one that nobody expected.
    """
    ours = found is None or (isinstance(error, InputError) and _is_ours(error.key))
    return cause_fields(error) if ours else {}


HTTP_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


# Keys of what the organisation has set up. What is wrong there is said to whoever runs the service, not to who asks:
# the words may hold paths, or what is in the table.
_CURATOR_KEYS: Final = ("data", "ledger", "people", "tokens", "policy")
_UNREACHABLE: Final = "the data or the ledger cannot be reached now; nothing was released"


@final
class Problem(HTTPException):
    """A refusal as an answer; wait: seconds after which it may be tried again; fields: beside the message.

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
        """Returns the refusal as it is sent."""
        found = {key: value for key, value in self.fields.items() if value is not None}
        error = {"message": self.message, **plain(found)}
        return JSONResponse({"error": error}, self.status_code, self.headers)


@final
class Unreachable(DaleniusError):
    """The error of a provider of sign-on that does not answer, or not as OpenID Connect has it."""


def stopping() -> Problem:
    """Returns the refusal of what is new, and of what is ended before it is paid for."""
    return Problem(503, "the service is stopping", wait=10)


def unknown_data(name: str) -> Problem:
    """Returns the refusal of the data set `name`: in the same words whether there is none or it is not theirs."""
    wanted = "a data set that this token is of"
    return Problem(404, f"data: {_short(name)}, wanted {wanted}", key="data", value=_short(name), wanted=wanted)


def problem_of(error: Exception) -> Problem | None:
    """Returns the refusal that an error is; None for one that nobody expected."""
    match error:
        # Because an Overspent is a Refused, and a NotAllowed an InputError, the narrower ones come first.
        case Problem():
            return error
        case Overspent():
            numbers = {key: getattr(error, key) for key in ("requested", "remaining", "difference", "whose")}
            return Problem(402, str(error), **numbers)
        case Unreachable():  # its words may name addresses of the organisation
            return Problem(503, "the provider of sign-on cannot be reached now; try again", wait=10)
        case Failed() | Lost():
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
    """Returns the refusal of a parameter of the path, the query or a header; its value is not said again."""
    first = error.errors()[0]
    key, wanted = str(first["loc"][-1]), str(first["msg"]).removeprefix("Input should be ").lower()
    return Problem(422, f"{key}: wanted {wanted}", key=key, wanted=wanted)


def _is_ours(key: str) -> bool:
    """Says whether the key is of what the organisation has set up.

    An ask has a `measure`, and a policy has `measure 'ill' model`.

    >>> _is_ours("measure"), _is_ours("measure 'ill' model"), _is_ours("data.file"), _is_ours("query.kind")
    (False, True, True, False)
    """
    first, blank, _ = key.partition(".")[0].partition(" ")
    return first in _CURATOR_KEYS or (first == "measure" and bool(blank))


def _of_input(error: InputError) -> Problem:
    """Returns the refusal of a key of the ask: key, value (shortened) and what was wanted, each in its own field."""
    shown = error.value if isinstance(error.value, str) else repr(error.value)
    return Problem(422, str(error), key=error.key, value=_short(shown), wanted=error.wanted)


def _short(text: str, most: int = 120) -> str:
    """Returns the text on one line, and of at most so many letters: what was sent may have a million."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
