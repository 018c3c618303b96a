"""Who is named as the worst: the first of all whose enclosures overlap the largest."""

from itertools import permutations
from typing import Any

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import Largest, pair_at, peak, worst
from dalenius.notions import Leakage, Witness


def test_overlapping_is_asked_of_the_largest_and_not_in_a_chain() -> None:
    """Each overlaps the next, the first does not overlap the last."""
    found = Largest[str]()
    for place, name in enumerate("abcd"):
        found.add(Enclosure(place, place + 1.5), name)
    assert (found.lower, found.upper, found.first) == (3, 4.5, "c")


def leakage(person: int, lower: float, upper: float) -> Leakage:
    return Leakage(lower, upper, Witness(person, f"person {person}"), {"also": Enclosure(lower / 2, upper)})


def test_worst_names_the_lowest_number_whatever_the_order() -> None:
    for each in permutations([leakage(1, 0.5, 0.9), leakage(2, 1.0, 1.2), leakage(3, 1.1, 1.15)]):
        found = worst(each)
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
