"""Cells and sequences as they were written, whatever the file; and what is refused.

Which rows are people of one kind, against the rows looked at one by one.

The `[data]` section refuses what means nothing.
"""

import json
import random
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.spec.condition import Condition, Conditions
from dalenius.spec.data_section import Source
from dalenius.tables.columns_to_fit import read_columns, read_sequences
from tests.cases import Refusals, check_refused
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
    (
        {"a": [1.0, inf]},
        ["a"],
        "data.columns: a, wanted finite numbers, truth values, texts or dates in every row, 1 of 2 is not",
    ),
    ({"a": [], "b": []}, ["a"], "data.file: {path}, wanted a table with at least one row"),
]
BAD_SEQUENCES: list[tuple[Columns, str]] = [
    ({"who": ["a"], "what": [1]}, "data.order: when, wanted one of the columns who, what"),
    (
        {"who": ["a", "a"], "when": ["2020-01-01", "31/12/2020"], "what": [1, 2]},
        "data.order: when, wanted numbers, or dates and times in ISO form, in every row, 1 of 2 is not",
    ),
    (
        {"who": ["a", "a"], "when": [True, False], "what": [1, 2]},
        "data.order: when, wanted numbers, dates or times; the column holds boolean",
    ),
    (
        {"who": ["a", "b", "b"], "when": [1, 1, 1], "what": [1, 2, 3]},
        "data.order: when, wanted each place once in a sequence, 1 of 3 rows repeats one",
    ),
    (
        {"who": ["a", None], "when": [1, 2], "what": [1, 2]},
        "data.sequence: who, wanted a cell in every row, 1 of 2 is missing",
    ),
]


def test_bad_columns_and_sequences(tmp_path: Path) -> None:
    for columns, names, line in BAD_COLUMNS:
        path = write(tmp_path, "parquet", columns)
        check_refused([(partial(read_columns, path, names), line.format(path=path))])
    for columns, line in BAD_SEQUENCES:
        path = write(tmp_path, "parquet", columns)
        check_refused([(partial(read_sequences, path, "what", "when", "who"), line)])


def test_one_column_cannot_play_two_parts(tmp_path: Path) -> None:
    path = write(tmp_path, "csv", {"a": [1, 2]})
    with pytest.raises(InputError, match=r"^data\.order: a, wanted different columns for sequence, order and value$"):
        read_sequences(path, "a", "a")


def condition(**fields: Any) -> Callable[[], object]:
    return lambda: Condition(column="x", **fields)


def source(**fields: Any) -> Callable[[], object]:
    return lambda: Source(**({"value": "x"} | fields))


REFUSED: Refusals = [
    (
        condition(),
        'Condition: { column = "x" }, wanted exactly one of equals, one_of, below, at_most, above, at_least, missing',
    ),
    (condition(below=1, above=0), 'Condition: { column = "x", below = 1, above = 0 }, wanted exactly one of equals…'),
    (
        condition(one_of=[1, "a"]),
        'Condition: { column = "x", one_of = [1, "a"] }, wanted one_of all numbers or all texts',
    ),
    (condition(one_of=[]), "Condition.one_of…"),
    (condition(below=float("nan")), "Condition.below: nan, wanted a finite number, a text or a date"),
    (condition(near=1), "Condition.near: 1, wanted one of the keys of Condition: column…"),
    (lambda: Source(**dict[str, Any]()), "Source.value: missing, wanted a value"),
    (source(value=3), "Source.value: 3, wanted a column's name, or a condition on a column"),
    (source(value={"column": "x"}), 'Source.value: { column = "x" }, wanted exactly one of equals…'),
    (source(value={"below": 2}), "Source.value: …wanted a value (condition.column)"),
    (source(step=0), "Source.step: 0, wanted a finite number above 0"),
    (source(lower=float("inf")), "Source.lower: inf…"),
    (
        source(lower=3, upper=1),
        'Source: { value = "x", lower = 3, upper = 1 }, wanted lower at most upper, not 3.0 above 1.0',
    ),
    (
        source(upper=1, step=0.4),
        'Source: { value = "x", upper = 1, step = 0.4 }, wanted lower and upper multiples of the step 0.4, 1.0 is not',
    ),
    (
        source(value={"column": "x", "equals": 1}, upper=1),
        'Source: { value = { column = "x", equals = 1 }, upper = 1 }, wanted no lower, upper or step…',
    ),
    (source(houshold="h"), "Source.houshold: h, wanted one of the keys of Source: …"),
]


