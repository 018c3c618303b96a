"""Counting people by label and value, against plain Python."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from tests.tables.written import opened

HALVES = [-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 0.49, -0.51]


def test_a_float_is_what_it_is_written_as(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"x": [0.1, 0.1, 1e-7, 123456789.125, -0.0, 0.0]}, "x")
    tenth, tiny, big = Fraction(1, 10), Fraction(1, 10**7), Fraction(987654313, 8)
    assert people.tally() == {("", tenth): 2, ("", tiny): 1, ("", big): 1, ("", Fraction(0)): 2}


def test_decimals_and_large_integers_are_exact(tmp_path: Path) -> None:
    people = opened(tmp_path, "parquet", {"x": [Decimal("0.10"), Decimal("2.25")]}, "x")
    assert people.tally() == {("", Fraction(1, 10)): 1, ("", Fraction(9, 4)): 1}
    people = opened(tmp_path, "parquet", {"x": [2**53 + 1, 2**53]}, "x")
    assert people.tally() == {("", Fraction(2**53 + 1)): 1, ("", Fraction(2**53)): 1}


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
