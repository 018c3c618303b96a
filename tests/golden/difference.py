"""Where two JSON values differ: numbers by more than 1e-12, relatively, anything else at all."""

from collections.abc import Iterator
from math import isclose
from typing import Any, Final

CLOSE: Final = 1e-12
TIMED: Final = ("seconds",)


def differences(before: Any, now: Any, path: str = "") -> Iterator[str]:
    """One line for each difference."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            if key not in TIMED:
                yield from differences(before.get(key), now.get(key), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from differences(one, other, f"{path}[{place}]")
    elif _is_number(before) and _is_number(now):
        if not isclose(before, now, rel_tol=CLOSE, abs_tol=CLOSE):
            yield f"{path}: {before!r} became {now!r}"
    elif before != now:
        yield f"{path}: {str(before)[:200]!r} became {str(now)[:200]!r}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
