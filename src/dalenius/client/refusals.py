"""Refusals of a service as the errors that a session raises, each with the service's own line.

A status 402 with {"error": {"message": "… 0.3 requested, 0.2 left …", "requested": 0.3, …}} is an `Overspent`, as
`Session.ask` raises it, with the same numbers.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from dalenius.curator import Failed, NotAllowed, Overspent
from dalenius.errors import DaleniusError, InputError, Refused, Unreachable, visible

_Error = TypeVar("_Error", bound=DaleniusError)
_ADDRESS: Final = "an address at which the service answers"


def unreachable(url: str, why: str, key: str | None = None) -> Unreachable:
    """Make the error of a service that does not answer.

    Args:
        url: Its address.
        why: What happened instead, in words.
        key: The key of an ask that may have been paid for; None where none was sent.
    """
    paid = "" if key is None else f'; it may be paid for: ask the same with key="{key}", and it is paid for once'
    return Unreachable("url", url, f"{_ADDRESS} ({why}){paid}")


def refusal_of(status: int, found: Mapping[str, Any] | None, url: str, key: str | None = None) -> DaleniusError:
    """Make the error of a refusal.

    Args:
        status: The status of the response.
        found: Its object of JSON; None where it has none, as a proxy's has not.
        url: The address, for an error that is not the service's.
        key: The key of the ask; None without one.

    Returns:
        The error that a session raises for the same reason, or the nearest one.
    """
    given = None if found is None else found.get("error")
    if not isinstance(given, Mapping) or not isinstance(given.get("message"), str):
        return unreachable(url, f"status {status} of something else", key)
    line = given["message"]
    match status:
        case 402:
            numbers = {name: float(given[name]) for name in ("requested", "remaining", "difference")}
            return _said(Overspent, line, whose=str(given.get("whose", "")), **numbers)
        case 403 if "wanted" in given:
            return _said(NotAllowed, line, **_parts(given))
        case 403:
            return _said(Refused, line)
        case 429 | 503 | 504:
            paid = "" if key is None else f'; ask the same with key="{key}"'
            return _said(Unreachable, line + paid, **_parts(given))
        case 502:
            return _said(Failed, line)
        case 400 | 401 | 404 | 408 | 413 | 415 | 422:
            return _said(InputError, line, **_parts({"key": "token", **given} if status == 401 else given))
    return _said(DaleniusError, line if "id" not in given else f"{line} (request {given['id']})")


def _parts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Take the fields of an `InputError` from a refusal."""
    return {"key": str(given.get("key", "")), "value": given.get("value"), "wanted": str(given.get("wanted", ""))}


def _said(kind: type[_Error], line: str, **fields: Any) -> _Error:
    """Make an error with the service's line instead of one that its constructor writes."""
    error = kind.__new__(kind)
    error.args = (visible(line),)
    vars(error).update(fields)
    return error
