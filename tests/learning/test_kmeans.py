"""K-means as scikit-learn has it; centroids with noise straight on them are not private (E9)."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import InputError
from dalenius.laws.law import Array
from dalenius.learning import KMeans, lloyd
from tests.cases import in_turn

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


def test_noise_is_fresh_and_the_start_is_not() -> None:
    rows, model = groups(), KMeans(4, epsilon=1.0, lower=-6, upper=6)
    one, other = (clone(model).fit(rows).cluster_centers_ for _ in range(2))
    assert not np.array_equal(one, other)


def test_nothing_of_the_rows_is_kept() -> None:
    kept = vars(KMeans(4, epsilon=1.0, lower=-6, upper=6).fit(groups()))
    assert not {name for name in kept if name in ("labels_", "inertia_")}
    assert all(len(np.atleast_1d(value)) < 1200 for value in kept.values() if isinstance(value, np.ndarray | list))


def test_in_a_pipeline() -> None:
    rows = groups()
    whole = make_pipeline(MinMaxScaler(), KMeans(4, epsilon=100.0, lower=0, upper=1))
    assert whole.fit(rows).transform(rows).shape == (len(rows), 4)
    assert set(whole.predict(rows)) == {0, 1, 2, 3}
    assert clone(whole).get_params()["kmeans__epsilon"] == 100.0


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


SQUARE = np.zeros((8, 2))


@pytest.mark.parametrize(
    ("given", "rows", "message"),
    [
        ({"n_clusters": 9}, SQUARE, "n_clusters: 9, wanted at most the 8 people there are"),
        ({"n_clusters": 0}, SQUARE, "n_clusters: 0, wanted a whole number of at least 1"),
        ({"n_clusters": 2.5}, SQUARE, "n_clusters: 2.5, wanted a whole number of at least 1"),
        ({"steps": 0}, SQUARE, "steps: 0, wanted a whole number of at least 1"),
        ({"epsilon": 0}, SQUARE, "epsilon: 0, wanted a finite number above 0"),
        ({"epsilon": -1.0}, SQUARE, "epsilon: -1.0, wanted a finite number above 0"),
        ({"epsilon": 1e-12}, SQUARE, "epsilon: 1e-12, wanted nats from 1e-09 to 1e+06"),
        ({"epsilon": 2e-9, "steps": 10**5}, SQUARE, "epsilon: 2e-09, wanted at least 7.87e-06 nats for such rows"),
        ({"lower": 1}, SQUARE, "lower: 1.0, wanted a number below upper, 1"),
        ({"lower": [0, 2]}, SQUARE, "lower: 2.0, wanted a number below upper, 1"),
        ({"upper": [1, 2, 3]}, SQUARE, "upper: [1, 2, 3], wanted one number, or one for each of the 2 columns"),
        ({"upper": np.nan}, SQUARE, "upper: nan, wanted finite numbers"),
        ({"neighbours": "some"}, SQUARE, "neighbours: some, wanted one of replace, add_remove"),
        ({"init": [[0.0, 0.0]]}, SQUARE, "init: shape (1, 2), wanted 2 centres of 2 numbers"),
        ({"random_state": "1"}, SQUARE, "random_state: 1, wanted a whole number, or None"),
        ({}, [[0.0, 1.0], [np.nan, 0.0]], "X row 2: NaN or infinity, wanted finite numbers"),
        ({}, [["a", "b"]], "X: could not convert string to float: 'a', wanted rows of finite numbers, one a person"),
    ],
)
def test_what_is_refused(given: dict[str, Any], rows: Any, message: str) -> None:
    model = KMeans(**{"n_clusters": 2, "epsilon": 1.0, "lower": 0, "upper": 1, **given})
    with pytest.raises(InputError) as caught:
        model.fit(rows)
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)


def test_an_unfitted_estimator_says_so() -> None:
    for ask in ("predict", "transform", "score"):
        with pytest.raises(
            InputError, match=r"^KMeans: not fitted, wanted fit before anything is asked of it$"
        ) as caught:
            getattr(KMeans(2, epsilon=1.0, lower=0, upper=1), ask)(SQUARE)
        assert isinstance(caught.value, NotFittedError)


def test_another_number_of_columns_is_refused() -> None:
    model = KMeans(2, epsilon=1.0, lower=0, upper=1).fit(SQUARE)
    with pytest.raises(InputError, match="X has 3 features, but KMeans is expecting 2 features"):
        model.predict(np.zeros((4, 3)))


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


@in_turn({"people": [1, 25, 1000], "axes": [2, 12]})
def test_one_record_moves_converged_centroids_across_the_cube(people: int, axes: int) -> None:
    """E9: however many people, 2 centres in the square move by 2, in the paper's cube of 12 axes by 12."""
    one, other = (lloyd(corners(people, axes, last), 2, starts=20).centres for last in (0, 1))
    assert apart(one, other) == pytest.approx(axes)  # noise of scale 1/ε supposes 1


@pytest.mark.parametrize("people", [25, 1000])
def test_one_record_decides_where_a_group_goes_from_fixed_centroids_too(people: int) -> None:
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


def test_lloyd_ends_where_centres_are_means() -> None:
    rows = groups()
    found = lloyd(rows, 4, starts=3)
    assert found.converged
    for place, centre in enumerate(found.centres):
        assert centre == pytest.approx(rows[found.labels == place].mean(axis=0))
