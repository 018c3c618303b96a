"""Cells and sequences as they were written, whatever the file; and what is refused."""

import random
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from math import inf
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.tables.columns import read_columns, read_sequences
from tests.tables.written import Columns, write

NAN = float("nan")


def test_cells_come_as_written(form: str, tmp_path: Path) -> None:
    columns: Columns = {"a b": [3, 1, 2], "bit": [True, False, True], "x": [0.5, 1.0, -2.25], "t": ["ä", "", "b,c"]}
    if form.startswith("csv"):  # where an empty cell is a missing one
        columns = {**columns, "t": ["ä", "-", "b,c"]}
    found = read_columns(write(tmp_path, form, columns), list(columns))
    assert found == {**columns, "bit": [1, 0, 1]}
    assert {type(cell) for cell in found["bit"]} == {int}


def test_dates_and_decimals(tmp_path: Path) -> None:
    path = write(tmp_path, "parquet", {"d": [date(2020, 1, 31)] * 2, "n": [Decimal("1.50"), Decimal("2.00")]})
    assert read_columns(path, ["n", "d"]) == {"n": [1.5, 2], "d": ["2020-01-31"] * 2}


def test_shuffled_sequences_are_put_in_order(form: str, tmp_path: Path) -> None:
    truth = {f"{name:03}": [name % 3 + place % 2 for place in range(5 + name)] for name in range(20)}
    rows = [(name, place * 7, value) for name, own in truth.items() for place, value in enumerate(own)]
    random.Random(1).shuffle(rows)
    columns = dict(zip(("who", "when", "what"), map(list, zip(*rows, strict=True)), strict=True))
    path = write(tmp_path, form, columns)
    assert read_sequences(path, "what", "when", "who") == list(truth.values())
    one = write(tmp_path, form, {"when": [10, 9, 100], "what": ["b", "a", "c"]})
    assert read_sequences(one, "what", "when") == [["a", "b", "c"]]


def test_times_order(form: str, tmp_path: Path) -> None:
    dates, times = ["2020-01-09", "2020-01-10"], [datetime(2020, 1, 9), datetime(2020, 1, 10, 5)]
    for when in (dates, times):
        path = write(tmp_path, form, {"when": when[::-1], "what": [2, 1]})
        assert read_sequences(path, "what", "when") == [[1, 2]]


# Columns, those that are read, and the line.
BAD_COLUMNS: list[tuple[Columns, list[str], str]] = [
    ({"a": [1], "b": [2]}, ["a", "c"], "data.columns: c, wanted one of the columns a, b"),
    ({"a": [1], "b": [2]}, ["a", "a"], "data.columns: a, wanted each column once"),
    ({"a": [1.0, NAN, None]}, ["a"], "data.columns: a, wanted a cell in every row, 2 of 3 are missing"),
    ({"a": [1.0, inf]}, ["a"], "data.columns: a, wanted finite numbers, truth values, texts or dates (there is inf)"),
    ({"a": [], "b": []}, ["a"], "data.file: {path}, wanted a table with at least one row"),
]
BAD_SEQUENCES: list[tuple[Columns, str]] = [
    ({"who": ["a"], "what": [1]}, "data.order: when, wanted one of the columns who, what"),
    (
        {"who": ["a", "a"], "when": ["2020-01-01", "31/12/2020"], "what": [1, 2]},
        "data.order: when, wanted numbers, or dates and times in ISO form (there is 31/12/2020)",
    ),
    (
        {"who": ["a", "a"], "when": [True, False], "what": [1, 2]},
        "data.order: when, wanted numbers, dates or times; the column holds boolean",
    ),
    (
        {"who": ["a", "b", "b"], "when": [1, 1, 1], "what": [1, 2, 3]},
        "data.order: when, wanted no place twice in the sequence b (1 occurs twice)",
    ),
    (
        {"who": ["a", None], "when": [1, 2], "what": [1, 2]},
        "data.sequence: who, wanted a cell in every row, 1 of 2 are missing",
    ),
]


def test_bad_columns_and_sequences(tmp_path: Path) -> None:
    reads: list[tuple[Columns, Callable[[Path], object], str]] = [
        *(
            (columns, (lambda path, names=names: read_columns(path, names)), line)
            for columns, names, line in BAD_COLUMNS
        ),
        *((columns, lambda path: read_sequences(path, "what", "when", "who"), line) for columns, line in BAD_SEQUENCES),
    ]
    for columns, read, line in reads:
        path = write(tmp_path, "parquet", columns)
        with pytest.raises(InputError) as refused:
            read(path)
        assert str(refused.value) == line.format(path=path)


def test_one_column_cannot_play_two_parts(tmp_path: Path) -> None:
    path = write(tmp_path, "csv", {"a": [1, 2]})
    with pytest.raises(InputError, match=r"^data\.order: a, wanted different columns for sequence, order and value$"):
        read_sequences(path, "a", "a")
