"""Reads columns of public or past data, cell by cell, and sequences in their order: other models are fitted to them.

Cells come back one by one, as they are: so only data are read that may be known. Take rows (ana, 2 January, 1), (ana, 1
January, 0) and (bob, 1 January, 1). The sequences of the last column, by the date, are [0, 1] of ana and [1] of bob. A
cell becomes a value that a record may have, or none:

>>> [_value(cell) for cell in (True, 2.5, Decimal("2.50"), Decimal("3"), float("inf"))]
[1, 2.5, 2.5, 3, None]
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import reduce
from itertools import groupby, pairwise
from operator import and_
from pathlib import Path
from typing import Any

from dalenius.errors import InputError, written
from dalenius.fields import RecordValue
from dalenius.spec.condition import MISSING_VALUE, Condition, Conditions, Missing, single_conditions
from dalenius.spec.data_section import Source
from dalenius.tables.chosen_rows import fulfilled, known
from dalenius.tables.conditions import check_spelling, compares_codes, empty, label_of
from dalenius.tables.csv_files import TextForm
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.missing_answers import NO_SUCH_TEXT, answered
from dalenius.tables.near_names import out_of
from dalenius.tables.opening import TableLike, open_part
from dalenius.tables.opening_with_ibis import IbisTable, answer_of, counted
from dalenius.tables.table_files import there


def read_columns(
    path: TableLike,
    columns: Sequence[str],
    table: str | None = None,
    form: TextForm | None = None,
    texts: Collection[str] = (),
    missing: Missing | None = None,
) -> dict[str, list[RecordValue]]:
    """Returns the cells of the columns, row by row.

    Truth values are 0 and 1, dates are texts.

    Args:
        path: A file, a URL or a frame.
        columns: The names of the columns.
        table: The name of the table in a database; None for a file that is one table.
        form: How a file of text is written; None for UTF-8 with a decimal point.
        texts: The columns of a file that are read as they are written, as names of people are.
        missing: What a missing cell means, as in `[data]`; None: it is refused. `leave_out` leaves out each row in
            which one of the columns has none.

    Raises:
        InputError: `data.columns` for a column that is not there or is named twice, and for a cell that is missing or
            infinite. `data.missing` for a cell to be read instead, if there are several columns.
    """
    # --columns a,b,a names a column twice.
    twice = [column for place, column in enumerate(columns) if column in columns[:place]]
    if twice:
        raise InputError("data.columns", twice[0], "each column once")
    if isinstance(missing, Mapping) and len(columns) > 1:
        wanted = "refuse, value or leave_out, as several columns are read"
        raise InputError("data.missing", f"{{ as = {written(missing['as'])} }}", wanted)
    with _opened(path, table, dict.fromkeys(columns, "columns"), texts, form) as rows:
        if missing == "leave_out":
            rows = rows.filter(reduce(and_, [empty(rows[column]).ifelse(False, True) for column in columns]))
        elif isinstance(missing, Mapping):
            rows, _ = answered(rows, Source(value=columns[0], missing=missing))
        answer = _cells(rows.select(**{column: _readable(rows[column]) for column in columns}), path)
    return {column: _values(answer[column], "columns", column, missing) for column in columns}


def read_sequences(
    path: Path | str,
    value: str | Condition | Conditions,
    order: str,
    sequence: str | None = None,
    table: str | None = None,
    form: TextForm | None = None,
    missing: Missing | None = None,
) -> list[list[RecordValue]]:
    """Returns the values of each sequence, in the order of the column `order`.

    Sequences come in the order of their names, as texts; without a sequence column there is one.

    Args:
        path: A file or a URL.
        value: The column of the values, or a condition, which makes 1 and 0 of it.
        order: A column of numbers, dates or times; texts are read as ISO dates.
        sequence: The column that says which sequence a row belongs to; None for one sequence.
        table: The name of the table in a database; None for a file that is one table.
        form: How a file of text is written; None for UTF-8 with a decimal point.
        missing: What a missing value means, as in `[data]`; None: it is refused. A place or a sequence is never
            missing.

    Raises:
        InputError: `data.order` where two rows of a sequence have the same place, or a place cannot be read; `data.…`
            where a cell is missing. `data.missing` for `leave_out`.
    """
    # Because a row between two others cannot go without making these neighbours.
    if missing == "leave_out":
        wanted = "refuse, value or another cell: without a row of a sequence, records are neighbours that are not"
        raise InputError("data.missing", missing, wanted)
    conditions = () if isinstance(value, str) else single_conditions(value)
    read = (value,) if isinstance(value, str) else tuple(dict.fromkeys(each.column for each in conditions))
    keys = dict.fromkeys(read, "value") | {order: "order"} | ({} if sequence is None else {sequence: "sequence"})
    # One column cannot be two things, as in --value day --order day.
    if len(keys) < len(read) + 1 + (sequence is not None):
        raise InputError("data.order", order, "different columns for sequence, order and value")
    texts = set() if sequence is None else {sequence}  # lest "01" and "1" become one sequence
    texts |= {each.column for each in conditions if compares_codes(each)}
    with _opened(path, table, keys, texts, form) as rows:
        if isinstance(missing, Mapping):
            rows, _ = answered(rows, Source(value=value, missing=missing))
        cells = _readable(rows[value]) if isinstance(value, str) else _bits(rows, value)
        parts = {"place": _place(rows[order], order), "given": _readable(rows[order]), "value": cells}
        if sequence is not None:
            parts["whose"] = label_of(rows[sequence])
        ordered = rows.select(**parts).order_by([part for part in ("whose", "place") if part in parts])
        answer = _cells(ordered, path)
    _values(answer["given"], "order", order)
    # No date can be read from a text such as 13/4/2016.
    if unread := answer["place"].count(None):
        some = out_of(unread, len(answer["place"]), "is not", "are not")
        wanted = f"numbers, or dates and times in ISO form, in every row, {some}"
        raise InputError("data.order", order, wanted)
    cells = _values(answer["value"], "value", ", ".join(read), missing)
    names = [""] * len(cells) if sequence is None else _values(answer["whose"], "sequence", sequence)
    groups = groupby(zip(names, answer["place"], cells, strict=True), key=lambda row: row[0])
    found = [[row[1:] for row in group] for _, group in groups]
    # Because nobody can say which of two readings of one day came first.
    if twice := sum(before == after for own in found for (before, _), (after, _) in pairwise(own)):
        some = out_of(twice, len(cells), "rows repeats one", "rows repeat one")
        raise InputError("data.order", order, f"each place once in a sequence, {some}")
    return [[cell for _, cell in own] for own in found]


def _bits(rows: IbisTable, condition: Condition | Conditions) -> Any:
    """Returns 1 where the condition holds and 0 where not; InputError where it cannot be told of some cells."""
    for each in single_conditions(condition):
        check_spelling(rows[each.column], each, "data.value")
    found, columns = fulfilled(rows, condition), ", ".join(each.column for each in single_conditions(condition))
    told = rows.select(odd=found.odd)
    counts = counted(told.aggregate(rows=told.count(), odd=told.odd.sum()), "data.value", columns)
    if counts["odd"]:
        some = out_of(counts["odd"], counts["rows"], "is not", "are not")
        raise InputError("data.value", columns, f"{found.wanted}, {some}")
    return known(rows, condition).notnull().ifelse(found.value, None)


def _readable(cells: Any) -> Any:
    """Returns the cells as a spec's [data] reads them: dates, times and the like are texts.

    So a model has the values that records will have.
    """
    kind = cells.type()
    return cells.cast("string") if kind.is_temporal() or kind.is_uuid() else cells


def _place(cells: Any, order: str) -> Any:
    """Returns the cells by which rows are sorted; missing where a text is no date.

    InputError for a column that has no order, such as truth values.
    """
    kind = cells.type()
    if kind.is_string():
        return cells.try_cast("timestamp")  # "9/4/2016" and "10/4/2016" as texts would be silently out of order
    if kind.is_numeric() or kind.is_temporal():
        return cells
    raise InputError("data.order", order, f"numbers, dates or times; the column holds {kind}")


@contextmanager
def _opened(
    path: TableLike,
    table: str | None,
    keys: Mapping[str, str],
    texts: Collection[str] = (),
    form: TextForm | None = None,
) -> Iterator[IbisTable]:
    """Opens the table for as long as the block lasts.

    Args:
        path: A file or a URL.
        table: The name of the table in a database.
        keys: Each column that must be there, with the key that names it in an error.
        texts: The columns that are read as written.
        form: How a file of text is written.
    """
    part = open_part(path, table, set(keys), texts, Path(), form)
    try:
        for column, key in keys.items():
            if column not in part.table.columns:
                raise InputError(f"data.{key}", column, there(part.table.columns, column))
        yield part.table
    finally:
        part.close()


def _cells(question: Any, path: TableLike) -> dict[str, list[Any]]:
    """Returns the engine's answer by column; InputError for a table without rows, to which nothing can be fitted."""
    shown = str(path) if isinstance(path, Path | str) else type(path).__name__
    with engine_errors("data.file", shown, "columns that the engine can read"):
        answer = answer_of(question).to_pydict()
    if not next(iter(answer.values())):
        raise InputError("data.file", shown, "a table with at least one row")
    return dict(answer)


