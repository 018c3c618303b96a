"""Objects that are shown as one table: in a terminal, in a notebook, as a data frame."""

import abc
from collections.abc import Mapping, Sequence
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, overload

from dalenius.bounds import Enclosure, either
from dalenius.errors import InputError, meant

if TYPE_CHECKING:
    import pandas
    import polars
    from rich.console import Group
    from rich.table import Table

Cell: TypeAlias = str | float | bool | None
WIDTH: Final = 80
"""Width of the text that `repr` shows, in characters."""
HEIGHT: Final = 20
"""Lines that `repr` has at most."""
MOST_SHOWN: Final = 30
"""Rows that a terminal and a notebook show; a data frame has all."""
_FEWEST: Final = 6
"""Rows that stay above notes, where there is room for them at all."""
_FRAME: Final = 5
"""Lines of a table besides its rows: the title, the names of the columns, and three rules."""


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

    @overload
    def frame(self, library: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def frame(self, library: Literal["polars"]) -> "polars.DataFrame": ...
    def frame(self, library: str = "pandas") -> "pandas.DataFrame | polars.DataFrame":
        """Returns all rows as a data frame, the numbers as they are.

        Args:
            library: `"pandas"`, the default, or `"polars"`.

        Raises:
            InputError: For another library, or one that is not installed.
        """
        rows = list(self.records())
        if library not in ("pandas", "polars"):
            raise InputError("library", library, f"pandas or polars{meant(library, ('pandas', 'polars'))}")
        try:
            if library == "pandas":
                import pandas

                return pandas.DataFrame(rows)
            import polars
        except ModuleNotFoundError:
            raise InputError("library", library, f"a library that is installed: pip install {library}") from None
        # Because a column may begin with no number, or hold words beside numbers, all rows say what it holds.
        return polars.DataFrame(_of_one_kind(rows), infer_schema_length=None)

    def __rich__(self) -> "Group":
        """Returns the table and the lines below it for rich, which colours them."""
        from rich.console import Group

        shown = self.shown()
        return Group(self._table(shown, MOST_SHOWN), *_more(len(shown) - MOST_SHOWN), *self.notes())

    def __repr__(self) -> str:
        """Returns the table as plain text, WIDTH columns wide and at most HEIGHT lines high."""
        shown, notes = self.shown(), _plain(*self.notes())
        rows = min(len(shown), HEIGHT - _FRAME)
        # So that some notes stay readable under a long table, rows give way first, and then the last notes.
        while True:
            table = _plain(self._table(shown, rows), *_more(len(shown) - rows))
            over = len(table) + len(notes) - HEIGHT
            if over <= 0:
                return "\n".join([*table, *notes])
            if rows <= (_FEWEST if len(table) < HEIGHT else 1):
                break
            rows = max(rows - over, _FEWEST) if rows > _FEWEST else rows - 1
        left = HEIGHT - 1 - len(table)
        if left < 0:
            return "\n".join([*table[: HEIGHT - 1], "…"])
        return "\n".join([*table, *notes[:left], f"and {len(notes) - left:,} more lines: notes() has all"])

    def _repr_html_(self) -> str:
        """Returns the table for a notebook, which shows it instead of the plain text."""
        shown = self.shown()
        first, *rest = _texts(shown, MOST_SHOWN)
        head = "".join(f"<th>{escape(name)}</th>" for name in first)
        body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rest)
        below = "".join(
            f"<pre>{escape(line)}</pre>" if "\n" in line else f"<p>{escape(line)}</p>"
            for line in (*_more(len(shown) - MOST_SHOWN), *self.notes())
        )
        table = f"<caption>{escape(self.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        return f"<div><table>{table}</table>{below}</div>"

    def _table(self, shown: Sequence[Mapping[str, str]], rows: int) -> "Table":
        """Returns the first of the rows that are shown, as rich's table."""
        from rich.table import Table

        first, *rest = _texts(shown, rows)
        table = Table(title=self.caption, title_justify="left", title_style="bold")
        for name in first:
            table.add_column(name, overflow="fold")
        for row in rest:
            table.add_row(*row)
        return table


def _more(left: int) -> list[str]:
    """Returns the line that says how many rows are left out; none where none is."""
    return [f"and {left:,} more rows: frame() has all"] if left > 0 else []


def _texts(shown: Sequence[Mapping[str, str]], rows: int) -> list[list[str]]:
    """Returns the names of the columns, then the first rows."""
    return [list(shown[0]) if shown else [""], *(list(row.values()) for row in shown[:rows])]


def _plain(*shown: Any) -> list[str]:
    """Returns the lines of what rich draws, without colours."""
    from rich.console import Console

    written = StringIO()
    # Because in Jupyter rich would also display what it is to write, beside Jupyter's own display of the object.
    plain: dict[str, Any] = {"color_system": None, "force_terminal": False, "legacy_windows": False}
    console = Console(file=written, width=WIDTH, force_jupyter=False, **plain)
    for each in shown:
        console.print(each, markup=False, highlight=False)
    return [line.rstrip() for line in written.getvalue().rstrip("\n").splitlines()]


def _of_one_kind(rows: Sequence[Mapping[str, Cell]]) -> list[dict[str, Cell]]:
    """Returns rows whose columns hold either numbers or texts: numbers beside words are written as texts."""
    names = list(rows[0]) if rows else []
    mixed = {name for name in names if len({isinstance(row[name], str) for row in rows if row[name] is not None}) > 1}
    # Because a column of whole numbers and doubles holds doubles.
    whole = {name for name in names if any(type(row[name]) is float for row in rows)}
    return [{name: _as(row[name], name in mixed, name in whole) for name in names} for row in rows]


def _as(value: Cell, text: bool, double: bool) -> Cell:
    if value is None or isinstance(value, bool):
        return value
    return str(value) if text else float(value) if double and not isinstance(value, str) else value


def ends(name: str, value: "Enclosure | None") -> dict[str, Cell]:
    """Returns the two cells of an enclosure.

    Args:
        name: The column's name, to which `_lower` and `_upper` are added.
        value: The enclosure; None makes both cells None.
    """
    low, high = (None, None) if value is None else (value.lower, value.upper)
    return {f"{name}_lower": low, f"{name}_upper": high}


def between(row: Mapping[str, Cell], name: str) -> str:
    """Returns the two cells of an enclosure as people read them: as one number where six digits agree.

    Args:
        row: The row, with both cells.
        name: The name of the column, without `_lower` and `_upper`.
    """
    low, high = row[f"{name}_lower"], row[f"{name}_upper"]
    if not isinstance(low, float) or not isinstance(high, float):
        return ""
    return either(Enclosure(low, high))


def cell(value: Any) -> str:
    """Writes `value` as people read it: None as nothing, numbers with six digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
