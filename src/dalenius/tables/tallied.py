"""A table's people as a tally: one aggregate in the engine, of which only counts come back, or row by row."""

from dataclasses import replace
from typing import Any

import numpy as np

from dalenius.tables.engine import answer_of, engine_errors
from dalenius.tables.people import People
from dalenius.tallies.tally import Tally, tally_of_counts, tally_of_people


def tallied(people: People, rows: bool = False) -> Tally:
    """How many people there are of each label and value, at the cost of the distinct ones; `whose` stays None.

    rows: each person's, in the order of the file, with `whose`. Numbers are the decimals they are written as, times the
    source's step. InputError for fewer than two people.
    """
    return _row_by_row(people) if rows else _counted(people)


def _row_by_row(people: People) -> Tally:
    with engine_errors("data.value", people.source.value_column, "a column that the engine can read"):
        answer = answer_of(people.rows.select("label", "value"))
    labels = None if people.source.label is None else answer["label"].to_pylist()
    tally = tally_of_people(_numbers_or_texts(answer["value"]), labels)
    return tally if people.source.unit is None else replace(tally, unit=tally.unit * people.source.unit)


def _counted(people: People) -> Tally:
    question = people.rows.group_by("label", "value").agg(people=people.rows.count())
    with engine_errors("data.value", people.source.value_column, "a column that the engine can count"):
        answer = answer_of(question)
    counts = np.asarray(answer["people"].to_numpy(), dtype=np.int64)
    labels = None if people.source.label is None else answer["label"].to_pylist()
    return tally_of_counts(_numbers_or_texts(answer["value"]), counts, labels, people.source.unit)


def _numbers_or_texts(cells: Any) -> Any:
    """As an array where that is exact; texts and decimals one by one."""
    kind = str(cells.type)
    return cells.to_numpy() if kind in ("int8", "int16", "int32", "int64", "double") else cells.to_pylist()
