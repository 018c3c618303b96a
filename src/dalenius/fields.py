"""Checked fields of a spec: numbers, probabilities alone and in rows, counts, and values of records.

A probability may be a number or an interval that it lies in. Every section of a spec is made of these types.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Annotated, Any, Final, TypeAlias, final

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
)
from pydantic_core.core_schema import CoreSchema, no_info_after_validator_function

from dalenius.limits import Limit


@final
@dataclass(frozen=True)
class AtMost:
    """Refuses a number above a limit, and a text or list that is longer; the refusal names the limit.

    Pydantic's own `le` and `max_length` would say the number alone.
    """

    limit: Limit

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self._checked, handler(source))

    def _checked(self, value: Any) -> Any:
        size = len(value) if isinstance(value, str | tuple | list) else value
        if size > self.limit:
            raise ValueError(f"{self._wanted(value).format(int(self.limit))} (limit {self.limit.name})")
        return value

    def _wanted(self, value: Any) -> str:
        if isinstance(value, str):
            return "a text of at most {:,} letters"
        return "at most {:,} entries" if isinstance(value, tuple | list) else "a number of at most {:,}"


def _finite(value: float) -> float:
    """Returns the number. ValueError for an infinity or NaN, which TOML can write."""
    if not math.isfinite(value):
        raise ValueError("a finite number")
    return value


def _positive(value: float) -> float:
    """Returns the number. ValueError unless it is a scale or a size: finite, and above 0."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError("a finite number above 0")
    return value


def _level(value: float) -> float:
    """Returns a confidence. ValueError for 0 and 1."""
    if not 0 < value < 1:
        raise ValueError("a number above 0 and below 1")
    return value


def _number(value: Any) -> Any:
    """Returns the value. ValueError for a truth or a text, which pydantic would read as a number."""
    # Because pydantic would read `epsilon = true` as 1.
    if isinstance(value, bool):
        raise ValueError("a number, not true or false")
    if isinstance(value, str):
        raise ValueError(f"a number, not a text{_logarithm(value)}")
    return value


def _logarithm(text: str) -> str:
    """Returns the value of a logarithm in parentheses, so that it can be written as a number; "" for other texts."""
    found = re.fullmatch(r"\s*(?:ln|log)\s*\(?\s*(\d{1,9}(?:\.\d{1,9})?)\s*\)?\s*", text)
    return f" ({text.strip()} is {math.log(float(found[1])):.10g})" if found and float(found[1]) > 0 else ""


