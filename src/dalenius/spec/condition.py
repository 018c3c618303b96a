"""Conditions on columns, which make a bit of what a row holds; and what a missing answer means.

>>> Condition(column="age", at_least=65).words
'age at least 65'
>>> read_as({"as": "nein"}), read_as("leave_out")
({'as': 'nein'}, 'leave_out')
"""

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, final

from pydantic import BeforeValidator, Field, model_validator

from dalenius.errors import InputError
from dalenius.frozen_section import Frozen
from dalenius.sentences.sentence import Name, Phrase, Series, commas, said, value_phrase

_COMPARISONS = ("equals", "one_of", "below", "at_most", "above", "at_least", "missing")

_DIGITS: Final = 10**38
"""Bound of the whole numbers that engines compare exactly: those of 38 digits."""


def _operand(value: Any) -> Any:
    """Returns a number, a text or a date as it is compared with cells. ValueError for anything else."""
    if isinstance(value, date):  # TOML has dates of its own; a datetime is a date too
        return value.isoformat()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and abs(value) >= _DIGITS:
        raise ValueError("a whole number of at most 38 digits")
    if isinstance(value, str) or (isinstance(value, int | float) and math.isfinite(value)):
        return value
    raise ValueError("a finite number, a text or a date")


Operand = Annotated[int | float | str, BeforeValidator(_operand)]
"""The value that a cell is compared with: a number, a text, or a date as ISO text (`1861-11-20`)."""


@final
class Condition(Frozen):
    """A condition that turns a column into a bit: 1 where the comparison holds, 0 where it does not.

    Exactly one comparison is given. `missing` says whether the cell is empty. ISO dates are compared as dates where the
    column holds dates or timestamps (timestamps with a zone: in the column's own, or UTC where the engine keeps none).

    >>> Condition(column="age", at_least=65).words
    'age at least 65'
    """

    column: str
    equals: Operand | None = None
    one_of: tuple[Operand, ...] | None = Field(default=None, min_length=1)
    below: Operand | None = None
    at_most: Operand | None = None
    above: Operand | None = None
    at_least: Operand | None = None
    missing: Annotated[bool, Field(strict=True)] | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        """Raises ValueError for none of the comparisons or two, and for operands of two kinds."""
        if sum(getattr(self, name) is not None for name in _COMPARISONS) != 1:
            raise ValueError(f"exactly one of {', '.join(_COMPARISONS)}")
        # The case one_of = [1, "2"]: a column has numbers or texts, not both.
        if len({isinstance(operand, str) for operand in self.operands}) != 1:
            raise ValueError("one_of all numbers or all texts")
        return self

    @property
    def words(self) -> Phrase:
        """The condition in words, as in "age at least 65"."""
        if self.missing is not None:
            return said("cell_missing" if self.missing else "cell_there", column=Name(self.column))
        *most, last = [value_phrase(each) for each in self.operands]
        which = said("one_of_cells", first=commas(most), last=last) if most else last
        return said(f"cell_{self.comparison}", column=Name(self.column), cells=which)

    @property
    def comparison(self) -> str:
        """The name of the comparison that was given."""
        return next(name for name in _COMPARISONS if getattr(self, name) is not None)

    @property
    def there(self) -> bool:
        """Whether the condition is that the cell is not empty."""
        return self.missing is False

    @property
    def asks_for_texts(self) -> bool:
        """Whether the comparison is with texts."""
        return self.comparison in ("equals", "one_of") and isinstance(self.operands[0], str)

    @property
    def operands(self) -> tuple[int | float | str, ...]:
        """The values that the cells are compared with: one operand, or all those of `one_of`."""
        given = getattr(self, self.comparison)
        return given if isinstance(given, tuple) else (given,)


def _condition(value: Any) -> Any:
    """Returns a condition, or several. ValueError as their own."""
    if isinstance(value, Condition | Conditions):
        return value
    if not isinstance(value, Mapping):
        raise ValueError("a condition on a column, or several (all = [...], any = [...])")
    # Because pydantic would report the branch that was not meant, this is read here and not left to the union.
    try:
        return Conditions(**value) if {"all", "any"} & set(value) else Condition(**value)
    except InputError as error:
        raise ValueError(f"{error.wanted} ({re.sub('Conditions?', 'condition', error.key)})") from None


@final
class Conditions(Frozen):
    """Several conditions: all or any must hold. Each of them may be several again.

    >>> ill = Condition(column="ill", equals="ja")
    >>> old = Conditions(any=[Condition(column="age", at_least=65), Condition(column="frail", equals=1)])
    >>> Conditions(all=[ill, old]).words
    'ill = ja and (age at least 65 or frail = 1)'
    """

    all: "tuple[AnyCondition, ...] | None" = Field(default=None, min_length=2)
    any: "tuple[AnyCondition, ...] | None" = Field(default=None, min_length=2)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        """Raises ValueError for neither of them, or both."""
        if (self.all is None) == (self.any is None):
            raise ValueError("either all or any, a list of at least two conditions")
        return self

    @property
    def parts(self) -> "tuple[Condition | Conditions, ...]":
        """The conditions; all or any must hold."""
        return (self.all if self.any is None else self.any) or ()

    @property
    def words(self) -> Phrase:
        """The conditions in words, with inner ones in parentheses."""
        parts = (said("inner", words=each.words) if isinstance(each, Conditions) else each.words for each in self.parts)
        return Series("between_all" if self.any is None else "between_any", parts)


AnyCondition: TypeAlias = Annotated[Condition | Conditions, BeforeValidator(_condition)]
"""A condition on a column, or several conditions."""

Conditions.model_rebuild()


def single_conditions(condition: Condition | Conditions) -> tuple[Condition, ...]:
    """Returns the conditions on one column that a `condition` is made of, from left to right."""
    if isinstance(condition, Condition):
        return (condition,)
    return tuple(single for part in condition.parts for single in single_conditions(part))


def column_or_condition(value: Any) -> Any:
    """Returns a `value` of a spec as a column's name, or as conditions. ValueError as the conditions' own."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping | Condition | Conditions):
        raise ValueError("a column's name, or a condition on a column")
    return _condition(value)


MISSING_VALUE: Final = "missing"
"""The value of a record without an answer, where that is a value of its own."""
RULES: Final = ("refuse", "value", "leave_out")
"""The rules for a missing answer that are one word."""


def read_as(given: Any) -> Any:
    """Returns `given`, the meaning of a missing answer: a rule, or the cell that it is read as. ValueError else."""
    if isinstance(given, str) and given in RULES:
        return given
    if isinstance(given, Mapping) and set(given) == {"as"}:
        return {"as": _operand(given["as"])}
    raise ValueError(f'{", ".join(RULES)}, or {{ as = "no" }} with the cell that a missing one is read as')


Missing: TypeAlias = Annotated[
    Literal["refuse", "value", "leave_out"] | Mapping[str, Operand], BeforeValidator(read_as)
]
"""What a missing answer means: refuse the table, a value of its own, leave the row out, or read it as another cell."""
