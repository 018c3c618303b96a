"""The children of Hagelloch in the measles of 1861, against plain Python."""

import csv
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dalenius.tables import Condition, People, Source, open_people

FILE = "households/hagelloch_1861.csv"


@pytest.fixture(scope="module")
def folder() -> Path:
    if "DALENIUS_DATA" not in os.environ:
        pytest.skip("DALENIUS_DATA, the folder of the public data sets, is not set")
    return Path(os.environ["DALENIUS_DATA"])


@pytest.fixture(scope="module")
def children(folder: Path) -> list[dict[str, str]]:
    with (folder / FILE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def people(folder: Path) -> People:
    early = Condition(column="ERU", below="1861-11-20")
    return open_people(Source(file=FILE, household="FN", label="CL", value=early), folder)


def test_early_rashes_by_class(people: People, children: list[dict[str, str]]) -> None:
    assert people.tally() == Counter((child["CL"], int(child["ERU"] < "1861-11-20")) for child in children)
    assert people.count() == 188
    assert people.labels() == ("1st class", "2nd class", "preschool")


def test_families(people: People, children: list[dict[str, str]]) -> None:
    families: dict[str, Counter[str]] = defaultdict(Counter)
    for child in children:
        families[child["FN"]][child["CL"]] += 1
    assert people.compositions() == Counter(tuple(sorted(family.items())) for family in families.values())


def test_a_column_with_a_dot(folder: Path, children: list[dict[str, str]]) -> None:
    people = open_people(Source(file=FILE, value="x.loc", step=100), folder)
    wanted = Counter(("", int((float(child["x.loc"]) + 50) // 100) * 100) for child in children)
    assert people.tally() == wanted
