"""Accuracy by method: Theorem 10 by simulation, the person with most friends, lines that the numbers lie on."""

from math import exp, log

import numpy as np
import pytest

from papers.dependent.figure_8 import (
    BETA,
    ERRORS,
    PROMISES,
    Accuracy,
    accuracy,
    dependence_of,
    numbers,
    privacy_rows,
    rows,
    within,
)
from papers.dependent.mechanisms import ALL, BASELINE, DPM, EXACT_PAIR
from tests.papers.dependent.people import made_up_city

CITIES = (made_up_city(60), made_up_city(40, points=1, seed=2, name="los_angeles"))


@pytest.fixture(scope="module")
def found() -> Accuracy:
    return accuracy(CITIES)


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


def test_numbers_lie_on_the_lines(found: Accuracy) -> None:
    ours = {number.what: number for number in numbers(found)}
    dpm = ours["Pr[error < 1000 ΔQ] at ε = 1: DPM (ρ by Eq 18)"]
    assert dpm.theirs == 1
    assert dpm.ours == pytest.approx(1 - exp(-1000 / found.multiples[DPM, 1.0]))
    baseline = ours[f"ε for error < 1000 ΔQ, β = 0.05: {BASELINE.label}"].ours
    assert baseline == pytest.approx(100 * log(1 / 0.05) / 1000, rel=1e-6)
    reached = ours[f"ε′ that a joint law with those pairs reaches, ε = 1: {EXACT_PAIR.label}"]
    assert reached.theirs == 1


def test_rows(found: Accuracy) -> None:
    lines = list(rows(found))
    assert len(lines) == 1 + 3 * len(ALL) * len(ERRORS[::4])
    heights = np.array([float(str(line[5])) for line in lines[1:]]).reshape(3 * len(ALL), -1)
    assert np.all(np.diff(heights, axis=1) >= 0)
    header, *found_privacy = privacy_rows(found)
    assert header == ("method", "sound", "epsilon", "multiple_of_sensitivity", "beta", "error")
    assert len(found_privacy) == len(ALL) * len(PROMISES)
    for _, _, epsilon, times, _, error in found_privacy:
        chance = within(float(str(error)), float(str(times)), float(str(epsilon)))
        assert chance == pytest.approx(1 - BETA, rel=1e-9)
