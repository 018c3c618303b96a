"""No mechanism and no joint law leaks more than the bound of pairs says, and something near it is attained."""

from math import exp, inf, log

import numpy as np
import pytest

from dalenius.arrays import Array
from dalenius.pairs.private_mechanism_bound import (
    Related,
    closed_coefficient,
    coefficient,
    mechanism_leakage,
    moves_alike,
)
from tests.pace import one_in
from tests.reference.private_mechanisms import coupling, largest_log_ratio, marginals, tuples


def made(seed: int, values: int, records: int) -> tuple[list[Array], Array]:
    """Two joint laws of the other records, given two values of one, with random pair laws; and distances."""
    draws = np.random.default_rng(seed)
    laws = [[draws.dirichlet(np.full(values, 0.5)) for _ in range(records)] for _ in range(2)]
    distances = draws.uniform(0.1, 1.0, (values, values))
    distances = (distances + distances.T) * (1 - np.eye(values)) / 2
    # A path of two steps is a distance too, so that one record never moves further than by its own.
    for middle in range(values):
        distances = np.minimum(distances, distances[:, middle, None] + distances[None, middle])
    return [coupling(each, draws) for each in laws], distances


@pytest.mark.parametrize("seed", one_in(5, range(40)))
@pytest.mark.parametrize(("values", "records"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)])
@pytest.mark.parametrize("alike", [True, False])
def test_no_mechanism_leaks_more_under_any_joint_law(seed: int, values: int, records: int, alike: bool) -> None:
    (one, other), distances = made(seed, values, records)
    apart = moves_alike(values, 0.8) if alike else distances
    laws = zip(marginals(one, values, records), marginals(other, values, records), strict=True)
    related = [Related(1, np.array(pair), apart) for pair in laws]
    bound = mechanism_leakage(np.zeros((2, 2)), related)
    found = max(
        largest_log_ratio(one, other, apart, values, records), largest_log_ratio(other, one, apart, values, records)
    )
    assert found <= bound + 1e-9
    assert bound <= records * apart.max() + 1e-9
    # Of one neighbour whose distances are alike the bound is what leaks.
    if records == 1 and alike:
        assert bound == pytest.approx(found, abs=1e-9)
        assert coefficient(related[0]) == pytest.approx(found, abs=1e-9)


def test_a_bound_a_tenth_lower_would_be_found_out() -> None:
    """Friends who are all alike given one value and independent given the other: E2's example."""
    nats, laws = 1.0, np.array([[0.995, 0.005], [0.5, 0.5]])
    one = np.array([0.5, *np.zeros(6), 0.5])
    other = np.array([0.995**3, *(0.0 for _ in range(7))])
    for place, row in enumerate(tuples(2, 3)):
        other[place] = float(np.prod([laws[0][value] for value in row]))
    found = largest_log_ratio(one, other, moves_alike(2, nats), 2, 3)
    bound = mechanism_leakage(np.zeros((2, 2)), [Related(3, laws, moves_alike(2, nats))])
    assert 0.9 * bound < found <= bound


def test_coefficients_summed_up_are_less_than_what_leaks() -> None:
    """E2: three friends, all alike given one value, who are independent given the other."""
    laws = np.array([[0.995, 0.005], [0.5, 0.5]])
    friend = Related(1, laws, moves_alike(2, 1.0))
    one = np.array([0.5, *np.zeros(6), 0.5])
    other = np.array([float(np.prod([laws[0][value] for value in row])) for row in tuples(2, 3)])
    found = largest_log_ratio(one, other, friend.apart, 2, 3)
    assert found > 3 * coefficient(friend) + 0.3


def test_a_coefficient_is_that_of_the_worst_set_of_values() -> None:
    laws, c = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), exp(0.7) - 1
    sets = [np.array(each, dtype=float) for each in tuples(2, 3)]
    best = max(log((1 + c * one @ a) / (1 + c * other @ a)) for a in sets for one, other in (laws, laws[::-1]))
    assert coefficient(Related(5, laws, moves_alike(3, 0.7))) == pytest.approx(best, rel=1e-12)


def test_the_closed_coefficient_is_no_less_and_is_not_zero_for_independent_records() -> None:
    alike = Related(1, np.array([[0.5, 0.5], [0.5, 0.5]]), moves_alike(2, 1.0))
    assert coefficient(alike) == 0
    assert closed_coefficient(alike) == pytest.approx(log((1 + exp(1)) / 2))
    certain = Related(1, np.eye(2), moves_alike(2, 1.0))
    assert coefficient(certain) == pytest.approx(1.0)
    assert closed_coefficient(certain) == pytest.approx(1.0)


def test_records_of_which_nothing_is_known_are_added_whole() -> None:
    friends = Related(2, np.array([[0.9, 0.1], [0.2, 0.8]]), moves_alike(2, 0.5))
    own = moves_alike(2, 0.5)
    assert mechanism_leakage(own, (friends,), far=1.5) == pytest.approx(mechanism_leakage(own, (friends,)) + 1.5)
    assert mechanism_leakage(own, ()) == pytest.approx(0.5)


def test_many_friends_far_beyond_what_doubles_hold_are_still_bounded() -> None:
    friends = Related(5000, np.array([[0.9, 0.1], [0.2, 0.8]]), moves_alike(2, 1.0))
    found = mechanism_leakage(moves_alike(2, 1.0), (friends,))
    assert 4000 < found <= 5001 * (1 + 1e-9)
    assert found < inf
