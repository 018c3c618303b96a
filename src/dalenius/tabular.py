"""Objects that are shown as one table: in a terminal, in a notebook as text, as a data frame."""

import abc
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    import pandas
    from rich.console import Group

Cell: TypeAlias = str | float | bool | None
WIDTH: Final = 80
"""Width of the text that `repr` shows, in characters."""
MOST_SHOWN: Final = 30
"""Rows that `repr` and a notebook show; a data frame has all."""


class Tabular(abc.ABC):
    """An object whose numbers are one table.

    Everywhere but in the data frame numbers have six digits, and only the first of very many rows are shown.
    """

    @property
    @abc.abstractmethod
    def caption(self) -> str:
        """The title of the table: what its numbers are, with units."""

    @abc.abstractmethod
    def records(self) -> Sequence[Mapping[str, Cell]]:
        """Returns the rows, by the names of the columns; the same names in each."""

    def shown(self) -> Sequence[Mapping[str, str]]:
        """Returns the rows as people read them; with fewer columns, where that is clearer."""
        return [{name: cell(value) for name, value in row.items()} for row in self.records()]

    def notes(self) -> Sequence[str]:
        """Returns the lines that are shown below the table."""
        return ()

    def to_frame(self) -> "pandas.DataFrame":
        """Returns all rows as a data frame, the numbers as they are."""
        import pandas

        return pandas.DataFrame(list(self.records()))

    def __rich__(self) -> "Group":
        """Returns the table and the lines below it for rich, which colours them."""
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
        """Returns the table as plain text, WIDTH columns wide."""
        from rich.console import Console

        written = StringIO()
        # Because in Jupyter rich would also display what it is to write, beside Jupyter's own display of the object.
        plain: dict[str, Any] = {"color_system": None, "force_terminal": False, "legacy_windows": False}
        console = Console(file=written, width=WIDTH, force_jupyter=False, **plain)
        console.print(self.__rich__(), markup=False, highlight=False)
        return "\n".join(line.rstrip() for line in written.getvalue().rstrip("\n").splitlines())

    def _texts(self) -> list[list[str]]:
        """Returns the names of the columns, then the rows that are shown."""
        found = self.shown()
        return [list(found[0]) if found else [""], *(list(row.values()) for row in found[:MOST_SHOWN])]

    def _below(self) -> list[str]:
        left = len(self.records()) - MOST_SHOWN
        return [*([f"and {left:,} more rows: to_frame() has all"] if left > 0 else []), *self.notes()]


def cell(value: Any) -> str:
    """Writes `value` as people read it: None as nothing, numbers with six digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
