"""Where two JSON values differ: numbers by more than 1e-12, relatively, anything else at all.

An enclosure within the one before it is no difference: it became tighter. Keys that are new are differences.
"""

from collections.abc import Iterator
from math import inf, isclose
from typing import Any, Final

CLOSE: Final = 1e-12
TIMED: Final = ("seconds",)
ENDS: Final = ("lower", "upper")


def differences(before: Any, now: Any, path: str = "") -> Iterator[str]:
    """One line for each difference."""
    if isinstance(before, dict) and isinstance(now, dict):
        # `epsilon` is a number between the two ends.
        same = (*ENDS, "epsilon") if _is_tighter(before, now) else ()
        for key in sorted({*before, *now}):
            if key not in TIMED and key not in same:
                yield from differences(before.get(key), now.get(key), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from differences(one, other, f"{path}[{place}]")
    elif _is_number(before) and _is_number(now):
        if not isclose(before, now, rel_tol=CLOSE, abs_tol=CLOSE):
            yield f"{path}: {before!r} became {now!r}"
    elif before != now:
        yield f"{path}: {str(before)[:200]!r} became {str(now)[:200]!r}"


def _is_tighter(before: dict[str, Any], now: dict[str, Any]) -> bool:
    ends = [_end(each.get(key)) for each in (before, now) for key in ENDS]
    if None in ends:
        return False
    low, high, new_low, new_high = (end for end in ends if end is not None)
    return low <= new_low <= new_high <= high


def _end(value: Any) -> float | None:
    """JSON has no infinity: it is a word there."""
    return inf if value == "inf" else float(value) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