def _values(cells: Sequence[Any], key: str, column: str, rule: Missing | None = None) -> list[RecordValue]:
    """Returns the cells as values of records; InputError where one is missing or cannot be one.

    Args:
        cells: The cells.
        key: The spec's key that errors name.
        column: The column that errors name.
        rule: What a missing cell means; None: it is refused.
    """
    gaps = [cell is None or (isinstance(cell, float) and math.isnan(cell)) for cell in cells]
    if rule == "value":
        if MISSING_VALUE in cells:
            raise InputError(f"data.{key}", column, NO_SUCH_TEXT)
        cells = [MISSING_VALUE if gap else cell for cell, gap in zip(cells, gaps, strict=True)]
    elif missing := sum(gaps):
        some = out_of(missing, len(cells), "is missing", "are missing")
        raise InputError(f"data.{key}", column, f"a cell in every row, {some}")
    values = [_value(cell) for cell in cells]
    if odd := values.count(None):
        some = out_of(odd, len(cells), "is not", "are not")
        wanted = f"finite numbers, truth values, texts or dates in every row, {some}"
        raise InputError(f"data.{key}", column, wanted)
    return [value for value in values if value is not None]


def _value(cell: Any) -> RecordValue | None:
    """Returns the cell as a value of a record; None for what cannot be one: an infinity, a list, bytes."""
    match cell:
        # Because truth values are integers to Python, both stay the numbers they are.
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
