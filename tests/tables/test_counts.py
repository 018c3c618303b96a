"""Households by how many are infected, against plain Python."""

import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.tables import Condition
from dalenius.tables.tallied import infected_by_size
from tests.tables.written import FORMS, Columns, opened


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_shuffled_people(form: str, tmp_path: Path) -> None:
    draw = random.Random(1)
    homes = [f"{draw.randrange(400)}" for _ in range(1000)]
    ill = [draw.randrange(2) for _ in homes]
    members: dict[str, list[int]] = defaultdict(list)
    for home, bit in zip(homes, ill, strict=True):
        members[home].append(bit)
    people = opened(tmp_path, form, {"home": homes, "ill": ill}, "ill", household="home")
    assert infected_by_size(people) == Counter((len(bits), sum(bits)) for bits in members.values())


@pytest.mark.parametrize("ill", [[True, False, True], [1.0, -0.0, 1.0]])
def test_truth_values_and_fractions_are_bits(form: str, tmp_path: Path, ill: list[Any]) -> None:
    people = opened(tmp_path, form, {"home": ["a", "a", "b"], "ill": ill}, "ill", household="home")
    assert infected_by_size(people) == {(2, 1): 1, (1, 1): 1}


def test_a_condition_and_a_step_make_bits(tmp_path: Path) -> None:
    columns: Columns = {"home": ["a", "a", "b", "c"], "fever": [36.5, 39.0, 40.1, 41.0]}
    hot = opened(tmp_path, "csv", columns, Condition(column="fever", above=38), household="home")
    assert infected_by_size(hot) == {(2, 1): 1, (1, 1): 2}
    halves = opened(tmp_path, "csv", {"home": ["a", "a"], "x": [0.1, 1.1]}, "x", household="home", step=0.5)
    assert infected_by_size(halves) == {(2, 1): 1}  # 1.1 is two steps of a half, which is 1


@pytest.mark.parametrize(("ill", "odd"), [([0, 1, 2], "2"), (["well", "ill", "well"], "ill"), ([0.5, 0, 1], "1/2")])
def test_other_values_are_refused(form: str, tmp_path: Path, ill: list[Any], odd: str) -> None:
    people = opened(tmp_path, form, {"home": [1, 1, 2], "ill": ill}, "ill", household="home")
    with pytest.raises(InputError, match=rf"^data\.value: ill, wanted 0 or 1 in every row \(there is also {odd}\)$"):
        infected_by_size(people)


def test_no_household_column(tmp_path: Path) -> None:
    people = opened(tmp_path, "csv", {"ill": [0, 1]}, "ill")
    with pytest.raises(InputError, match=r"^data\.household: missing, wanted the column that says who belongs"):
        infected_by_size(people)
