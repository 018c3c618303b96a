"""Which rows are people of one kind, against the rows looked at one by one."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dalenius.tables import People, Source, open_people, rows_of
from tests.pace import draws
from tests.tables import written
from tests.tables.written import Columns

Row = tuple[str, str]
"""A household and a label."""


def opened(folder: Path, rows: Iterable[Row], **columns: str) -> People:
    path = folder / "people.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("home", "place", "ill"), *((home, place, 0) for home, place in rows)])
    return open_people(Source(file=path, value="ill", **columns), folder)


def kinds(rows: list[Row]) -> dict[tuple[str, tuple[tuple[str, int], ...]], list[int]]:
    """The numbers of the rows of each label and composition."""
    members: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for home, place in rows:
        members[home][place] += 1
    found: defaultdict[tuple[str, tuple[tuple[str, int], ...]], list[int]] = defaultdict(list)
    for number, (home, place) in enumerate(rows, 1):
        found[place, tuple(sorted(members[home].items()))].append(number)
    return dict(found)


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["1", "01", "a b", "ü"]), st.sampled_from(["", "x", "X", "y'\""])), min_size=1
    )
)
@draws(50)
def test_every_kind_of_row(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    labelled = [(home, place or "none") for home, place in rows]
    people = opened(tmp_path_factory.mktemp("rows"), labelled, household="home", label="place")
    for (label, home), wanted in kinds(labelled).items():
        found = rows_of(people, label, home, most=3)
        assert (found.first, found.total) == (tuple(wanted[:3]), len(wanted))
    for label in {place for _, place in labelled}:
        wanted = [number for number, (_, place) in enumerate(labelled, 1) if place == label]
        assert rows_of(people, label, most=2).first == tuple(wanted[:2])
        assert rows_of(people, label).total == len(wanted)
    people.close()


def test_all_rows_where_there_is_no_label(tmp_path: Path) -> None:
    people = opened(tmp_path, [("1", "x"), ("1", "y"), ("2", "y")], household="home")
    assert rows_of(people, "").first == (1, 2, 3)
    assert rows_of(people, "", (("", 2),)).first == (1, 2)
    assert rows_of(people, "", (("", 3),)) == rows_of(people, "nobody")
    assert rows_of(people, "nobody").total == 0


def test_rows_of_a_long_file_are_in_its_order(form: str, tmp_path: Path) -> None:
    """The engine reads it in parts, side by side."""
    numbers = range(300_000)
    columns: Columns = {
        "home": [number // 2 for number in numbers],
        "place": ["east" if number % 60_013 == 7 else "west" for number in numbers],
        "ill": [0] * len(numbers),
    }
    people = written.opened(tmp_path, form, columns, "ill", household="home", label="place")
    wanted = tuple(number + 1 for number in numbers if number % 60_013 == 7)
    assert rows_of(people, "east").first == wanted
    assert rows_of(people, "east") == rows_of(people, "east", (("east", 1), ("west", 1)))
    beside = tuple(number - 1 if number % 2 == 0 else number + 1 for number in wanted)
    assert rows_of(people, "west", (("east", 1), ("west", 1))).first == beside
