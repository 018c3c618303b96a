"""The `[data]` section refuses what means nothing."""

import json
import subprocess
import sys
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.tables import Condition, Source


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "exactly one of equals, one_of, below, at_most, above, at_least"),
        ({"below": 1, "above": 0}, "exactly one of equals"),
        ({"one_of": [1, "a"]}, "one_of all numbers or all texts"),
        ({"one_of": []}, "Condition.one_of"),
        ({"below": float("nan")}, r"Condition.below: nan, wanted a finite number, a text or a date"),
        ({"below": [1]}, "Condition.below"),
        ({"near": 1}, "Condition.near: 1, wanted one of the keys of Condition: column"),
    ],
)
def test_conditions(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Condition(column="x", **fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Source.value: missing, wanted a value"),
        ({"value": 3}, "Source.value: 3, wanted a column's name, or a condition on a column"),
        ({"value": {"column": "x"}}, r"Source\.value: .*, wanted exactly one of equals"),
        ({"value": {"below": 2}}, r"Source\.value: .*, wanted a value \(condition\.column\)"),
        ({"value": "x", "step": 0}, "Source.step: 0, wanted a finite number above 0"),
        ({"value": "x", "lower": float("inf")}, "Source.lower: inf"),
        ({"value": "x", "lower": 3, "upper": 1}, "lower at most upper, not 3.0 above 1.0"),
        ({"value": "x", "upper": 1, "step": 0.4}, "multiples of the step 0.4, 1.0 is not"),
        ({"value": {"column": "x", "equals": 1}, "upper": 1}, "no lower, upper or step"),
        (
            {"value": "x", "houshold": "h"},
            "Source.houshold: h, wanted one of the keys of Source: .*\\(did you mean household\\?\\)",
        ),
    ],
)
def test_sources(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Source(**fields)


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


def test_the_engine_is_not_loaded_before_a_table_is() -> None:
    loaded = "import sys, dalenius.tables; print({'ibis', 'duckdb', 'pyarrow', 'pandas'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
