"""Conditions that no row can match, because of their type or spelling, are refused; rare values are not."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.tables import Condition
from tests.tables.written import Columns, opened

SPELLED = "wanted {} as the column spells it: no row is that, but for capitals and blanks some are"
REFUSED = [
    (["yes", "no", "yes"], {"equals": "Yes"}, SPELLED.format('"Yes"')),
    (["a b ", "c", "d"], {"equals": "a b"}, SPELLED.format('"a b"')),
    ([1, 0, 0], {"equals": "yes"}, 'wanted cells that compare with "yes"; the column holds numbers'),
    ([True, False], {"equals": "yes"}, 'wanted cells that compare with "yes"; the column holds truth values'),
    (["x", "y"], {"equals": "1861-11-20"}, 'wanted ISO dates, as "1861-11-20" is; the column holds other texts'),
    (["0,5", "2"], {"above": 1}, "texts, 1 of them numbers with a decimal comma"),
]


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
        (["yes", "no"], {"equals": "perhaps"}, 0),
        (["yes", "Yes"], {"equals": "Yes"}, 1),
        (["yes", "no"], {"one_of": ["yes", "absent"]}, 1),
        ([1, 0, 0], {"equals": 7}, 0),
        (["1861-11-20", "unknown"], {"equals": "1861-11-21"}, 0),
    ]
    for cells, comparison, ones in asked:
        people = opened(tmp_path, form, {"x": cells}, Condition(column="x", **comparison))
        assert people.tally().get(("", Fraction(1)), 0) == ones


def test_declared_labels_are_what_a_condition_may_ask_for(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"x": ["north", "south"], "y": [1, 0]}
    declared: dict[str, Any] = {"label": "x", "labels": ["north", "south", "west"]}
    wanted = r"^data\.value: North, wanted one of the declared labels north, south, west$"
    with pytest.raises(InputError, match=wanted):
        opened(tmp_path, "csv", columns, Condition(column="x", equals="North"), **declared)
    people = opened(tmp_path, "csv", columns, Condition(column="x", equals="west"), **declared)
    assert people.count() == 2
