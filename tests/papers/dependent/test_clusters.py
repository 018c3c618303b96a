"""Lloyd's steps, with the package's noise and without."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalenius.dependent.noisy_lloyd_steps import Split, lattice, nearest, noisy_steps
from papers.dependent.clusters import lloyd
from papers.numbers import Array, IntArray
from tests.reference import lloyd as reference


@pytest.mark.slow
def test_all_outputs_of_two_steps_keep_epsilon() -> None:
    """Every output of two steps on a line of three places, every pair of neighbours of two people."""
    half, steps = 1, 2
    split = Split.of(Fraction(1), steps, 1)
    scales = split.count_scale, half * 2 / split.value
    everybody = list(product(((-1,), (0,), (1,)), repeat=2))
    pairs = [(one, other) for one in everybody for other in everybody if one[0] == other[0] and one != other]
    window = range(3), range(-2, 3)  # beyond what two people can have nothing more is lost, and no centre is new
    start = ((-1,), (1,))
    worst = max(reference.worst_loss(one, other, start, half, scales, window, steps) for one, other in pairs)
    assert worst <= 1
    assert worst > Fraction(99, 100)  # a promise of less would be false


def test_every_step_has_noise_of_its_scale_on_all_counts_and_sums() -> None:
    """Without noise they are Lloyd's steps on the lattice, as plain arithmetic has them."""
    places = lattice(np.random.default_rng(4).uniform(-1, 1, (50, 2)))
    split, start = Split.of(Fraction(10**6), 4, 2), places[:3]  # so that nothing is moved towards the middle
    asked = list[tuple[Fraction, tuple[int, ...]]]()

    def none(exact: Array | IntArray, scale: Fraction) -> IntArray:
        asked.append((scale, exact.shape))
        return np.rint(exact).astype(np.int64)

    found, counts = noisy_steps(places, start, split, none)
    assert asked == [(split.count_scale, (3,)), (split.value_scale, (3, 2))] * 4
    centres = start
    for _ in range(4):
        labels = nearest(places, centres)
        centres = np.rint([places[labels == each].mean(axis=0) for each in range(3)])
    assert np.array_equal(found, centres)
    assert np.array_equal(counts, np.bincount(labels))


def test_clusters_are_found_without_noise() -> None:
    middles = np.array([[0.0, 0.0], [4.0, 4.0], [0.0, 4.0], [-4.0, 2.0]])
    rows = np.concatenate([np.random.default_rng(0).normal(middle, 0.5, (300, 2)) for middle in middles])
    found = lloyd(rows, 4, starts=5)
    means = [rows[found.labels == each].mean(axis=0) for each in range(4)]
    assert np.allclose(found.centres, means)
    assert found.inertia == pytest.approx(float(((rows - found.centres[found.labels]) ** 2).sum()))
    assert np.abs(np.sort(found.centres, axis=0) - np.sort(middles, axis=0)).max() < 0.1
    assert lloyd(rows, 4, start=middles).inertia == pytest.approx(found.inertia)
