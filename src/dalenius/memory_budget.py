"""How much memory laws and tables may take: one budget, 4 GiB unless it is set.

Every limit on memory is written for the default budget and grows with the budget in use, so that the answer is the same
on every machine. A refusal names the budget that would be enough.

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
"""Bytes: what a laptop can spare. All limits are written for it."""
_LEAST: Final = 1 << 20
"""Bytes below which no budget is taken: a mistyped unit, since the program itself takes more."""
_LARGEST_NAMED: Final = 1 << 42
"""Bytes above which a refusal names no budget: hardly any machine has 4 TiB."""
_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_WRITTEN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([KMGT])(?:i?B)?", re.IGNORECASE)
_VARIABLE: Final = "DALENIUS_MEMORY"
_WANTED: Final = "an amount of at least 1M, such as 8G or 500M"

_GIVEN: Final[ContextVar[int | None]] = ContextVar("memory", default=None)


@contextmanager
def memory(budget: int | str) -> Iterator[None]:
    """As long as it lasts, laws and tables may take that much memory.

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
    """The budget in bytes: as given, else as in the environment variable DALENIUS_MEMORY, else the default."""
    given = _GIVEN.get()
    if given is not None:
        return given
    named = os.environ.get(_VARIABLE)
    return bytes_of(named, _VARIABLE) if named else DEFAULT


def allowed(at_default: float) -> float:
    """The limit that stands for one at the default budget: of states, points or bytes."""
    return at_default * budget_in_use() / DEFAULT


def enough(used: float, at_default: float) -> int:
    """The budget, in bytes, with which so much is within a limit of `at_default` at the default budget."""
    return ceil(DEFAULT * used / at_default)


def or_more(instead: str, budget: int) -> str:
    """What to do instead, or to allow that budget; without the latter where no machine has so much memory."""
    return f"{instead}; or allow --memory {spelled(budget)}" if budget <= _LARGEST_NAMED else instead


def spelled(budget: int) -> str:
    """The budget with a unit, rounded up to two digits.

    >>> spelled(8 << 30), spelled((8 << 30) + 1), spelled(1500 << 20)
    ('8G', '8.1G', '1.5G')
    """
    unit, size = next((each for each in reversed(_UNITS.items()) if budget >= each[1]), ("K", _UNITS["K"]))
    return f"{Context(prec=2, rounding=ROUND_CEILING).divide(budget, size).normalize():f}{unit}"


def bytes_of(budget: int | str, key: str) -> int:
    """A budget as it is given. InputError for what is none, under that key."""
    if isinstance(budget, str):
        found = _WRITTEN.fullmatch(budget.strip())
        size = ceil(float(found[1]) * _UNITS[found[2].upper()]) if found else 0
    else:
        size = budget
    if size < _LEAST:
        raise InputError(key, budget, _WANTED)
    return size
