"""Columns of public or past data, cell by cell, and sequences in their order: what other models are fitted to.

Cells come back one by one, as they are: so only data are read that may be known.
Of rows (ana, 2 January, 1), (ana, 1 January, 0) and (bob, 1 January, 1) the sequences of the last column, by the date,
are [0, 1] of ana and [1] of bob. A cell becomes a value that a record may have, or none:

>>> [_value(cell) for cell in (True, 2.5, Decimal("2.50"), Decimal("3"), float("inf"))]
[1, 2.5, 2.5, 3, None]
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.tables.conditions import label_of
from dalenius.tables.csv_files import TextForm
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening import open_part
from dalenius.tables.opening_with_ibis import IbisTable, answer_of
from dalenius.tables.table_files import there


def read_columns(
    path: Path | str, columns: Sequence[str], table: str | None = None, form: TextForm | None = None
) -> dict[str, list[RecordValue]]:
    """The cells of the columns, row by row. Truth values are 0 and 1, dates are texts; none may be missing.

    path: a file or a URL; table: its name, of a database; form: of a file of text. InputError `data.columns` for a
    column that is not there or is named twice, and for a cell that is missing or infinite.
    """
    # --columns a,b,a
    twice = [column for place, column in enumerate(columns) if column in columns[:place]]
    if twice:
        raise InputError("data.columns", twice[0], "each column once")
    with _opened(path, table, dict.fromkeys(columns, "columns"), form=form) as rows:
        answer = _cells(rows.select(**{column: _readable(rows[column]) for column in columns}), path)
    return {column: _values(answer[column], "columns", column) for column in columns}


def read_sequences(
    path: Path | str,
    value: str,
    order: str,
    sequence: str | None = None,
    table: str | None = None,
    form: TextForm | None = None,
) -> list[list[RecordValue]]:
    """The values of each sequence (of the one sequence, without a sequence column), in the order of `order`.

    value, order, sequence: columns; order is of numbers, dates or times, and those of texts are read as ISO dates.
    Sequences come in the order of their names, as texts. InputError `data.order` where two rows of a sequence have the
    same place, or a place cannot be read; `data.…` where a cell is missing.
    """
    keys = {value: "value", order: "order"} | ({} if sequence is None else {sequence: "sequence"})
    # --value day --order day: one column cannot be two things.
    if len(keys) < 2 + (sequence is not None):
        raise InputError("data.order", order, "different columns for sequence, order and value")
    texts = set() if sequence is None else {sequence}  # lest "01" and "1" become one sequence
    with _opened(path, table, keys, texts, form) as rows:
        parts = {"place": _place(rows[order], order), "given": _readable(rows[order]), "value": _readable(rows[value])}
        if sequence is not None:
            parts["whose"] = label_of(rows[sequence])
        ordered = rows.select(**parts).order_by([part for part in ("whose", "place") if part in parts])
        answer = _cells(ordered, path)
    _values(answer["given"], "order", order)
    # A text that no date could be read from, as 13/4/2016.
    if unread := answer["place"].count(None):
        wanted = f"numbers, or dates and times in ISO form, in every row, {unread} of {len(answer['place'])} are not"
        raise InputError("data.order", order, wanted)
    cells = _values(answer["value"], "value", value)
    names = [""] * len(cells) if sequence is None else _values(answer["whose"], "sequence", sequence)
    groups = groupby(zip(names, answer["place"], cells, strict=True), key=lambda row: row[0])
    found = [[row[1:] for row in group] for _, group in groups]
    # Two readings of one day: which of them came first nobody can say.
    if twice := sum(before == after for own in found for (before, _), (after, _) in pairwise(own)):
        raise InputError("data.order", order, f"each place once in a sequence, {twice} of {len(cells)} rows repeat one")
    return [[cell for _, cell in own] for own in found]


def _readable(cells: Any) -> Any:
    """As a spec's [data] reads them, so that a model has the values that records will have: dates, times and the like
    are texts."""
    kind = cells.type()
    return cells.cast("string") if kind.is_temporal() or kind.is_uuid() else cells


def _place(cells: Any, order: str) -> Any:
    """What rows are sorted by; missing where a text is no date. InputError for a column that has no order, as of truth
    values."""
    kind = cells.type()
    if kind.is_string():
        return cells.try_cast("timestamp")  # "9/4/2016" and "10/4/2016" as texts would be silently out of order
    if kind.is_numeric() or kind.is_temporal():
        return cells
    raise InputError("data.order", order, f"numbers, dates or times; the column holds {kind}")


@contextmanager
def _opened(
    path: Path | str,
    table: str | None,
    keys: Mapping[str, str],
    texts: Collection[str] = (),
    form: TextForm | None = None,
) -> Iterator[IbisTable]:
    """The table as long as the block lasts. keys: each column that must be there, with the key that names it in an
    error; texts: those that are read as written."""
    part = open_part(path, table, set(keys), texts, Path(), form)
    try:
        for column, key in keys.items():
            if column not in part.table.columns:
                raise InputError(f"data.{key}", column, there(part.table.columns, column))
        yield part.table
    finally:
        part.close()


def _cells(question: Any, path: Path | str) -> dict[str, list[Any]]:
    """The engine's answer by column. InputError for a table without rows, to which nothing can be fitted."""
    with engine_errors("data.file", str(path), "columns that the engine can read"):
        answer = answer_of(question).to_pydict()
    if not next(iter(answer.values())):
        raise InputError("data.file", str(path), "a table with at least one row")
    return dict(answer)


def _values(cells: Sequence[Any], key: str, column: str) -> list[RecordValue]:
    """The cells as values of records; InputError where one is missing or cannot be one."""
    missing = sum(cell is None or (isinstance(cell, float) and math.isnan(cell)) for cell in cells)
    if missing:
        raise InputError(f"data.{key}", column, f"a cell in every row, {missing} of {len(cells)} are missing")
    values = [_value(cell) for cell in cells]
    if odd := values.count(None):
        wanted = f"finite numbers, truth values, texts or dates in every row, {odd} of {len(cells)} are not"
        raise InputError(f"data.{key}", column, wanted)
    return [value for value in values if value is not None]


def _value(cell: Any) -> RecordValue | None:
    """The cell as a value of a record; None for what cannot be one: an infinity, a list, bytes."""
    match cell:
        # Truth values are integers to Python: both become 0 or 1, or what they are.
        case bool() | int():
            return int(cell)
        case float() if math.isinf(cell):
            return None
        case float() | str():
            return cell
        case Decimal():
            return int(cell) if cell == int(cell) else float(cell)
        case _:
            return None