def test_conditions_and_sources() -> None:
    check_refused(REFUSED)


def test_bounds_are_compared_with_the_step_as_written() -> None:
    assert Source(value="x", lower=-0.3, upper=0.7, step=0.1).unit == Fraction(1, 10)
    assert Source(value="x", lower=0.05).unit == 1


def test_dates_of_a_spec_file_are_iso_texts() -> None:
    assert Condition(column="x", below=date(1861, 11, 20)).operands == ("1861-11-20",)
    assert Condition(column="x", below=datetime(1861, 11, 20, 6)).operands == ("1861-11-20T06:00:00",)


def test_text_and_back() -> None:
    source = Source(value=Condition(column="x", one_of=(1, 2)), file="people.csv")
    assert Source(**json.loads(source.model_dump_json())) == source
    assert hash(source) == hash(Source(**json.loads(source.model_dump_json())))
    assert "Condition" in Source.model_json_schema()["$defs"]


def test_a_condition_makes_sequences_of_bits(form: str, tmp_path: Path) -> None:
    rows = [
        (who, when, (when * who) % 5, "ja" if (when + who) % 3 else "nein") for who in range(4) for when in range(9)
    ]
    random.Random(2).shuffle(rows)
    columns = dict(zip(("who", "when", "steps", "pain"), map(list, zip(*rows, strict=True)), strict=True))
    path = write(tmp_path, form, columns)
    many, pain = Condition(column="steps", at_least=3), Condition(column="pain", equals="ja")
    found = read_sequences(path, many, "when", "who")
    assert found == [[int((when * who) % 5 >= 3) for when in range(9)] for who in range(4)]
    both = read_sequences(path, Conditions(all=[many, pain]), "when", "who")
    assert both == [[int((when * who) % 5 >= 3 and (when + who) % 3 > 0) for when in range(9)] for who in range(4)]
    spelled = partial(read_sequences, path, Condition(column="pain", equals="Ja"), "when", "who")
    gone = partial(read_sequences, path, Condition(column="pains", equals="ja"), "when", "who")
    check_refused(
        [(spelled, 'data.value: pain, wanted "Ja" as the column spells it…'), (gone, "data.value: pains, wanted…")]
    )
    gaps = write(tmp_path, form, {"when": [1, 2, 3], "steps": [1, None, 4]})
    with pytest.raises(InputError, match=r"^data\.value: steps, wanted a cell in every row, 1 of 3 is missing$"):
        read_sequences(gaps, many, "when")


def test_a_missing_cell_is_read_as_said(form: str, tmp_path: Path) -> None:
    path = write(tmp_path, form, {"a": [1, None, 3, 4], "t": ["ja", "nein", None, "ja"], "day": [4, 2, 3, 1]})
    assert read_columns(path, ["a", "t"], missing="leave_out") == {"a": [1, 4], "t": ["ja", "ja"]}
    assert read_columns(path, ["a", "t"], missing="value") == {
        "a": [1, "missing", 3, 4],
        "t": ["ja", "nein", "missing", "ja"],
    }
    assert read_columns(path, ["a"], missing={"as": 7}) == {"a": [1, 7, 3, 4]}
    assert read_sequences(path, "t", "day", missing="value") == [["ja", "nein", "missing", "ja"]]
    assert read_sequences(path, "t", "day", missing={"as": "nein"}) == [["ja", "nein", "nein", "ja"]]
    ill = Condition(column="t", equals="ja")
    assert read_sequences(path, ill, "day", missing="value") == [[1, 0, "missing", 1]]
    assert read_sequences(path, ill, "day", missing={"as": "ja"}) == [[1, 0, 1, 1]]
    gaps = write(tmp_path, form, {"x": [0.5, NAN, None], "y": [1, 2, 3]})
    assert read_columns(gaps, ["x", "y"], missing="leave_out") == {"x": [0.5], "y": [1]}
    odd = write(tmp_path, form, {"t": ["missing", None], "day": [1, 2]})
    check_refused(
        [
            (
                partial(read_columns, path, ["a", "t"], missing={"as": 0}),
                "data.missing: { as = 0 }, wanted refuse, value or leave_out, as several columns are read",
            ),
            (
                partial(read_sequences, path, "t", "day", missing="leave_out"),
                "data.missing: leave_out, wanted refuse, value or another cell: without a row of a sequence, records "
                "are neighbours that are not",
            ),
            (
                partial(read_columns, odd, ["t"], missing="value"),
                'data.columns: t, wanted no cell "missing": that is the value of records without an answer',
            ),
        ]
    )