def _integer(value: Any) -> Any:
    """Returns whole numbers of other libraries, such as numpy's, as Python's."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


Finite = Annotated[float, BeforeValidator(_number), AfterValidator(_finite)]
Positive = Annotated[float, BeforeValidator(_number), AfterValidator(_positive)]
Level = Annotated[float, BeforeValidator(_number), AfterValidator(_level)]
Probability = Annotated[float, BeforeValidator(_number)]
LARGEST_COUNT: Final = Limit(
    "fields.largest_count",
    10**12,
    "people",
    "People, groups or steps of a model. Integers of 64 bits and doubles hold sums over them.",
)
LARGEST_PORT: Final = 65_535
"""The largest number of a port, which has 16 bits."""
Whole = Annotated[int, BeforeValidator(_integer), Field(strict=True)]
"""A whole number, which a text, a truth or a number such as 3.0 is not."""
AnyCount = Annotated[Whole, Field(gt=0)]
"""A count without a limit, for models that are bounded by moments: no law of theirs is computed."""
Count = Annotated[AnyCount, AtMost(LARGEST_COUNT)]


Chance: TypeAlias = float | tuple[float, float]
"""A probability: a number, or an interval [lo, hi] that it lies in."""


def distribution(values: tuple[float, ...]) -> tuple[float, ...]:
    """Returns the probabilities `values`, scaled to sum 1 to the last digit.

    ValueError unless none is negative or NaN and their sum is 1 to 1e-9. A row that was scaled stays as it is when it
    is read again.
    """
    for place, value in enumerate(values, 1):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"probabilities of at least 0 (number {place} is {value})")
    total = math.fsum(values)
    if not values or abs(total - 1) > 1e-9:
        raise ValueError(f"probabilities that sum to 1 (these sum to {total:.12g})")
    # Because a scaled row sums to 1 but for a rounding: scaled again it would change each time it is read.
    return values if abs(total - 1) <= 2**-52 else tuple(value / total for value in values)


def credal(row: tuple[Chance, ...]) -> tuple[Chance, ...]:
    """Checks a `row` of probabilities, each a number or an interval [lo, hi].

    A row of numbers is returned as by `distribution`. A row with intervals is returned as given; ValueError unless
    its ends are in order and within [0, 1], and some law lies inside, to 1e-9.

    >>> credal(((0.1, 0.2), 0.8))
    ((0.1, 0.2), 0.8)
    >>> credal(((0.1, 0.2), 0.5))
    Traceback (most recent call last):
    ValueError: intervals with a law inside, of sum 1 (lower ends sum to 0.6, upper ends to 0.7: [0.1, 0.2], [0.5, 0.5])
    """
    points = tuple(each for each in row if not isinstance(each, tuple))
    if len(points) == len(row):
        return distribution(points)
    for place, (low, high) in enumerate(map(ends_of, row), 1):
        if low > high:
            raise ValueError(f"intervals [lo, hi] with lo at most hi (number {place} is [{low:.12g}, {high:.12g}])")
        if not (low >= 0 and high <= 1):
            shown = f"{low:.12g}" if low == high else f"[{low:.12g}, {high:.12g}]"
            raise ValueError(f"probabilities from 0 to 1 (number {place} is {shown})")
    least, most = (math.fsum(column) for column in zip(*map(ends_of, row), strict=True))
    if not least <= 1 + 1e-9 or not most >= 1 - 1e-9:
        shown = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in map(ends_of, row))
        sums = f"lower ends sum to {least:.12g}, upper ends to {most:.12g}"
        raise ValueError(f"intervals with a law inside, of sum 1 ({sums}: {shown})")
    return row


def ends_of(chance: Chance) -> tuple[float, float]:
    """Returns the two ends of the interval `chance`; a number is both.

    >>> ends_of(0.3), ends_of((0.1, 0.4))
    ((0.3, 0.3), (0.1, 0.4))
    """
    return chance if isinstance(chance, tuple) else (chance, chance)


def is_credal(row: Sequence[Chance]) -> bool:
    """Says whether some entry of `row` is written as an interval."""
    return any(isinstance(each, tuple) for each in row)


def _chance(value: Any) -> Any:
    """Returns a number, or two as an interval; whether they make sense is checked with the whole row."""
    # Because pydantic would name the union's members in the path, this is read here and not left to the union.
    if isinstance(value, list | tuple):
        if len(value) != 2 or any(isinstance(end, bool) or not isinstance(end, Real) for end in value):
            raise ValueError("a number, or an interval [lo, hi] of two numbers")
        return float(value[0]), float(value[1])
    # The case of a section, or a list of lists, where a probability was wanted.
    if not hasattr(_number(value), "__float__"):
        raise ValueError("a number")
    return float(value)


def _inside(chance: Chance) -> Chance:
    """Returns one probability alone, checked: within [0, 1], ends in order."""
    low, high = ends_of(chance)
    if low > high:
        raise ValueError("an interval [lo, hi] with lo at most hi")
    if not (low >= 0 and high <= 1):
        raise ValueError("a probability from 0 to 1")
    return chance


SingleChance = Annotated[Chance, BeforeValidator(_chance), AfterValidator(_inside)]
"""One probability that may be an interval of them."""
Probabilities = Annotated[tuple[Probability, ...], AfterValidator(distribution)]
Chances = Annotated[tuple[Annotated[Chance, BeforeValidator(_chance)], ...], AfterValidator(credal)]
"""A row of probabilities, each a number or an interval: a set of laws (Theory §21)."""


Value = bool | int | float | str
"""A value a record can take. True and False are 1 and 0."""


def _record_value(value: Any) -> Any:
    """Returns numbers and texts as they are, True and False as 1 and 0. ValueError for anything else."""
    # Because pydantic would name the union's members in the path, this is read here and not left to the union.
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a finite number or a text")
    if not isinstance(value, Real | str):
        raise ValueError("a number or a text")
    return int(value) if isinstance(value, Integral) else value


def _stage(given: Any) -> Any:
    """Returns the name of a stage as a text: stages without names are numbered from 1."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


RecordValue = Annotated[int | float | str, BeforeValidator(_record_value)]
StageName = Annotated[str, BeforeValidator(_stage)]


def _person(given: Any) -> int | str:
    """Returns a number from 1, or a name. ValueError, in one line, for anything else."""
    # Because pydantic would name the union's members in the path, this is read here and not left to the union.
    if isinstance(given, bool) or not (isinstance(given, str) or (isinstance(given, int) and given > 0)):
        raise ValueError("a number of at least 1 or a name (people are numbered from 1)")
    return given


PersonKey = Annotated[int | str, BeforeValidator(_person)]
