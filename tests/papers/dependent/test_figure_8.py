"""Accuracy by method: Theorem 10 by simulation, the person with most friends, lines that the numbers lie on."""

from math import exp

import numpy as np
import pytest

from papers.dependent.figure_8 import dependence_of, within
from tests.papers.dependent.people import made_up_city

CITIES = (made_up_city(60), made_up_city(40, points=1, seed=2, name="los_angeles"))


def test_probability_of_a_small_error() -> None:
    draws = np.abs(np.random.default_rng(0).laplace(scale=30 / 0.5, size=200_000))
    assert within(50, 30, 0.5) == pytest.approx(float(np.mean(draws < 50)), abs=0.004)
    assert within(1000, 143, 1.0) == pytest.approx(1 - exp(-1000 / 143), rel=1e-12)


def test_the_person_with_most_friends_of_any_city() -> None:
    most = [np.bincount(city.friends.ravel()).max() for city in CITIES]
    dependence = dependence_of(CITIES)
    assert dependence.friends == max(most)
    assert dependence.people == 100
    assert 1 < dependence.alike < 100
