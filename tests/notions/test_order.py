"""Who is named as the worst: the first of all whose enclosures overlap the largest."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import worst
from dalenius.channel.peak import Largest, pair_at, peak
from dalenius.notions import Leakage, Witness


def test_overlapping_is_asked_of_the_largest_and_not_in_a_chain() -> None:
    """Each overlaps the next, the first does not overlap the last."""
    found = Largest[str]()
    for place, name in enumerate("abcd"):
        found.add(Enclosure(place, place + 1.5), name)
    assert (found.lower, found.upper, found.first) == (3, 4.5, "c")


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_the_first_of_any_order(order: tuple[int, ...]) -> None:
    ends = [Enclosure(0.0, 2.0), Enclosure(1.0, 1.1), Enclosure(1.05, 3.0), Enclosure(0.2, 0.9)]
    found = Largest[int]()
    for place in order:
        found.add(ends[place], place)
    assert found.first == next(place for place in order if ends[place].upper >= 1.05)


def leakage(person: int, lower: float, upper: float) -> Leakage:
    return Leakage(lower, upper, Witness(person, f"person {person}"), {"also": Enclosure(lower / 2, upper)})


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_worst_names_the_lowest_number_whatever_the_order(order: tuple[int, ...]) -> None:
    each = [leakage(1, 0.5, 0.9), leakage(2, 1.0, 1.2), leakage(3, 1.1, 1.15)]
    found = worst([each[place] for place in order])
    assert found.witness is not None
    assert (found.witness.person, found.lower, found.upper) == (2, 1.1, 1.2)
    assert found.companions == {"also": Enclosure(0.55, 1.2)}


def test_a_bound_without_a_witness_names_nobody() -> None:
    assert worst([Leakage(0.0, 5.0, None), leakage(7, 1.0, 1.0)]).witness == Witness(7, "person 7")


def test_places_within_the_error_are_equal() -> None:
    values = np.array([[0.0, 1.0 - 1e-12], [1.0, 1.0]])
    possible: Any = np.ones(2, dtype=np.bool_)
    assert peak(values, possible, 1e-12)[1] == (0, 1)
    assert peak(values, possible, 1e-13)[1] == (1, 0)
    assert peak(values, possible, np.full(2, 1e-12))[1] == (0, 1)


def test_secrets_come_before_outputs() -> None:
    """Secret 1 has the largest ratio at output 0, secret 0 as large a one, but for rounding, at output 1."""
    logs = np.array([[-2.0, -1.0], [-1.0, -2.0 + 1e-15]])
    possible: Any = np.ones(2, dtype=np.bool_)
    assert pair_at(logs, possible, 1e-14, 1 - 1e-14) == (0, 1, 1)
    assert pair_at(logs, possible, 1e-17, 1.0) == (1, 0, 0)


def test_a_secret_is_not_told_from_itself() -> None:
    assert pair_at(np.zeros((3, 2)), np.array([False, True]), 1e-16, 0.0) == (0, 1, 1)
