"""Noisy Lloyd's steps: one person's part in every step is bounded, and the whole release keeps ε (Result 17.1)."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from papers.dependent import clusters as ours
from papers.numbers import Array
from tests.reference import lloyd as reference

MOVED = {"replace": 2, "add_remove": 1}


def changes(rng: np.random.Generator, corner: bool, replace: bool) -> tuple[Array, Array, Array]:
    """Two neighbouring data sets and centres."""
    n, d, k = int(rng.integers(2, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    draw = (
        (lambda *shape: rng.choice([-ours.HALF, ours.HALF], shape))
        if corner
        else (lambda *shape: rng.integers(-ours.HALF, ours.HALF + 1, shape))
    )
    rows, centres = draw(n, d).astype(float), draw(k, d).astype(float)
    other = rows.copy()
    if replace:
        other[-1] = draw(d)
    return rows, other if replace else rows[:-1], centres


@pytest.mark.parametrize(("neighbours", "corner"), [("replace", True), ("add_remove", True), ("replace", False)])
def test_no_step_changes_by_more_than_its_sensitivity(neighbours: str, corner: bool) -> None:
    rng, most = np.random.default_rng(1), MOVED[neighbours]
    widest_counts, widest_sums = 0.0, 0.0
    for _ in range(2000):
        rows, other, centres = changes(rng, corner, neighbours == "replace")
        found = [ours.sums_by_cluster(each, ours.nearest_centre(each, centres), len(centres)) for each in (rows, other)]
        counts = np.abs(found[0][1] - found[1][1]).sum()
        sums = np.abs(found[0][0] - found[1][0]).sum(axis=0).max()
        assert counts <= most
        assert sums <= most * ours.HALF
        widest_counts, widest_sums = max(widest_counts, counts), max(widest_sums, sums)
    assert widest_counts == most
    if corner:
        assert widest_sums == most * ours.HALF  # half of it would be false


def test_the_shares_are_all_of_epsilon() -> None:
    epsilon, steps, axes, moved = 0.1, 3, 12, 1
    split = ours.Split.of(epsilon, steps, axes, moved)
    assert steps * (split.count + axes * split.value) == Fraction(epsilon)
    assert (
        split.moved / split.count_scale + axes * split.moved * ours.HALF / split.value_scale
        == Fraction(epsilon) / steps
    )


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", MOVED)
def test_all_outputs_of_two_steps_keep_epsilon(neighbours: str) -> None:
    """Every output of two steps on a line of three places, every pair of neighbours of two people."""
    half, steps, moved = 1, 2, MOVED[neighbours]
    split = ours.Split.of(1.0, steps, 1, moved)
    scales = split.count_scale, half * moved / split.value
    everybody = list(product(((-1,), (0,), (1,)), repeat=2))
    if neighbours == "replace":
        pairs = [(one, other) for one in everybody for other in everybody if one[0] == other[0] and one != other]
    else:
        pairs = [(one, one[:1]) for one in everybody] + [(one[:1], one) for one in everybody]
    window = range(3), range(-2, 3)  # beyond what two people can have nothing more is lost, and no centre is new
    start = ((-1,), (1,))
    worst = max(reference.worst_loss(one, other, start, half, scales, window, steps) for one, other in pairs)
    assert worst <= 1
    assert worst > Fraction(99, 100)  # a promise of less would be false


def test_steps_are_what_the_definition_says() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        k, d = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        span = int(rng.choice([2, ours.HALF]))  # of small whole numbers many are equally near
        rows, centres = rng.integers(-span, span + 1, (6, d)), rng.integers(-span, span + 1, (k, d))
        places, before = (tuple(tuple(map(int, row)) for row in each) for each in (rows, centres))
        sums, counts = ours.sums_by_cluster(
            rows.astype(float), ours.nearest_centre(rows.astype(float), centres.astype(float)), k
        )
        assert reference.step(places, before) == (tuple(counts), tuple(map(tuple, sums)))
        noisy = rng.integers(-3, 6, k), rng.integers(-3 * ours.HALF, 3 * ours.HALF, (k, d))
        output = tuple(map(int, noisy[0])), tuple(tuple(map(int, row)) for row in noisy[1])
        after = reference.moved(output, before, ours.HALF)
        assert np.array_equal(ours.next_centres(*noisy, centres.astype(float)), after)


def test_every_step_has_noise_of_its_scale_on_all_counts_and_sums() -> None:
    """Without noise they are Lloyd's steps on the lattice."""
    points = np.random.default_rng(4).random((50, 2))
    split, start, asked = ours.Split.of(0.5, 4, 2, 2), points[:3], []

    def none(scale: Fraction, shape: tuple[int, ...]) -> Array:
        asked.append((scale, shape))
        return np.zeros(shape)

    found = ours.noisy_steps(points, start, split, none)
    assert asked == [(split.count_scale, (3,)), (split.value_scale, (3, 2))] * 4
    centres, places = ours.lattice(start), ours.lattice(points)
    for _ in range(4):
        labels = ours.nearest_centre(places, centres)
        centres = np.rint([places[labels == each].mean(axis=0) for each in range(3)])
    assert np.array_equal(ours.lattice(found), centres)
    shifted = ours.noisy_steps(points, start, split, lambda scale, shape: np.full(shape, float(scale)))
    assert not np.allclose(shifted, found)


def test_clusters_are_found_without_noise() -> None:
    middles = np.array([[0.0, 0.0], [4.0, 4.0], [0.0, 4.0], [-4.0, 2.0]])
    rows = np.concatenate([np.random.default_rng(0).normal(middle, 0.5, (300, 2)) for middle in middles])
    found = ours.lloyd(rows, 4, starts=5)
    means = [rows[found.labels == each].mean(axis=0) for each in range(4)]
    assert np.allclose(found.centres, means)
    assert found.inertia == pytest.approx(float(((rows - found.centres[found.labels]) ** 2).sum()))
    assert np.abs(np.sort(found.centres, axis=0) - np.sort(middles, axis=0)).max() < 0.1
    assert ours.lloyd(rows, 4, start=middles).inertia == pytest.approx(found.inertia)
