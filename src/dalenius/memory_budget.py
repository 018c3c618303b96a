"""How much memory laws and tables may take: one budget, 4 GiB unless it is set.

Every limit on memory is written for the default budget and grows with the budget in use. So the answer is the same on
every machine, and a refusal names the budget that would be enough.

>>> allowed(1 << 23), spelled(enough(3 << 23, 1 << 23))
(8388608.0, '12G')
>>> with memory("1G"):
...     print(allowed(1 << 23))
2097152.0
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_CEILING, Context
from math import ceil
from typing import Final

from dalenius.errors import InputError

DEFAULT: Final = 4 << 30
"""Bytes of memory that a laptop can spare. All limits are written for it."""
_LEAST: Final = 1 << 20
"""Least budget in bytes: a smaller one is a mistyped unit, since the program itself takes more."""
_LARGEST_NAMED: Final = 1 << 42
"""Bytes above which a refusal names no budget: hardly any machine has 4 TiB."""
_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_WRITTEN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([KMGT])(?:i?B)?", re.IGNORECASE)
_VARIABLE: Final = "DALENIUS_MEMORY"
_WANTED: Final = "an amount of at least 1M, such as 8G or 500M"

_GIVEN: Final[ContextVar[int | None]] = ContextVar("memory", default=None)


@contextmanager
def memory(budget: int | str) -> Iterator[None]:
    """Sets how much memory laws and tables may take, as long as it lasts.

    Args:
        budget: Bytes, or a text with a unit: `"8G"` is 8 GiB; K, M and T are the other units.

    Raises:
        InputError: For a text without a unit, and for less than 1 MiB.

    Example:
        >>> with memory("8G"):
        ...     print(spelled(budget_in_use()))
        8G
    """
    token = _GIVEN.set(bytes_of(budget, "memory"))
    try:
        yield
    finally:
        _GIVEN.reset(token)


def budget_in_use() -> int:
    """Returns the budget in bytes: as given, else as in the environment variable DALENIUS_MEMORY, else the default."""
    given = _GIVEN.get()
    if given is not None:
        return given
    named = os.environ.get(_VARIABLE)
    return bytes_of(named, _VARIABLE) if named else DEFAULT


def allowed(at_default: float) -> float:
    """Returns the limit under the budget in use, where `at_default` is the limit at the default budget.

    Both are in states, points or bytes.
    """
    return at_default * budget_in_use() / DEFAULT


def enough(used: float, at_default: float) -> int:
    """Returns the budget, in bytes, under which `used` states, points or bytes are within the limit.

    Args:
        used: The amount that is needed.
        at_default: The limit at the default budget, in the unit of `used`.
    """
    return ceil(DEFAULT * used / at_default)


def or_more(instead: str, budget: int) -> str:
    """Adds to the advice `instead` that one may allow `budget` bytes, unless no machine has so much memory."""
    return f"{instead}; or allow --memory {spelled(budget)}" if budget <= _LARGEST_NAMED else instead


def spelled(budget: int) -> str:
    """Writes the budget of `budget` bytes with a unit, rounded up to two digits.

    >>> spelled(8 << 30), spelled((8 << 30) + 1), spelled(1500 << 20)
    ('8G', '8.1G', '1.5G')
    """
    unit, size = next((each for each in reversed(_UNITS.items()) if budget >= each[1]), ("K", _UNITS["K"]))
    return f"{Context(prec=2, rounding=ROUND_CEILING).divide(budget, size).normalize():f}{unit}"


def bytes_of(budget: int | str, key: str) -> int:
    """Returns a budget in bytes. InputError where it is none.

    Args:
        budget: Bytes, or a text with a unit, such as "8G".
        key: The key that the error names.
    """
    if isinstance(budget, str):
        found = _WRITTEN.fullmatch(budget.strip())
        size = ceil(float(found[1]) * _UNITS[found[2].upper()]) if found else 0
    else:
        size = budget
    if size < _LEAST:
        raise InputError(key, budget, _WANTED)
    return size
