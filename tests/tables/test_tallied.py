"""A table's tally through the engine, against the same rows one by one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.queries import Count, Max, Mean, Median, Min, Sum, Variance
from dalenius.tables import tallied
from dalenius.tables.source import Condition
from dalenius.tallies.leave_one_out import LeftOut
from dalenius.tallies.tally import Tally, tally_of_people
from tests.tables.written import opened

DRAWN = np.random.default_rng(3)
AGES = DRAWN.integers(17, 91, 500).tolist()
PAID = np.round(DRAWN.lognormal(3, 1, 500), 2).tolist()
WARDS = DRAWN.choice(["north", "south", "01"], 500).tolist()
NUMERIC = (Sum(), Mean(), Variance(), Min(), Max(), Median(), Mean(lower=20, upper=50.5))


def same(found: LeftOut, wanted: LeftOut) -> None:
    assert found.base == wanted.base
    np.testing.assert_array_equal(found.offsets, wanted.offsets)
    np.testing.assert_array_equal(found.people, wanted.people)


def tally(folder: Path, form: str, value: str | Condition, **data: Any) -> Tally:
    return tallied(opened(folder, form, {"age": AGES, "paid": PAID, "ward": WARDS}, value, **data))


def test_numbers(form: str, tmp_path: Path) -> None:
    found = tally(tmp_path, form, "paid")
    assert found.whose is None
    assert len(found.counts) == len(set(PAID))
    for query in NUMERIC:
        same(query.left_out(found), query.left_out(tally_of_people(PAID)))


def test_labels(form: str, tmp_path: Path) -> None:
    found = tally(tmp_path, form, "age", label="ward")
    assert found.labels == ("01", "north", "south")
    for query in (*NUMERIC, Sum(labels=["01"]), Variance(labels=["north", "01"]), Median(labels=["south"])):
        same(query.left_out(found), query.left_out(tally_of_people(AGES, WARDS)))


def test_texts_and_conditions(form: str, tmp_path: Path) -> None:
    same(
        Count(values=["01"]).left_out(tally(tmp_path, form, "ward")),
        Count(values=["01"]).left_out(tally_of_people(WARDS)),
    )
    old = Condition(column="age", at_least=65)
    same(Count().left_out(tally(tmp_path, form, old)), Count().left_out(tally_of_people([int(a >= 65) for a in AGES])))


def test_clipped_and_in_steps(form: str, tmp_path: Path) -> None:
    found = tally(tmp_path, form, "paid", lower=0, upper=60, step=0.5)
    steps = [int(np.floor(min(paid, 60.0) / 0.5 + 0.5)) for paid in PAID]
    for query in NUMERIC:
        same(query.left_out(found), query.left_out(tally_of_people([step / 2 for step in steps])))


def test_one_person_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^values: of 1 people, wanted two people or more"):
        tallied(opened(tmp_path, "csv", {"age": [1]}, "age"))
