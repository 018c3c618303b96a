"""Opens a sheet of an Excel workbook (.xlsx). The first row has the names of the columns.

A column of numbers alone is of numbers, and so on. A column of several kinds is of texts, with whole numbers as Excel
shows them:

>>> _column([1.0, 2.0, None], False), _column([1.0, "2a"], False), _column([True, False], False)
([1, 2, None], ['1', '2a'], [True, False])
"""

from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from dalenius.errors import InputError, listed
from dalenius.tables.column_names import check_columns
from dalenius.tables.csv_files import MISSING
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import IbisTable, duckdb_connection

_KEY: Final = "data.file"
_EXACT: Final = 2.0**53
"""The number below which all whole numbers are doubles, as Excel's numbers are."""


def sheet_of(path: Path, table: str | None) -> str:
    """Returns the name of the sheet that is read: the only one, or the one that is named.

    Args:
        path: The workbook.
        table: The name of the sheet; None where there is one.

    Raises:
        InputError: If there is no such sheet, or no name among several; it lists the sheets there are.
    """
    if find_spec("python_calamine") is None:
        raise InputError(_KEY, str(path), "python-calamine installed: pip install 'dalenius[excel]'")
    with engine_errors(_KEY, str(path), "an Excel workbook that can be read"):
        names = list(import_module("python_calamine").CalamineWorkbook.from_path(str(path)).sheet_names)
    if table is None and len(names) == 1:
        return str(names[0])
    if table is None or table not in names:
        raise InputError("data.table", "missing" if table is None else table, f"one of its sheets: {listed(names)}")
    return table


def open_workbook(path: Path, table: str | None, columns: Collection[str], texts: Collection[str]) -> IbisTable:
    """Returns the sheet as a table in memory; formulas are what they were when the workbook was saved.

    Args:
        path: The workbook.
        table: The name of the sheet; None where there is one.
        columns: The columns that are read.
        texts: Those of them that are read as texts.

    Raises:
        InputError: If the workbook cannot be read, or the first row has no names.
    """
    sheet = sheet_of(path, table)
    with engine_errors(_KEY, str(path), "an Excel workbook that can be read"):
        book = import_module("python_calamine").CalamineWorkbook.from_path(str(path))
        rows = [[_cell(cell) for cell in row] for row in book.get_sheet_by_name(sheet).to_python()]
    while rows and not any(cell is not None for cell in rows[-1]):
        rows.pop()
    names = rows[0] if rows else []
    # There may be a title above the table, or the table may begin further right.
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InputError(_KEY, str(path), f"a first row of sheet {sheet} with the name of each column, each once")
    check_columns(names, _KEY, str(path))
    known = names if set(columns) - {*names} else [name for name in names if name in columns]
    cells = {name: _column([row[names.index(name)] for row in rows[1:]], name in texts) for name in known}
    with engine_errors(_KEY, str(path), "an Excel workbook whose columns have one type each"):
        backend = duckdb_connection()
        arrow = import_module("pyarrow")
        backend.con.register("given", arrow.table(cells))
        backend.raw_sql("CREATE TABLE people AS FROM given")
        backend.con.unregister("given")
        return backend.table("people")


def _cell(cell: Any) -> Any:
    """Returns a cell as Python has it; None where it is missing, as in a CSV."""
    return None if isinstance(cell, str) and cell in MISSING else cell


def _column(cells: Sequence[Any], as_text: bool) -> list[Any]:
    """Returns the cells of one column as values of one type."""
    kinds = {_kind(cell) for cell in cells if cell is not None}
    if as_text or len(kinds) > 1 or kinds & {"other"}:
        return [None if cell is None else _text(cell) for cell in cells]
    if kinds == {"number"} and all(cell is None or _is_integral(cell) for cell in cells):
        return [None if cell is None else int(cell) for cell in cells]
    if kinds == {"moment"} and all(cell is None or _is_day(cell) for cell in cells):
        return [cell.date() if isinstance(cell, datetime) else cell for cell in cells]
    if kinds == {"moment"}:
        return [datetime(cell.year, cell.month, cell.day) if cell and not isinstance(cell, datetime) else cell
                for cell in cells]  # fmt: skip
    return list(cells)


def _kind(cell: Any) -> str:
    match cell:
        case bool():
            return "truth value"
        case int() | float():
            return "number"
        case str():
            return "text"
        case date():
            return "moment"
        case _:
            return "other"


def _is_integral(cell: float) -> bool:
    return cell == int(cell) and abs(cell) < _EXACT


def _is_day(cell: date) -> bool:
    return not isinstance(cell, datetime) or cell.time() == time()


def _text(cell: Any) -> str:
    """Returns the cell as Excel shows it, and a CSV would have it."""
    match cell:
        case bool():
            return "true" if cell else "false"
        case int() | float() if _is_integral(cell):
            return str(int(cell))
        case datetime() if not _is_day(cell):
            return cell.isoformat(sep=" ")
        case datetime():
            return cell.date().isoformat()
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return str(cell)
        case _:
            return str(cell)
