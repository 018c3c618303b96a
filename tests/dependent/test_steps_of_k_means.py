"""What K-means makes of noisy sums and counts, and how many steps a budget is worth: neither looks at the data."""

from fractions import Fraction

import numpy as np
import pytest

from dalenius.dependent.noisy_lloyd_steps import HALF, Split, centres_of, expected_means, shrunk, steps_worth


@pytest.mark.parametrize("scale", [0.05, 1.0, 40.0])
@pytest.mark.parametrize("noisy", [-3.0, -0.9, 0.0, 0.4, 1.0, 7.0])
def test_the_expected_sum_is_that_of_its_law_given_the_noisy_one(noisy: float, scale: float) -> None:
    """Two people: every sum of the lattice, weighed by how likely its noise is."""
    places = np.arange(-2 * HALF, 2 * HALF + 1, dtype=np.float64)
    logs = -np.abs(places - noisy * HALF) / (scale * HALF)
    weights = np.exp(logs - logs.max())
    wanted = float(places @ weights / weights.sum()) / 2
    found = expected_means(np.array([[noisy * HALF]]), np.array([2]), scale * HALF)
    assert found[0, 0] == pytest.approx(wanted, abs=1e-3 * HALF)


def test_next_to_no_noise_leaves_the_mean_and_much_noise_leads_to_the_middle() -> None:
    sums, counts = np.array([[30.0 * HALF], [-90.0 * HALF]]), np.array([60, 80])
    assert expected_means(sums, counts, 1e-6) == pytest.approx(np.array([[HALF / 2], [-HALF]]))
    for scale in (1e9 * HALF, 1e30 * HALF):
        assert np.abs(expected_means(sums, counts, scale)).max() < 1e-3 * HALF


def test_what_noise_explains_of_a_length_is_taken_away() -> None:
    noisy = np.array([[3.0, 0.0, 4.0], [0.3, 0.0, 0.4], [0.0, 0.0, 0.0]])
    assert shrunk(noisy, noisy, np.array([2.5, 2.5, 2.5])) == pytest.approx(np.array([[2.7, 0, 3.6], [0] * 3, [0] * 3]))
    two = noisy[:, :2]
    assert np.array_equal(shrunk(two, two, np.ones(3)), two)


def test_centres_are_near_the_mean_of_all_where_noise_is_large_and_apart_where_it_is_small() -> None:
    draws, axes = np.random.default_rng(2), 40
    middles = 0.5 + np.array([[0.1], [-0.1]]) * np.ones(axes)
    counts = np.array([3000, 3000])

    def off(scale: float) -> float:
        noise = draws.laplace(scale=scale * HALF, size=(200, 2, axes))
        found = [centres_of(middles * 3000 * HALF + each * 1.0, counts, scale * HALF, 6000) / HALF for each in noise]
        return float(np.mean([np.square(each - middles).sum(axis=1).mean() for each in found]))

    apart, plain = axes * 0.1**2, 2 * (600 / 3000) ** 2 * axes
    assert apart < off(600.0) < 0.6 * plain
    assert off(3.0) < 1.05 * 2 * (3 / 3000) ** 2 * axes


def test_a_larger_budget_is_worth_more_steps_and_more_columns_are_worth_fewer() -> None:
    found = [steps_worth(Fraction(epsilon), 4000, 3, 2) for epsilon in (Fraction(1, 100), Fraction(1, 2), 2)]
    assert found == [1, 6, 7]
    assert steps_worth(Fraction(2), 24129, 4, 103) == 2
    assert steps_worth(Fraction(2), 10**6, 4, 103) == 7
    assert steps_worth(Fraction(1, 10**6), 10, 8, 100) == 1
    steps = steps_worth(Fraction(1, 2), 4000, 3, 2)
    deviation = float(Split.of(Fraction(1, 2), steps, 2).value_scale) * np.sqrt(2) / HALF * 3 / 4000
    assert 0.07 * (steps / (steps + 1)) < deviation <= 0.07
