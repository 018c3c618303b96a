"""The draft of a spec: what `init` was told or found, and the text that it makes of that.

A value is a column, or a condition on one, as a spec writes it:

>>> Draft("people", count=9, value="Erkrankt?", condition=Condition(column="Erkrankt?", equals="ja")).value_text
'{ column = "Erkrankt?", equals = "ja" }'
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final, final

from dalenius.errors import InputError
from dalenius.spec.condition import Condition

UNITS: Final[Mapping[str, str]] = {
    "people": "a row is one person, who may depend on their household",
    "records": "a row is a record that depends on no other row",
    "days": "a row is a day of one person, and depends on the day before",
    "households": "a row is a person, and what is hidden is how many of a household it is true of",
}
"""What a row may be about, and what that means for the model."""
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "days": (),
    "records": ("label",),
    "households": ("household", "person"),
}
"""The columns that mean something, where they are not all."""


@final
@dataclass(frozen=True)
class Draft:
    """The choices from which a spec is drafted.

    Attributes:
        rows: What a row is about, one of `UNITS`.
        data: The table, a path or a URL; None for no table.
        value: The table's column of values, or a condition as it was typed.
        household: The table's column that says who belongs together.
        label: The table's columns of public labels; of several, each combination has an answer.
        count: The number of rows; None where a table with households says it.
        factor: The factor by which a chance may grow.
        cap: The most nats for an adversary who knows everybody else.
        person: The table's column of people's ids.
        condition: The condition on the column of values that makes a bit; None where its cells are bits.
        encoding: The encoding of the table's text; None for UTF-8.
        decimal: The decimal mark of the table's text; None for a point.
        labels: How many rows have each label.
        missing: The cell that a missing answer is read as; None where no answer is missing.
        practice: The name of the data set, where the table is one to practise on; None for any other.
        gaps: A column that looks like households with cells missing; None where there is none.
    """

    rows: str
    data: str | None = None
    value: str | None = None
    household: str | None = None
    label: tuple[str, ...] = ()
    count: int | None = None
    factor: float = 2.0
    cap: float = 4.0
    person: str | None = None
    condition: Condition | None = None
    encoding: str | None = None
    decimal: str | None = None
    labels: Mapping[str, int] = field(default_factory=dict)
    missing: str | int | None = None
    practice: str | None = None
    gaps: str | None = None

    def check_unit(self, stated: bool = False) -> None:
        """Raises InputError for a unit that there is not, and for columns that rows of this unit do not have.

        Args:
            stated: Whether households need no table to be read from.
        """
        if self.rows not in UNITS:
            raise InputError("--rows", self.rows, f"{', '.join(UNITS)} (who is absent: dalenius example absent)")
        # Because one person's days have neither housemates nor labels, and records have no housemates. Secrets of
        # households beside several answers take hours.
        columns = {"household": self.household, "label": ", ".join(self.label), "person": self.person}
        having = _COLUMNS.get(self.rows, tuple(columns))
        for key, name in columns.items():
            if name and key not in having:
                raise InputError(
                    f"--{key}", name, f"none with these rows ({self.rows}): only people have all such columns"
                )
        # Because a contradiction should be found first, it is said with the flag that is one too many.
        if self.data is None and self.household is not None and not stated:
            raise InputError("--household", self.household, "a table (--data) to read the households from")
        for key, given, least in (("factor", self.factor, 1.0), ("cap", self.cap, 0.0)):
            if not (isfinite(given) and given > least):
                raise InputError(f"--{key}", given, f"a finite number above {least:g}")
        if self.count is not None and self.count < 2:
            raise InputError("--count", self.count, "a whole number of at least 2")

    def check(self, stated: bool = False) -> None:
        """Raises InputError where the choices make no spec; stated: as in `check_unit`."""
        self.check_unit(stated)
        if self.rows == "households" and self.household is None:
            raise InputError("--household", "missing", "the column that says who belongs together")
        if self.count is None and self.household is None:
            what = "days" if self.rows == "days" else "rows"
            raise InputError("--count", "missing", f"how many {what} there are, or a table (--data)")

    @property
    def value_text(self) -> str:
        """The column of values, or the condition, as a spec writes it."""
        if self.condition is None:
            return quoted(self.value or "value")
        given = getattr(self.condition, self.condition.comparison)
        return f"{{ column = {quoted(self.condition.column)}, {self.condition.comparison} = {_operand(given)} }}"

    @property
    def label_text(self) -> str:
        """The columns of labels, as a spec writes them."""
        written = [quoted(each) for each in self.label]
        return written[0] if len(written) == 1 else f"[{', '.join(written)}]"

    @property
    def missing_text(self) -> str:
        """The rule for missing answers, as a spec writes it."""
        return f"{{ as = {_operand(self.missing)} }}"


def drafted(draft: Draft) -> str:
    """Writes the whole spec of a `draft`: model, query, promises, data, as the template beside this file has them."""
    from jinja2 import StrictUndefined, Template

    text = Path(__file__).with_name("spec.toml.j2").read_text(encoding="utf-8")
    template = Template(
        text, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    said = {"factor": f"{draft.factor:g}", "cap": f"{draft.cap:g}"}
    made: str = template.render(draft=draft, quoted=quoted, **said)
    return made


def quoted(value: str) -> str:
    """Writes a text `value` as TOML does, in quotes, whatever letters it has."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _operand(value: Any) -> str:
    """Writes what a condition compares with."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_operand, value))}]"
    return quoted(value) if isinstance(value, str) else repr(value)
