"""K-means as scikit-learn has it; centroids with noise straight on them are not private (E9)."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from dalenius.laws.law import Array
from dalenius.learning import KMeans, lloyd

MIDDLES = np.array([[0.0, 0.0], [4.0, 4.0], [0.0, 4.0], [-4.0, 2.0]])


def groups(people: int = 1200) -> Array:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(middle, 0.5, (people // 4, 2)) for middle in MIDDLES])


def test_clusters_are_found_as_epsilon_grows() -> None:
    rows = groups()
    best = lloyd(rows, 4, starts=5).inertia
    ratios = [
        -KMeans(4, epsilon=epsilon, lower=-6, upper=6).fit(rows).score(rows) / best for epsilon in (0.01, 10, 1000)
    ]
    assert ratios[0] > 1.5 > 1.2 > ratios[1] > 1.0
    assert 1.0 <= ratios[2] < 1.01


def test_the_guarantee_says_what_it_rests_on() -> None:
    found = KMeans(4, epsilon=0.5, lower=-6, upper=6, steps=3).fit(groups()).guarantee_
    assert (found.epsilon, found.neighbours, found.sound) == (0.5, "replace", True)
    assert [(each.kind, each.times, each.exact) for each in found.noise] == [("discrete laplace", 3, True)] * 2
    assert any("without looking at the data" in said for said in found.hypotheses)
    assert found.as_json()["noise"][0]["unit"] == "people"
    less = KMeans(4, epsilon=0.5, lower=-6, upper=6, steps=3, neighbours="add_remove").fit(groups()).guarantee_
    assert less.noise[0].scale == pytest.approx(found.noise[0].scale / 2)


def test_nothing_of_the_rows_is_kept() -> None:
    kept = vars(KMeans(4, epsilon=1.0, lower=-6, upper=6).fit(groups()))
    assert not {name for name in kept if name in ("labels_", "inertia_")}
    assert all(len(np.atleast_1d(value)) < 1200 for value in kept.values() if isinstance(value, np.ndarray | list))


def test_a_cluster_without_people_keeps_its_centre() -> None:
    far = KMeans(2, epsilon=1e5, lower=0, upper=1, init=[[0.25], [0.75]]).fit(np.full((9, 1), 0.2))
    assert far.cluster_centers_[0] == pytest.approx(0.2, abs=0.01)
    assert far.cluster_centers_[1] == pytest.approx(0.75, abs=0.01)


LEFT_OUT = {
    "check_clustering": "labels_ of private rows are not kept",
    "check_fit_idempotent": "the noise of two fits is never the same",
}


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks() -> None:
    model = KMeans(3, epsilon=1e5, lower=-20, upper=20)
    found = check_estimator(model, on_fail=None, on_skip=None, expected_failed_checks=LEFT_OUT)
    assert [each["check_name"] for each in found if each["status"] == "failed"] == []
    assert sum(each["status"] == "passed" for each in found) > 35


# Errata E9.


def corners(people: int, axes: int, last: int) -> Array:
    """Four groups of that many at corners of the cube, and one person more: on the middle of one side or of another."""
    half = axes // 2
    zero, one, mid = (np.full(half, value) for value in (0.0, 1.0, 0.5))
    at = [np.concatenate(pair) for pair in ((zero, zero), (zero, one), (one, zero), (one, one))]
    odd = np.concatenate((zero, mid) if last == 0 else (mid, zero))
    return np.concatenate([np.repeat(at, people, axis=0), odd[None]])


def apart(one: Array, other: Array) -> float:
    """The L1 distance of two pairs of centres, matched as well as they can be."""
    return min(float(np.abs(one - other[list(order)]).sum()) for order in ((0, 1), (1, 0)))


@pytest.mark.parametrize(("people", "axes"), [(1, 2), (1000, 12)])
def test_one_record_moves_converged_centroids_across_the_cube(people: int, axes: int) -> None:
    """E9: however many people, 2 centres in the square move by 2, in the paper's cube of 12 axes by 12."""
    one, other = (lloyd(corners(people, axes, last), 2, starts=20).centres for last in (0, 1))
    assert apart(one, other) == pytest.approx(axes)  # noise of scale 1/ε supposes 1


def test_one_record_decides_where_a_group_goes_from_fixed_centroids_too() -> None:
    people = 1000
    found = []
    for last in (0.59, 0.61):
        line = np.repeat([0.0, 0.4, 0.6, last], [people, people, people, 1])
        found.append(lloyd(np.repeat(line[:, None], 12, axis=1), 2, start=[[0.0] * 12, [1.0] * 12]).centres)
    assert apart(*found) == pytest.approx(3.6, abs=0.02)


def test_noised_centroids_tell_neighbours_apart() -> None:
    """At ε = 1 an event that has more than e times its probability under a neighbour, by far more than chance."""
    draws, sets = 400, [corners(100, 12, last) for last in (0, 1)]
    exact = [lloyd(rows, 2, starts=20).centres for rows in sets]

    def flagged(last: int, seed: int) -> bool:
        converged = lloyd(sets[last], 2, start=exact[last]).centres
        found = converged + np.random.default_rng(seed).laplace(size=converged.shape)
        return bool(np.abs(found - exact[0]).sum() < np.abs(found - exact[1]).sum())

    under, neighbour = (sum(flagged(last, seed) for seed in range(draws)) / draws for last in (0, 1))
    assert under > np.e * neighbour + 0.4
