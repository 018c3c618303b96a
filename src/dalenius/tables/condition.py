"""A comparison that a column is asked for: of a value, or of which rows belong to the data set."""

import math
from datetime import date
from typing import Annotated, Any, Self, final

from pydantic import BeforeValidator, Field, model_validator

from dalenius.schema import Frozen

SIGNS = {
    "equals": "=",
    "one_of": "is",
    "below": "below",
    "at_most": "at most",
    "above": "above",
    "at_least": "at least",
}
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
    def words(self) -> str:
        """As in "age at least 65"."""
        *most, last = [f"{each}" for each in self.operands]
        which = f"{', '.join(most)} or {last}" if most else last
        return f"{self.column} {SIGNS[self.comparison]} {which}"

    @property
    def comparison(self) -> str:
        """The name of the comparison that was given."""
        return next(name for name in COMPARISONS if getattr(self, name) is not None)

    @property
    def asks_for_texts(self) -> bool:
        """Whether a cell is to be one of some texts."""
        return self.comparison in ("equals", "one_of") and isinstance(self.operands[0], str)

    @property
    def operands(self) -> tuple[int | float | str, ...]:
        """What the cells are compared with: one operand, or all those of `one_of`."""
        given = getattr(self, self.comparison)
        return given if isinstance(given, tuple) else (given,)
