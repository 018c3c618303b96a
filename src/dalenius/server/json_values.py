"""JSON of a request's body, checked value by value."""

import json
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite, isnan
from typing import Any, final

from dalenius.server.limits import DEPTH


@final
class NotJson(ValueError):
    """The error of a body, in words."""


def plain(found: Any) -> Any:
    """Returns what was `found` with infinite numbers as "inf" and "-inf", fractions as doubles, tuples as lists.

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
    """Returns an object of JSON from `raw` bytes, read as `json_value` reads; NotJson for anything else."""
    found = json_value(raw)
    if not isinstance(found, dict):
        raise NotJson("an object of keys and values")
    return found


def json_value(raw: bytes) -> Any:
    """Returns what `raw` JSON in UTF-8 says, so that it means one thing to everybody.

    NotJson for anything else, for numbers that no double or 64-bit integer holds, for a key that is there twice, for
    halves of characters, for NUL, and for what is nested deeper than any question is.

    >>> json_value(b'{"epsilon": 0.5}')
    {'epsilon': 0.5}
    >>> json_value(b'{"epsilon": 0.5, "epsilon": 5}')
    Traceback (most recent call last):
    dalenius.server.json_values.NotJson: each key once
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
    """Returns the pairs as an object; NotJson where a key is there twice, as readers differ about which one counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJson("each key once")
    return found


def _check(found: Any, depth: int) -> None:
    """Raises NotJson for what JSON's own grammar allows and nobody can mean; depth: so many levels may still come."""
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
    """Says whether `text` has whole characters, and no NUL."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
