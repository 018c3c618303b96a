"""Rows without an answer, as the spec wants them: refused, left out, or read as another cell.

One of four people did not say. Left out, three people are counted, and the certificate says so. Read as "nein", four
are counted, and the certificate says that too. A value of its own is no matter of the rows: the answer stays missing,
and is counted as the value "missing" (`People.tally`).
"""

from collections.abc import Mapping
from typing import Any, Final

from dalenius.errors import InputError, written
from dalenius.omitted import Omitted
from dalenius.sentences.sentence import said
from dalenius.spec.condition import MISSING_VALUE, Condition
from dalenius.spec.data_section import Source
from dalenius.tables.chosen_rows import value_of
from dalenius.tables.conditions import check_condition
from dalenius.tables.opening_with_ibis import IbisTable, counted, ibis
from dalenius.tables.truth_words import truth_of

WAYS: Final = '(missing in [data] says what else a missing answer may mean: "value", "leave_out", { as = … })'
"""Words for the error where an answer is missing."""
NO_SUCH_TEXT: Final = f"no cell {written(MISSING_VALUE)}: that is the value of records without an answer"
"""Words for the error where an answer has the text that stands for a missing one."""


def answered(rows: IbisTable, source: Source) -> tuple[IbisTable, tuple[Omitted, ...]]:
    """Returns the rows as the spec's `missing` wants them, and those that are left out, counted.

    Args:
        rows: The rows that belong to the data set.
        source: The `[data]` section.

    Raises:
        InputError: If the column cannot hold the cell that a missing one is read as.
    """
    if isinstance(source.missing, Mapping):
        return _filled(rows, source, source.missing["as"]), ()
    if source.missing != "leave_out":
        return rows, ()
    there = value_of(rows, source)[1].notnull()
    sums = {"rows": rows.count(), "there": there.sum()}
    found = counted(rows.aggregate(**sums), "data.value", source.value_column)
    missing = int(found["rows"]) - int(found["there"] or 0)
    left_out = Omitted("data.value", int(found["rows"]), ((said("without_answer"), missing),))
    return rows.filter(there), (left_out,) if missing else ()


def _filled(rows: IbisTable, source: Source, answer: int | float | str) -> IbisTable:
    """Returns the rows with that cell in place of missing ones; InputError where the column cannot hold it."""
    column = source.value_column
    cells = rows[column]
    return rows.mutate(**{column: cells.fill_null(_cell(rows, source, cells.type(), answer))})


def _cell(rows: IbisTable, source: Source, kind: Any, answer: int | float | str) -> Any:
    """Returns the answer as a cell of a column of this type; InputError for one that it cannot hold."""
    column, text = source.value_column, isinstance(answer, str)
    if kind.is_boolean() and (truth := truth_of(str(answer))) is not None:
        return ibis().literal(bool(truth))
    if kind.is_string() and text:
        # Because "nein" beside cells of "Nein" would be a third answer, it is spelled as the column has it.
        check_condition(rows, source, Condition(column=column, equals=answer), "data.missing")
        return ibis().literal(answer)
    if kind.is_numeric() and not text and (not kind.is_integer() or answer == int(answer)):
        return ibis().literal(answer, kind)
    wanted = f"a cell that column {column} can hold: its cells are {'texts' if kind.is_string() else kind}"
    raise InputError("data.missing", f"{{ as = {written(answer)} }}", wanted)


def check_no_such_text(rows: IbisTable, source: Source) -> None:
    """Raises InputError where some people's answer is the text that stands for a missing one.

    Args:
        rows: The rows with their value.
        source: The `[data]` section.
    """
    if source.missing != "value" or not rows.value.type().is_string():
        return
    sums = {"same": (rows.value == MISSING_VALUE).sum()}
    if counted(rows.aggregate(**sums), "data.value", source.value_column)["same"]:
        raise InputError("data.value", source.value_column, NO_SUCH_TEXT)
