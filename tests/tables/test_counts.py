"""Households by how many are infected, against plain Python."""

import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.tables.counts import infected_by_size
from tests.tables.written import opened


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
