"""Numbers of the rows of a table in which something is wrong, from 1 below the names of the columns, without any cell.

Only a file, or a frame in memory, has its rows in an order: a database's rows have no numbers.
"""

from typing import Any, Final

from dalenius.errors import row_numbers
from dalenius.tables.opening_with_ibis import IbisTable, answer_of, ibis

ROWS_NAMED: Final = 5
"""The most rows whose numbers are looked up: a message names no more."""


def rows_where(rows: IbisTable, bad: Any, count: int) -> str:
    """Returns the numbers of the first bad rows in words, in parentheses; empty where rows have no order.

    Args:
        rows: All rows of the table.
        bad: A column of theirs, true where something is wrong.
        count: How many are bad.
    """
    places = first_rows(rows, bad)
    return f" ({row_numbers(places, count)})" if places else ""


def first_rows(rows: IbisTable, bad: Any, most: int = ROWS_NAMED) -> list[int]:
    """Returns the numbers of the first bad rows, from 1.

    Args:
        rows: All rows of the table.
        bad: A column of theirs, true where something is wrong.
        most: How many numbers are looked up.
    """
    if rows.get_backend().name != "duckdb":
        return []
    marked = rows.select(bad=bad.fill_null(False))
    numbered = marked.mutate(row=ibis().row_number() + 1)
    found = numbered.filter(numbered.bad).order_by("row").limit(most)
    return [int(row) for row in answer_of(found.select("row"))["row"].to_pylist()]
