"""Objects to what JSON can hold, and its text to objects: strictly, so that a body means one thing to everybody."""

import json
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite, isnan
from typing import Any, Final, final

DEPTH: Final = 24
LARGEST: Final = 2**63


@final
class NotJson(ValueError):
    """What is wrong with a body, in words."""


def plain(found: Any) -> Any:
    """Infinite numbers as the texts "inf" and "-inf", exact fractions as doubles, tuples as lists."""
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
    """An object of JSON in UTF-8. NotJson for anything else, for numbers that no double or 64-bit integer holds, for a
    key that is there twice, for halves of characters, for NUL, and for what is nested deeper than any question is."""
    try:
        text = raw.decode()
        found = json.loads(
            text, parse_constant=_no_number, parse_float=_finite, parse_int=_whole, object_pairs_hook=_distinct
        )
        _check(found)
    except NotJson:
        raise
    except UnicodeDecodeError:
        raise NotJson("text in UTF-8") from None
    except (ValueError, RecursionError):
        raise NotJson("JSON") from None
    if not isinstance(found, dict):
        raise NotJson("an object of keys and values")
    return found


def _no_number(_: str) -> float:
    raise NotJson("finite numbers")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise NotJson("finite numbers")
    return value


def _whole(text: str) -> int:
    if len(text) > 20 or not -LARGEST <= int(text) < LARGEST:
        raise NotJson("whole numbers of at most 64 bits")
    return int(text)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJson("each key once")
    return found


def _check(found: Any) -> None:
    """Not by recursion: how deep it is is what is asked."""
    level = [found]
    for _ in range(DEPTH):
        if not level:
            return
        texts = [each for each in level if isinstance(each, str)]
        texts += [key for each in level if isinstance(each, dict) for key in each]
        for text in texts:
            _check_text(text)
        inner = [list(each.values()) if isinstance(each, dict) else each for each in level]
        level = [value for each in inner if isinstance(each, list) for value in each]
    raise NotJson(f"at most {DEPTH} levels of nesting")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise NotJson("texts without NUL")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotJson("texts of whole characters") from None
