"""Counting people by label and value, against plain Python."""

import math
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from tests.tables.written import FORMS, Columns, opened

HALVES = [-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 0.49, -0.51]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_counts_of_labels_and_values(form: str, tmp_path: Path) -> None:
    draw = random.Random(1)
    columns: Columns = {
        "x.loc": [draw.choice([-1.5, 0.1, 2.0, 3.25]) for _ in range(600)],
        'the "ward"': [draw.choice(["1", "01", "Ärzte", "it's"]) for _ in range(600)],
    }
    people = opened(tmp_path, form, columns, "x.loc", label='the "ward"')
    wanted = Counter((label, Fraction(repr(x))) for x, label in zip(*columns.values(), strict=True))
    assert people.tally() == wanted
    assert people.count() == 600
    assert people.labels() == ("01", "1", "it's", "Ärzte")


def test_without_a_label_it_is_empty(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"ill": [0, 1, 1]}, "ill")
    assert people.tally() == {("", Fraction(0)): 1, ("", Fraction(1)): 2}
    assert people.labels() == ("",)


def test_numbers_are_fractions_and_truths_are_bits(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"ill": [True, False, True]}, "ill")
    tally = people.tally()
    assert tally == {("", Fraction(0)): 1, ("", Fraction(1)): 2}
    assert all(type(value) is Fraction for _, value in tally)


def test_a_float_is_what_it_is_written_as(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"x": [0.1, 0.1, 1e-7, 123456789.125, -0.0, 0.0]}, "x")
    tenth, tiny, big = Fraction(1, 10), Fraction(1, 10**7), Fraction(987654313, 8)
    assert people.tally() == {("", tenth): 2, ("", tiny): 1, ("", big): 1, ("", Fraction(0)): 2}


def test_texts_stay_texts(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"colour": ["red", "blue", "red"]}, "colour")
    assert people.tally() == {("", "red"): 2, ("", "blue"): 1}


def test_decimals_and_large_integers_are_exact(tmp_path: Path) -> None:
    people = opened(tmp_path, "parquet", {"x": [Decimal("0.10"), Decimal("2.25")]}, "x")
    assert people.tally() == {("", Fraction(1, 10)): 1, ("", Fraction(9, 4)): 1}
    people = opened(tmp_path, "parquet", {"x": [2**53 + 1, 2**53]}, "x")
    assert people.tally() == {("", Fraction(2**53 + 1)): 1, ("", Fraction(2**53)): 1}


def test_a_late_fraction_is_not_rounded_away(tmp_path: Path) -> None:
    people = opened(tmp_path, "csv", {"x": [1] * 50_000 + [1.5]}, "x")
    assert people.tally() == {("", Fraction(1)): 50_000, ("", Fraction(3, 2)): 1}


@pytest.mark.parametrize("step", [1.0, 0.5, 0.1, 3.0])
def test_quantised_at_halves_and_below_zero(form: str, tmp_path: Path, step: float) -> None:
    people = opened(tmp_path, form, {"x": HALVES}, "x", step=step)
    wanted = Counter(("", math.floor(x / step + 0.5) * Fraction(repr(step))) for x in HALVES)
    assert people.tally() == wanted


def test_halves_go_up(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"x": [-1.5, -0.5, 0.5, 1.5, 2.5]}, "x", step=1)
    assert people.tally() == {("", Fraction(k)): 1 for k in (-1, 0, 1, 2, 3)}


def test_the_step_is_exact(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"x": [0.31, 0.29, 0.7]}, "x", step=0.1)
    assert people.tally() == {("", Fraction(3, 10)): 2, ("", Fraction(7, 10)): 1}


def test_clipped_then_quantised(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"x": [-9, 0, 4, 5, 16, 999]}, "x", lower=0, upper=15, step=5)
    assert people.tally() == {("", Fraction(0)): 2, ("", Fraction(5)): 2, ("", Fraction(15)): 2}


@pytest.mark.parametrize(
    ("bounds", "wanted"),
    [({"lower": -1.5}, [-1.5, 0, 7]), ({"upper": 2.5}, [-3, 0, 2.5]), ({"lower": 0.1, "upper": 0.1}, [0.1] * 3)],
)
def test_clipped_on_either_side(form: str, tmp_path: Path, bounds: dict[str, float], wanted: list[float]) -> None:
    people = opened(tmp_path, form, {"x": [-3, 0, 7]}, "x", **bounds)
    assert people.tally() == Counter(("", Fraction(repr(x))) for x in wanted)
