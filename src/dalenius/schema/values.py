"""Values of records, alone and of several data sets."""

import math
from numbers import Integral, Real
from typing import Annotated, Any, Self, final

from pydantic import BeforeValidator

Value = bool | int | float | str
"""A value a record can take. True and False are 1 and 0."""


def _record_value(value: Any) -> Any:
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a finite number or a text")
    if not isinstance(value, Real | str):
        raise ValueError("a number or a text")
    return int(value) if isinstance(value, Integral) else value


def _stage(given: Any) -> Any:
    """Stages without names are numbered from 1."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


RecordValue = Annotated[int | float | str, BeforeValidator(_record_value)]
StageName = Annotated[str, BeforeValidator(_stage)]


@final
class Process(str):
    """One person's values in several data sets as one value of their record: a text that lists them.

    stages: the data sets' names; values: one for each.
    """

    stages: tuple[str, ...]
    values: tuple[int | float | str, ...]

    def __new__(cls, stages: tuple[str, ...], values: tuple[int | float | str, ...]) -> Self:
        found = str.__new__(cls, ", ".join(map(str, values)))
        found.stages, found.values = stages, values
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.stages, self.values

    def joined(self, other: "Process") -> "Process":
        """The process that goes on with the other's stages."""
        return Process((*self.stages, *other.stages), (*self.values, *other.values))
