"""Checked numbers."""

import math
from numbers import Integral
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("a finite number")
    return value


def _positive(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError("a finite number above 0")
    return value


def _level(value: float) -> float:
    if not 0 < value < 1:
        raise ValueError("a number above 0 and below 1")
    return value


def number(value: Any) -> Any:
    """The value. ValueError for a truth or a text, which pydantic would read as a number."""
    if isinstance(value, bool):
        raise ValueError("a number, not true or false")
    if isinstance(value, str):
        raise ValueError("a number, not a text")
    return value


def _integer(value: Any) -> Any:
    """Whole numbers of other libraries, such as numpy's, are whole numbers."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


Finite = Annotated[float, BeforeValidator(number), AfterValidator(_finite)]
Positive = Annotated[float, BeforeValidator(number), AfterValidator(_positive)]
Level = Annotated[float, BeforeValidator(number), AfterValidator(_level)]
Probability = Annotated[float, BeforeValidator(number)]
MOST: Final = 10**12
"""People, groups or steps: beyond it sums of records are no longer whole numbers of 64 bits or doubles."""
AnyCount = Annotated[int, BeforeValidator(_integer), Field(gt=0, strict=True)]
"""However many: of what is bounded by moments, no law is computed."""
Count = Annotated[AnyCount, Field(le=MOST)]
