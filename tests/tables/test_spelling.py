"""Conditions that no row can match, because of their type or spelling, are refused; rare values are not."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.tables import Condition
from tests.cases import in_turn
from tests.tables.written import FORMS, opened

SPELLED = "wanted {} as the column spells it: no row is that, but for capitals and blanks some are"
REFUSED = [
    (["yes", "no", "yes"], {"equals": "Yes"}, SPELLED.format('"Yes"')),
    (["yes", "no", "yes"], {"one_of": ["no", "YES"]}, SPELLED.format('"YES"')),
    (["a b ", "c", "d"], {"equals": "a b"}, SPELLED.format('"a b"')),
    ([1, 0, 0], {"equals": "yes"}, 'wanted cells that compare with "yes"; the column holds numbers'),
    ([1.5, 0.25, 0.0], {"one_of": ["low"]}, 'wanted cells that compare with "low"; the column holds numbers'),
    ([True, False], {"equals": "yes"}, 'wanted cells that compare with "yes"; the column holds truth values'),
    (["x", "y"], {"equals": "1861-11-20"}, 'wanted ISO dates, as "1861-11-20" is; the column holds other texts'),
    (["x", "y"], {"equals": True}, "wanted cells that compare with 1; the column holds texts"),
    (["0,5", "2"], {"above": 1}, "texts, 1 of them numbers with a decimal comma"),
]


@in_turn({"form": FORMS[::2], "cells, comparison, said": REFUSED})
def test_refused(tmp_path: Path, form: str, cells: list[Any], comparison: dict[str, Any], said: str) -> None:
    if cells == ["0,5", "2"] and form == "csv":
        cells = ["0,5", "x"]
    for data in (
        {"value": Condition(column="x", **comparison)},
        {"value": "y", "where": [{"column": "x"} | comparison]},
    ):
        with pytest.raises(InputError) as refused:
            opened(tmp_path, form, {"x": cells, "y": [1] * len(cells)}, **data)
        assert str(refused.value).startswith("data.value: x, " if "where" not in data else "data.where row 1: x, ")
        assert said in str(refused.value)


@pytest.mark.parametrize(
    ("cells", "comparison", "ones"),
    [
        (["yes", "no"], {"equals": "perhaps"}, 0),
        (["yes", "Yes"], {"equals": "Yes"}, 1),
        (["yes", "no"], {"one_of": ["yes", "absent"]}, 1),
        ([1, 0, 0], {"equals": 7}, 0),
        ([True, False], {"equals": True}, 1),
        (["1861-11-20", "unknown"], {"equals": "1861-11-21"}, 0),
    ],
)
def test_a_value_that_nobody_has_is_asked_for(
    tmp_path: Path, cells: list[Any], comparison: dict[str, Any], ones: int
) -> None:
    for form in FORMS[::2]:
        people = opened(tmp_path, form, {"x": cells}, Condition(column="x", **comparison))
        assert people.tally().get(("", Fraction(1)), 0) == ones


def test_declared_labels_are_what_a_condition_may_ask_for(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"x": ["north", "south"], "y": [1, 0]}
    wanted = r"^data\.value: North, wanted one of the declared labels north, south, west$"
    with pytest.raises(InputError, match=wanted):
        opened(
            tmp_path,
            "csv",
            columns,
            Condition(column="x", equals="North"),
            label="x",
            labels=["north", "south", "west"],
        )
    rare = Condition(column="x", equals="west")
    people = opened(tmp_path, "csv", columns, rare, label="x", labels=["north", "south", "west"])
    assert people.count() == 2
