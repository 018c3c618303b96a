"""A condition turns a column into a bit, and says so when it cannot; one that no row can match is refused."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.spec.condition import Condition
from tests.tables.written import Columns, opened

NUMBERS = [-2, 0, 3, 3, 5]
DAYS = [date(1861, 11, 19), date(1861, 11, 20), date(1861, 11, 21), date(1862, 1, 2)]
COMPARISONS: list[tuple[str, Callable[[Any, Any], bool]]] = [
    ("equals", lambda cell, operand: cell == operand),
    ("below", lambda cell, operand: cell < operand),
    ("at_most", lambda cell, operand: cell <= operand),
    ("above", lambda cell, operand: cell > operand),
    ("at_least", lambda cell, operand: cell >= operand),
]


def bits(folder: Path, form: str, cells: list[Any], **comparison: Any) -> int:
    """How many of the cells are ones; those and the noughts are everybody."""
    people = opened(folder, form, {"x.y": cells}, Condition(column="x.y", **comparison))
    tally = people.tally()
    assert set(tally) <= {("", Fraction(0)), ("", Fraction(1))}
    assert sum(tally.values()) == len(cells)
    return tally.get(("", Fraction(1)), 0)


def test_numbers_dates_and_dates_kept_as_texts(form: str, tmp_path: Path) -> None:
    days = DAYS if form == "csv" else [day.isoformat() for day in DAYS]  # in a CSV, too, the engine sees dates
    for name, holds in COMPARISONS:
        assert bits(tmp_path, form, NUMBERS, **{name: 3}) == sum(holds(cell, 3) for cell in NUMBERS)
        assert bits(tmp_path, form, days, **{name: "1861-11-20"}) == sum(holds(day, DAYS[1]) for day in DAYS)
    assert bits(tmp_path, form, NUMBERS, above=2.5) == 3
    with pytest.raises(InputError, match=r"cells that compare with 2\.5; the column holds whole numbers$"):
        bits(tmp_path, form, NUMBERS, equals=2.5)


def test_moments_with_a_zone_are_compared_in_utc(tmp_path: Path) -> None:
    moments = [datetime(2020, 1, 1, 23, 30, tzinfo=UTC), datetime(2020, 1, 2, 0, 30, tzinfo=UTC)]
    for form in ("parquet", "duckdb"):
        assert bits(tmp_path, form, moments, at_most="2020-01-01") == 1
        assert bits(tmp_path, form, moments, above="2020-01-02T01:00+01:00") == 1


def test_one_of(form: str, tmp_path: Path) -> None:
    assert bits(tmp_path, form, NUMBERS, one_of=[3, 5, 99]) == 3
    assert bits(tmp_path, form, DAYS, one_of=["1861-11-19", "1862-01-02"]) == 2
    assert bits(tmp_path, form, ["red", "blue", "green"], one_of=["red", "green"]) == 2


def test_a_missing_cell_is_not_false(form: str, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"^data\.value: x\.y, wanted a cell in every row, 2 of 4 are missing \(missing in "
    ):
        bits(tmp_path, form, [1, None, 3, None], above=1)
    with pytest.raises(InputError, match="1 of 3 is missing"):
        bits(tmp_path, form, ["a", None, "b"], one_of=["a"])


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    for cells, operand, wanted in (
        (NUMBERS, "c", 'cells that compare with "c"; the column holds numbers'),
        (["a", "b"], 3, "cells that compare with 3; the column holds texts"),
        (DAYS, "1.2.", 'cells that compare with "1.2."; the column holds dates: a condition has them as 2026-02-01'),
        (["1861-11-20", "20th of November"], "1861-11-21", "an ISO date in every row, 1 of 2 is not (row 2)"),
        ([1.0, float("nan")], 3, "a finite number in every row, 1 of 2 is not (row 2)"),
    ):
        with pytest.raises(InputError) as refused:
            bits(tmp_path, "parquet", cells, below=operand)
        assert str(refused.value) == f"data.value: x.y, wanted {wanted}"


SPELLED = "wanted {} as the column spells it: no row is that, but for capitals and blanks some are"
REFUSED: list[tuple[list[Any], dict[str, Any], str]] = [
    (["yes", "no", "yes"], {"equals": "Yes"}, SPELLED.format('"Yes"')),
    (["a b ", "c", "d"], {"equals": "a b"}, SPELLED.format('"a b"')),
    ([True, False], {"equals": "ja"}, 'wanted cells that compare with "ja"; the column holds truth values'),
    (["yes", "no"], {"equals": "perhaps"}, 'wanted cells that compare with "perhaps"; the column holds truth values'),
    (["Y", "N"], {"equals": "yes"}, 'wanted "yes" as the column spells it: its truth values are written otherwise'),
    (["T", "F"], {"equals": "true"}, 'wanted "true" as the column spells it: its truth values are written otherwise'),
    (["on", "off"], {"one_of": ["on", "1"]}, 'wanted "1" as the column spells it: its truth values are written'),
    (
        ["on", "perhaps"],
        {"equals": True},
        "a word for yes or no in every row (true/false, t/f, yes/no, y/n, on/off, 1/0)",
    ),
    (["x", "y"], {"equals": "1861-11-20"}, 'wanted ISO dates, as "1861-11-20" is; the column holds other texts'),
    (["0,5", "2"], {"above": 1}, "texts, 1 of them numbers with a decimal comma"),
]


@pytest.mark.lengthy
def test_refused(tmp_path: Path) -> None:
    for cells, comparison, said in REFUSED:
        columns: Columns = {"x": cells, "y": [1] * len(cells)}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("data.value: x, ", {"value": Condition(column="x", **comparison)}),
            ("data.where row 1: x, ", {"value": "y", "where": [{"column": "x"} | comparison]}),
        ]
        for key, data in asked:
            with pytest.raises(InputError) as refused:
                opened(tmp_path, "parquet", columns, **data)
            assert str(refused.value).startswith(key)
            assert said in str(refused.value)


def test_a_value_that_nobody_has_is_asked_for(form: str, tmp_path: Path) -> None:
    asked: list[tuple[list[Any], dict[str, Any], int]] = [
        (["no", "no"], {"equals": "yes"}, 0),
        (["harbour", "north"], {"equals": "south"}, 0),
        (["yes", "Yes"], {"equals": "Yes"}, 1),
        (["yes", "no"], {"one_of": ["yes", "absent"]}, 1),
        ([1, 0, 0], {"equals": 7}, 0),
        (["1861-11-20", "unknown"], {"equals": "1861-11-21"}, 0),
    ]
    for cells, comparison, ones in asked:
        people = opened(tmp_path, form, {"x": cells}, Condition(column="x", **comparison))
        assert people.tally().get(("", Fraction(1)), 0) == ones


@pytest.mark.parametrize("words", [("true", "false"), ("T", "F"), ("Yes", "no"), ("Y", "N"), ("on", "OFF"), ("1", "0")])
def test_each_way_to_write_yes_and_no_is_a_truth_value(form: str, tmp_path: Path, words: tuple[str, str]) -> None:
    cells = [words[0], words[1], f" {words[0]}", words[1]]
    assert bits(tmp_path, form, cells, equals=True) == 2
    assert bits(tmp_path, form, cells, one_of=[0]) == 2


def test_a_word_for_yes_is_a_truth_value_of_a_column_of_those(tmp_path: Path) -> None:
    for word, ones in (("yes", 2), ("off", 1), ("F", 1), ("1", 2)):
        assert bits(tmp_path, "parquet", [True, True, False], equals=word) == ones


def test_declared_labels_are_what_a_condition_may_ask_for(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"x": ["north", "south"], "y": [1, 0]}
    declared: dict[str, Any] = {"label": "x", "labels": ["north", "south", "west"]}
    wanted = r"^data\.value: North, wanted one of the declared labels north, south, west$"
    with pytest.raises(InputError, match=wanted):
        opened(tmp_path, "csv", columns, Condition(column="x", equals="North"), **declared)
    people = opened(tmp_path, "csv", columns, Condition(column="x", equals="west"), **declared)
    assert people.size == 2
