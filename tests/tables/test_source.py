"""The `[data]` section refuses what means nothing."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from dalenius.tables import Condition, Source
from tests.cases import Refusals, check_refused


def condition(**fields: Any) -> Callable[[], object]:
    return lambda: Condition(column="x", **fields)


def source(**fields: Any) -> Callable[[], object]:
    return lambda: Source(**({"value": "x"} | fields))


REFUSED: Refusals = [
    (condition(), 'Condition: { column = "x" }, wanted exactly one of equals, one_of, below, at_most, above, at_least'),
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


def test_the_engine_is_not_loaded_before_a_table_is() -> None:
    loaded = "import sys, dalenius.tables; print({'ibis', 'duckdb', 'pyarrow', 'pandas'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
