"""TableCheck: the result of `check`, with what is wrong or doubtful in a table.

It has no cell of the table. Rows are named by their numbers, from 1 below the names of the columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, final

from dalenius.errors import row_numbers
from dalenius.tabular import Cell, Tabular

Severity = Literal["error", "warning"]

_TOO_WIDE: Final = 12
"""The most sizes of households that text shows; JSON has all."""


@final
@dataclass(frozen=True)
class Finding:
    """One thing that is wrong (error: the table cannot be used so) or doubtful (warning).

    Attributes:
        severity: `error` or `warning`.
        kind: A short name: `unusable`, `missing`, `missed`, `repeated`, `near`, `odd`, `clipped`, `nobody`.
        column: The column it is about; empty where it is about the table.
        count: How many rows or names it is about.
        rows: The numbers of the first rows, as far as the table has an order.
        words: The finding as a clause.
    """

    severity: Severity
    kind: str
    column: str
    count: int
    rows: tuple[int, ...]
    words: str

    @property
    def line(self) -> str:
        """The finding as it is printed."""
        where = f" ({row_numbers(self.rows, max(self.count, len(self.rows)))})" if self.rows else ""
        return f"{self.severity}: {self.words}{where}"

    def as_json(self) -> dict[str, Any]:
        """Returns the finding as a dictionary that is ready for JSON."""
        shown = {"severity": self.severity, "kind": self.kind, "column": self.column, "count": self.count}
        return {**shown, "rows": list(self.rows), "in_words": self.words}


@final
@dataclass(frozen=True)
class ColumnCheck:
    """One column of a checked table.

    Attributes:
        column: The column's name.
        holds: What most of its cells are, such as `texts`.
        missing: How many cells have no value.
        odd: How many cells are not what the column holds.
        different: How many different cells there are.
    """

    column: str
    holds: str
    missing: int
    odd: int
    different: int


@final
@dataclass(frozen=True, repr=False)
class TableCheck(Tabular):
    """The result of `check`: the columns of a table, and what is wrong or doubtful in it.

    Attributes:
        name: What the table is called.
        size: How many rows there are; None where the table cannot be read.
        columns: Each column.
        household_sizes: How many households there are of each size; empty without a column of households.
        findings: What is wrong, then what is doubtful.

    Example:
        >>> import dalenius as dl
        >>> found = dl.check("no_such_file.csv")
        >>> found.usable, [each.severity for each in found.findings]
        (False, ['error'])
    """

    name: str
    size: int | None
    columns: tuple[ColumnCheck, ...]
    household_sizes: Mapping[int, int]
    findings: tuple[Finding, ...]

    @property
    def usable(self) -> bool:
        """Whether nothing is wrong; there may be doubtful findings."""
        return not any(each.severity == "error" for each in self.findings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The doubtful findings, a line each."""
        return tuple(each.line for each in self.findings if each.severity == "warning")

    @property
    def caption(self) -> str:
        return f"The columns of {self.name}"

    def records(self) -> list[dict[str, Cell]]:
        """Returns a row for each column: column, holds, missing, odd, different."""
        return [
            {
                "column": each.column,
                "holds": each.holds,
                "missing": each.missing,
                "odd": each.odd,
                "different": each.different,
            }
            for each in self.columns
        ]

    def notes(self) -> list[str]:
        """Returns the sizes of households and the findings, a line each."""
        return [
            *self.sizes_in_words(),
            *(each.line for each in self.findings),
            *([] if self.findings else [self.clean]),
        ]

    @property
    def clean(self) -> str:
        """The line for a table without findings."""
        return f"nothing is wrong with the {self.size or 0:,} rows"

    def sizes_in_words(self) -> list[str]:
        """Returns one line that counts households by size; no line without households."""
        sizes = sorted(self.household_sizes.items())
        shown = [f"{count:,} of {size:,}" for size, count in sizes[:_TOO_WIDE]]
        more = f", and {len(sizes) - _TOO_WIDE:,} more sizes up to {sizes[-1][0]:,}" if len(sizes) > _TOO_WIDE else ""
        return [f"households by size: {', '.join(shown)}{more}"] if sizes else []

    def as_json(self) -> dict[str, Any]:
        """Returns the result as a dictionary that is ready for JSON."""
        return {
            "table": self.name,
            "rows": self.size,
            "usable": self.usable,
            "columns": self.records(),
            "household_sizes": [{"size": size, "households": n} for size, n in sorted(self.household_sizes.items())],
            "findings": [each.as_json() for each in self.findings],
        }
