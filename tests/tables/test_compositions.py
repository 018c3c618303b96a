"""Counting households by who is in them, against plain Python."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dalenius.errors import InputError
from tests.tables.written import Columns, opened


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
