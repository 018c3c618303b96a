"""The parts of a model's sentence: chances in percent, rows of them, and lists cut short."""

from collections.abc import Iterable, Sequence
from typing import Final

from dalenius.schema import Chance, RecordValue, ends_of

FEW: Final = 6
"""Of a list so many are said."""


def percent(chance: Chance) -> str:
    """A chance as it was given, or an interval of them."""
    low, high = ends_of(chance)
    return _percent(low) if low == high else f"{_percent(low)} to {_percent(high)}"


def rows(values: Sequence[RecordValue], row: Sequence[Chance]) -> str:
    """Which value with which chance."""
    return listed(f"{value} with {percent(chance)}" for value, chance in zip(values, row, strict=True))


def listed(parts: Iterable[str], between: str = ", ") -> str:
    """The first of them, and how many more."""
    every = list(parts)
    more = len(every) - FEW
    return between.join([*every[:FEW], *([f"and {more:,} more"] if more > 0 else [])])


def plural(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _percent(chance: float) -> str:
    return f"{100 * chance:.6g} %"
