"""The rows that belong to a data set, by conditions on columns and declared labels; and what several conditions make.

The rows are (ja, 70), (ja, 20) and (nein, 70). The first fulfils both of "ill = ja" and "age at least 65", and all
fulfil one of them. A row whose cells are not all known fulfils nothing and fails nothing: whether it belongs is not
known.
"""

from collections.abc import Callable
from functools import reduce
from operator import and_, or_
from typing import Any

from dalenius.errors import InputError, listed
from dalenius.omitted import Omitted
from dalenius.sentences.sentence import said
from dalenius.spec.condition import Condition, Conditions, single_conditions
from dalenius.spec.data_section import LABEL_SEPARATOR, Source
from dalenius.tables.conditions import Reading, as_integers, bit, check_condition, label_of, reading
from dalenius.tables.near_names import out_of
from dalenius.tables.opening_with_ibis import IbisTable, counted, ibis


def value_of(rows: IbisTable, source: Source) -> tuple[Reading, Any]:
    """Returns the value of every row, and a column that is missing where a cell is that the value is read from.

    Args:
        rows: The table.
        source: The `[data]` section.
    """
    if isinstance(source.value, str):
        return reading(rows[source.value], source), rows[source.value]
    return fulfilled(rows, source.value), known(rows, source.value)


def fulfilled(rows: IbisTable, condition: Condition | Conditions, key: str = "data.value") -> Reading:
    """Returns whether a condition holds, for every row: 1 or 0.

    Args:
        rows: The table.
        condition: The condition, or several.
        key: The spec's key that errors name.
    """
    if isinstance(condition, Condition):
        return bit(rows[condition.column], condition, key)
    parts = [fulfilled(rows, each, key) for each in condition.parts]
    joined: Callable[[Any, Any], Any] = and_ if condition.any is None else or_
    value = reduce(joined, [each.value == 1 for each in parts])
    odd = reduce(or_, [each.odd for each in parts])
    wanted = "; ".join(dict.fromkeys(each.wanted for each in parts))
    return Reading(as_integers(value), odd, wanted)


def known(rows: IbisTable, condition: Condition | Conditions) -> Any:
    """Returns a column that is missing where a cell is that the condition looks at.

    Args:
        rows: The table.
        condition: The condition, or several.
    """
    # Because it is known of every cell whether it is empty, such a condition needs none that is there.
    looked_at = [each.column for each in single_conditions(condition) if each.missing is None]
    if isinstance(condition, Condition) and looked_at:
        return rows[condition.column]
    there = [rows[column].notnull() for column in looked_at]
    return reduce(and_, there, ibis().literal(True)).ifelse(1, ibis().null("int64"))


def chosen(rows: IbisTable, source: Source) -> tuple[IbisTable, tuple[Omitted, ...]]:
    """Returns the rows that belong, and those that are left out, counted.

    The conditions hold for rows that belong, and their label is declared.

    Args:
        rows: The table.
        source: The `[data]` section.

    Raises:
        InputError: If a cell that decides is missing, or a label that is not declared is to be refused.
    """
    conditions = source.where or ()
    for number, condition in enumerate(conditions, 1):
        key = f"data.where row {number}"
        for single in single_conditions(condition):
            check_condition(rows, source, single, key)
        rows = _fulfilling(rows, condition, key)
    return (rows, ()) if source.labels is None else _declared(rows, source)


def _fulfilling(rows: IbisTable, condition: Condition | Conditions, key: str) -> IbisTable:
    """Returns the rows for which the condition holds; InputError where a cell of it is missing or does not compare."""
    column = ", ".join(dict.fromkeys(each.column for each in single_conditions(condition)))
    found = fulfilled(rows, condition, key)
    cells = rows.select(cell=known(rows, condition), odd=found.odd)
    question = cells.aggregate(rows=cells.count(), missing=cells.cell.isnull().sum(), odd=cells.odd.sum())
    answer = _answered(question, key, column)
    if answer["odd"]:
        some = out_of(answer["odd"], answer["rows"], "is not", "are not")
        raise InputError(key, column, f"{found.wanted}, {some}")
    return rows.filter(found.value == 1)


def _answered(question: IbisTable, key: str, column: str) -> dict[str, int]:
    """Returns the counts. No cell may be missing."""
    answer = counted(question, key, column)
    if answer["missing"]:
        some = out_of(answer["missing"], answer["rows"], "is missing", "are missing")
        raise InputError(key, column, f"a cell in every row, {some}")
    return answer


def labels_of(rows: IbisTable, source: Source) -> Any:
    """Returns everybody's label, as text: the cells of all columns of labels, missing where one of them is.

    Args:
        rows: The table.
        source: The `[data]` section, with a column of labels.
    """
    first, *rest = (label_of(rows[column]) for column in source.label_columns)
    return reduce(lambda before, cells: before + LABEL_SEPARATOR + cells, rest, first)


def mixed_labels(rows: IbisTable, source: Source) -> Any:
    """Returns whether a label cannot be told from another one, for every row: a cell has the text between two cells.

    Args:
        rows: The table.
        source: The `[data]` section.
    """
    if len(source.label_columns) < 2:
        return ibis().literal(False)
    return reduce(or_, [label_of(rows[column]).contains(LABEL_SEPARATOR) for column in source.label_columns])


def _declared(rows: IbisTable, source: Source) -> tuple[IbisTable, tuple[Omitted, ...]]:
    """Returns the rows whose label is declared; others are left out, or an InputError, as the spec says."""
    assert source.labels is not None
    assert source.label_name is not None
    label = labels_of(rows, source)
    known = label.isin(source.declared_labels)
    question = rows.aggregate(rows=rows.count(), missing=label.isnull().sum(), others=(~known).sum())
    if source.others == "leave_out":
        answer = counted(question, "data.label", source.label_name)
        reasons = ((said("label_undeclared"), answer["others"] or 0), (said("label_empty"), answer["missing"] or 0))
        left_out = (Omitted("data.label", answer["rows"], reasons),)
        return rows.filter(known), left_out if any(count for _, count in reasons) else ()
    answer = _answered(question, "data.label", source.label_name)
    if not answer["others"]:
        return rows, ()
    declared = listed(source.declared_labels)
    some = out_of(answer["others"], answer["rows"], "has another", "have another")
    wanted = f"one of the declared labels {declared} in every row, {some}"
    raise InputError("data.label", source.label_name, wanted)
