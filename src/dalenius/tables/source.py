"""The `[data]` section of a spec: which file holds the people, and which columns say what about them."""

import math
import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Self, final
from unicodedata import normalize

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from dalenius.errors import InputError
from dalenius.schema import Finite, Frozen, Positive

COMPARISONS = ("equals", "one_of", "below", "at_most", "above", "at_least")


def _operand(value: Any) -> Any:
    if isinstance(value, date):  # TOML has dates of its own; a datetime is a date too
        return value.isoformat()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) or (isinstance(value, int | float) and math.isfinite(value)):
        return value
    raise ValueError("a finite number, a text or a date")


Operand = Annotated[int | float | str, BeforeValidator(_operand)]
"""What a cell is compared with: a number, a text, or a date as ISO text (`1861-11-20`)."""


@final
class Condition(Frozen):
    """Turns a column into a bit: 1 where the comparison holds, 0 where it does not. Exactly one is given.

    ISO dates are compared as dates where the column holds dates or timestamps (timestamps with a zone: in UTC).
    """

    column: str
    equals: Operand | None = None
    one_of: tuple[Operand, ...] | None = Field(default=None, min_length=1)
    below: Operand | None = None
    at_most: Operand | None = None
    above: Operand | None = None
    at_least: Operand | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(getattr(self, name) is not None for name in COMPARISONS) != 1:
            raise ValueError(f"exactly one of {', '.join(COMPARISONS)}")
        if len({isinstance(operand, str) for operand in self.operands}) != 1:
            raise ValueError("one_of all numbers or all texts")
        return self

    @property
    def comparison(self) -> str:
        """The name of the comparison that was given."""
        return next(name for name in COMPARISONS if getattr(self, name) is not None)

    @property
    def operands(self) -> tuple[int | float | str, ...]:
        """What the cells are compared with: one operand, or all those of `one_of`."""
        given = getattr(self, self.comparison)
        return given if isinstance(given, tuple) else (given,)


def _column_or_condition(value: Any) -> Any:
    # Read here, not left to the union: pydantic would report the branch that was not meant.
    if isinstance(value, str | Condition):
        return value
    if not isinstance(value, Mapping):
        raise ValueError("a column's name, or a condition on a column")
    try:
        return Condition(**value)
    except InputError as error:
        raise ValueError(f"{error.wanted} ({error.key.replace('Condition', 'condition')})") from None


def _name(value: str) -> str:
    # One form of what looks the same, lest a name typed on another keyboard be another data set.
    name = normalize("NFC", value)
    if not name or not name.isprintable() or name != name.strip():
        raise ValueError("a name of printable characters, without blanks around it")
    return name


@final
class Source(Frozen):
    """Where the people are, one row each, and what is read of them.

    name: of the data set, to which its budget belongs whatever file it is in; by default the file's stem.

    A numeric value x is clipped to [lower, upper] and then moved to the nearest multiple of step, floor(x/step + 1/2)
    step, row by row in the engine: the integer is computed in IEEE doubles, identically on every engine, and only then
    multiplied by the exact decimal step.
    """

    name: Annotated[str, AfterValidator(_name)] | None = None
    file: Path | None = None
    table: str | None = None
    value: Annotated[str | Condition, BeforeValidator(_column_or_condition)]
    household: str | None = None
    label: str | None = None
    lower: Finite | None = None
    upper: Finite | None = None
    step: Positive | None = None

    @model_validator(mode="after")
    def _one_range(self) -> Self:
        if isinstance(self.value, Condition) and self.wants_number:
            raise ValueError("no lower, upper or step where the value is a condition: it is 0 or 1 already")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower at most upper, not {self.lower!r} above {self.upper!r}")
        for bound in (self.lower, self.upper):
            # Otherwise rounding would carry a clipped value out of the range that the sensitivity is read from.
            if bound is not None and self.step is not None and _exact(bound) % _exact(self.step):
                raise ValueError(f"lower and upper multiples of the step {self.step!r}, {bound!r} is not")
        return self

    @property
    def wants_number(self) -> bool:
        """Whether the value has to be a number, because it is clipped or quantised."""
        return any(part is not None for part in (self.lower, self.upper, self.step))

    @property
    def value_column(self) -> str:
        """The column the value is read from."""
        return self.value.column if isinstance(self.value, Condition) else self.value

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are read, by the key that names them."""
        named = {"household": self.household, "label": self.label, "value": self.value_column}
        return {key: column for key, column in named.items() if column is not None}

    @property
    def unit(self) -> Fraction:
        """What the engine's numbers count: the step exactly as it was written, or 1."""
        return Fraction(1) if self.step is None else _exact(self.step)


def _exact(number: float) -> Fraction:
    return Fraction(repr(number))


def data_name(file: Path) -> str:
    """What a data set is called by its file. InputError where that is no name."""
    try:
        return _name(stem(file))
    except ValueError as error:
        raise InputError("data.name", "missing", f"{error} (the file's own, {stem(file)!r}, is none)") from None


def stem(file: Path) -> str:
    """The file's name without the suffix that names its format."""
    return re.sub(r"\.(csv|csv\.gz|parquet|duckdb|db)$", "", file.name, flags=re.IGNORECASE)
