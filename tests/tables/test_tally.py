"""Counting people by label and value, and households by who is in them, against plain Python."""

import math
import random
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.queries import Count, Max, Mean, Median, Min, Sum, Variance
from dalenius.tables import tallied
from dalenius.tables.people import infected_by_size
from dalenius.tables.source import Condition
from dalenius.tallies import LeftOut, Tally, tally_of_people
from tests.tables.written import Columns, opened

HALVES = [-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 0.49, -0.51]


def test_a_float_is_what_it_is_written_as(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"x": [0.1, 0.1, 1e-7, 123456789.125, -0.0, 0.0]}, "x")
    tenth, tiny, big = Fraction(1, 10), Fraction(1, 10**7), Fraction(987654313, 8)
    assert people.tally() == {("", tenth): 2, ("", tiny): 1, ("", big): 1, ("", Fraction(0)): 2}


def test_decimals_are_exact(tmp_path: Path) -> None:
    people = opened(tmp_path, "parquet", {"x": [Decimal("0.10"), Decimal("2.25")]}, "x")
    assert people.tally() == {("", Fraction(1, 10)): 1, ("", Fraction(9, 4)): 1}


def test_a_late_fraction_is_not_rounded_away(tmp_path: Path) -> None:
    people = opened(tmp_path, "csv", {"x": [1] * 50_000 + [1.5]}, "x")
    assert people.tally() == {("", Fraction(1)): 50_000, ("", Fraction(3, 2)): 1}


def test_quantised_at_halves_and_below_zero(form: str, tmp_path: Path) -> None:
    for step in (1.0, 0.5, 0.1, 3.0):
        people = opened(tmp_path, form, {"x": HALVES}, "x", step=step)
        wanted = Counter(("", math.floor(x / step + 0.5) * Fraction(repr(step))) for x in HALVES)
        assert people.tally() == wanted


def test_clipped_on_either_side(form: str, tmp_path: Path) -> None:
    for bounds, wanted in (({"lower": -1.5}, [-1.5, 0, 7]), ({"upper": 2.5}, [-3, 0, 2.5])):
        people = opened(tmp_path, form, {"x": [-3, 0, 7]}, "x", **bounds)
        assert people.tally() == Counter(("", Fraction(repr(x))) for x in wanted)


def compositions(columns: Columns) -> Counter[tuple[tuple[str, int], ...]]:
    homes: dict[str, Counter[str]] = defaultdict(Counter)
    for home, label in zip(columns["home"], columns["class"], strict=True):
        homes[home][label] += 1
    return Counter(tuple(sorted(home.items())) for home in homes.values())


def test_one_and_nought_one_are_two_households(form: str, tmp_path: Path) -> None:
    columns: Columns = {"home": ["1", "01", "001", "1"], "class": ["1", "01", "1", "01"], "ill": [0, 0, 1, 1]}
    people = opened(tmp_path, form, columns, "ill", household="home", label="class")
    assert people.compositions() == {(("01", 1), ("1", 1)): 1, (("01", 1),): 1, (("1", 1),): 1}


def test_without_labels_it_is_the_sizes(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"home": [7, 7, 8, 9, 9], "ill": [0] * 5}, "ill", household="home")
    assert people.compositions() == {(("", 2),): 2, (("", 1),): 1}


def test_no_household_column(tmp_path: Path) -> None:
    people = opened(tmp_path, "csv", {"ill": [0, 1]}, "ill")
    with pytest.raises(InputError, match=r"^data\.household: missing, wanted the column that says who belongs"):
        people.compositions()


def test_shuffled_people(form: str, tmp_path: Path) -> None:
    draw = random.Random(1)
    homes = [f"{draw.randrange(400)}" for _ in range(1000)]
    ill = [draw.randrange(2) for _ in homes]
    members: dict[str, list[int]] = defaultdict(list)
    for home, bit in zip(homes, ill, strict=True):
        members[home].append(bit)
    people = opened(tmp_path, form, {"home": homes, "ill": ill}, "ill", household="home")
    assert infected_by_size(people) == Counter((len(bits), sum(bits)) for bits in members.values())


def test_truth_values_and_steps_are_bits(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"home": ["a", "a", "b"], "ill": [True, False, True]}, "ill", household="home")
    assert infected_by_size(people) == {(2, 1): 1, (1, 1): 1}
    halves = opened(tmp_path, form, {"home": ["a", "a"], "x": [0.1, 1.1]}, "x", household="home", step=0.5)
    assert infected_by_size(halves) == {(2, 1): 1}  # 1.1 is two steps of a half, which is 1


def test_other_values_are_refused(form: str, tmp_path: Path) -> None:
    for ill, odd in (([0, 1, 2], "2"), (["well", "ill", "well"], "ill"), ([0.5, 0, 1], "1/2")):
        people = opened(tmp_path, form, {"home": [1, 1, 2], "ill": ill}, "ill", household="home")
        wanted = rf"^data\.value: ill, wanted 0 or 1 in every row \(there is also {odd}\)$"
        with pytest.raises(InputError, match=wanted):
            infected_by_size(people)


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
