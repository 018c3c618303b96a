"""The fitted friend–distance law: friends who meet have one that falls, others none; the noise follows."""

import numpy as np

from papers.dependent.figure_8 import dependence_of
from papers.dependent.fitted_law import fitted, numbers
from tests.papers.dependent.people import made_up_city

NEAR, ANYWHERE = made_up_city(120, points=5, seed=7), made_up_city(120, points=1, seed=7, name="los_angeles")


def test_friends_who_meet_are_near() -> None:
    dependence = dependence_of([NEAR])
    found = fitted([NEAR], dependence)
    assert found.city == "New York"
    assert found.law.c > 0.5
    assert found.of_fit > found.of_weights + 0.1
    assert found.dependence.friends == dependence.friends
    np.testing.assert_allclose(found.dependence.law.given.sum(axis=1), 1)
    ours = {number.what: number for number in numbers(found, dependence)}
    assert ours["exponent c fitted to the friends of New York"].theirs == 1.05
    exact, closed = (
        ours[f"noise × with the fit, ε = 1: {name}"] for name in ("exact pair ρ (Eq 14)", "DPM (ρ by Eq 18)")
    )
    assert 1 < exact.ours < closed.ours


def test_places_that_do_not_matter_are_found_not_to() -> None:
    """Everybody meets at one point: where a friend is follows from nothing but how many people are there."""
    dependence = dependence_of([NEAR, ANYWHERE])
    found = fitted([NEAR, ANYWHERE], dependence)
    assert found.city == "Los Angeles"  # of the person with most friends
    assert found.of_fit - found.of_weights < 0.02
