"""What is shown as one table: in a terminal, in a notebook as text, as a data frame."""

import abc
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    import pandas
    from rich.console import Group

Cell: TypeAlias = str | float | bool | None
WIDTH: Final = 80
"""Columns of what `repr` shows."""
MOST_SHOWN: Final = 30
"""Rows that `repr` and a notebook show; a data frame has all."""


class Tabular(abc.ABC):
    """An object whose numbers are one table. Everywhere but in the data frame numbers have six digits, and of very many
    rows the first are shown."""

    @property
    @abc.abstractmethod
    def caption(self) -> str:
        """What the table shows, with units."""

    @abc.abstractmethod
    def records(self) -> Sequence[Mapping[str, Cell]]:
        """Its rows, by the names of the columns; the same names in each."""

    def shown(self) -> Sequence[Mapping[str, str]]:
        """The same as people read it; fewer columns, where that is clearer."""
        return [{name: cell(value) for name, value in row.items()} for row in self.records()]

    def notes(self) -> Sequence[str]:
        """What is said below it, a line each."""
        return ()

    def to_frame(self) -> "pandas.DataFrame":
        """All rows, the numbers as they are."""
        import pandas

        return pandas.DataFrame(list(self.records()))

    def __rich__(self) -> "Group":
        """For rich, which colours it: the table and what is said below."""
        from rich.console import Group
        from rich.table import Table

        first, *rest = self._texts()
        table = Table(title=self.caption, title_justify="left", title_style="bold")
        for name in first:
            table.add_column(name, overflow="fold")
        for row in rest:
            table.add_row(*row)
        return Group(table, *self._below())

    def __repr__(self) -> str:
        """As plain text, WIDTH columns wide."""
        from rich.console import Console

        written = StringIO()
        # In Jupyter rich would else display what it is to write, beside what Jupyter displays of the same object.
        plain: dict[str, Any] = {"color_system": None, "force_terminal": False, "legacy_windows": False}
        console = Console(file=written, width=WIDTH, force_jupyter=False, **plain)
        console.print(self.__rich__(), markup=False, highlight=False)
        return "\n".join(line.rstrip() for line in written.getvalue().rstrip("\n").splitlines())

    def _texts(self) -> list[list[str]]:
        """The names of the columns, then the rows that are shown."""
        found = self.shown()
        return [list(found[0]) if found else [""], *(list(row.values()) for row in found[:MOST_SHOWN])]

    def _below(self) -> list[str]:
        left = len(self.records()) - MOST_SHOWN
        return [*([f"and {left:,} more rows: to_frame() has all"] if left > 0 else []), *self.notes()]


def cell(value: Any) -> str:
    """As people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
