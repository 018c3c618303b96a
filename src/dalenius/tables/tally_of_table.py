"""The tally of a table: how many people there are of each label and value, as models of absence read it.

For the ages 30, 30 and 41 it has 30 twice and 41 once. Read row by row, it also says whose each age is.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from dalenius.errors import InputError
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import answer_of
from dalenius.tables.people import People
from dalenius.tally import Tally, tally_of_counts, tally_of_people


def tallied(people: People, rows: bool = False) -> Tally:
    """Returns how many people there are of each label and value; InputError for fewer than two people.

    Numbers are the decimals they are written as, times the source's step.

    Args:
        people: The table.
        rows: Whether each person's value is read, in the order of the file, with `whose`; else only the distinct ones
            are counted, and `whose` stays None.
    """
    # Because the absent person's value is a number, or a text, and no answer is neither.
    if people.source.missing == "value":
        raise InputError("data.missing", "value", "refuse, leave_out or { as = … } where the secret is who is absent")
    if people.source.per_person is not None and rows:
        raise InputError("data.per_person", people.source.per_person, "one row a person where priors are a list")
    return _row_by_row(people) if rows else _counted(people)


def _row_by_row(people: People) -> Tally:
    """Returns the tally with each person's value: label and value are read of every row, in the order of the table."""
    with engine_errors("data.value", people.source.value_column, "a column that the engine can read"):
        answer = answer_of(people.rows.select("label", "value"))
    labels = None if people.source.label is None else answer["label"].to_pylist()
    tally = tally_of_people(_numbers_or_texts(answer["value"]), labels)
    return tally if people.source.unit is None else replace(tally, unit=tally.unit * people.source.unit)


def _counted(people: People) -> Tally:
    """Returns the tally without persons: the engine counts, and a row comes back for each label and value."""
    question = people.rows.group_by("label", "value").agg(people=people.rows.count())
    with engine_errors("data.value", people.source.value_column, "a column that the engine can count"):
        answer = answer_of(question)
    counts = np.asarray(answer["people"].to_numpy(), dtype=np.int64)
    labels = None if people.source.label is None else answer["label"].to_pylist()
    return tally_of_counts(_numbers_or_texts(answer["value"]), counts, labels, people.source.unit)


def _numbers_or_texts(cells: Any) -> Any:
    """Returns the cells as an array where that is exact; texts and decimals one by one."""
    kind = str(cells.type)
    return cells.to_numpy() if kind in ("int8", "int16", "int32", "int64", "double") else cells.to_pylist()
