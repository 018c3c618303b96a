"""scikit-learn's tools take the estimators as their own, but for what a private release cannot do."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import dalenius as dl
from dalenius.dependent.names import METHODS
from dalenius.dependent.noise_multiplier import guarantee_of

FRESH = "noise is drawn anew each time"
NOT_PRIVATE = {
    "check_fit_idempotent": FRESH,
    "check_supervised_y_2d": FRESH,
    "check_clustering": "labels of the fitted rows are no part of a release",
    "check_classifier_data_not_an_array": FRESH,
}
"""By name, which of scikit-learn's checks no private release passes, and why."""
ESTIMATORS = [
    dl.KMeans(3, epsilon=1e4, bounds=(-10, 10)),
    dl.LogisticRegression(epsilon=1e4, regularization=0.1, bounds=(-10, 10)),
    dl.LinearSVC(epsilon=1e4, regularization=0.1, norm=10.0),
]
FRIENDS = dl.Pairwise(n=3, edges=((1, 2), (1, 3), (2, 3)), given=((0.9, 0.1), (0.2, 0.8)))
DRAWS = np.random.default_rng(7)
HOMES = np.array([[1.0, 1.0], [9.0, 9.0], [1.0, 9.0]])
PLACES = np.concatenate([DRAWS.normal(home, 0.4, (400, 2)) for home in HOMES])
SIDES = PLACES[:, 0] + PLACES[:, 1] > 10


@pytest.mark.parametrize("made", ESTIMATORS, ids=lambda made: type(made).__name__)
def test_scikit_learn_takes_it_for_one_of_its_own(made: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(made, on_fail=None, on_skip=None, expected_failed_checks=NOT_PRIVATE)
    assert len(found) > 40
    assert not [(each["check_name"], str(each["exception"])) for each in found if each["status"] == "failed"]


@pytest.mark.parametrize("made", [*ESTIMATORS, dl.DegreeDistribution(9, method="comonotone", dependence=FRIENDS)])
def test_a_clone_has_the_same_parameters_and_nothing_fitted(made: Any) -> None:
    again = clone(made)
    assert repr(again.get_params()) == repr(made.get_params())
    assert not hasattr(again, "drawn_")
    assert again.guarantee == made.guarantee


def test_a_pipeline_and_cross_validation_use_it() -> None:
    shift = FunctionTransformer(lambda rows: rows / 10)
    machine = make_pipeline(shift, dl.LinearSVC(epsilon=500.0, bounds=(0, 1)))
    found = cross_val_score(machine, PLACES, PLACES[:, 0] > 5, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    assert found.min() > 0.95
    assert make_pipeline(shift, dl.KMeans(3, epsilon=500.0, bounds=(0, 1))).fit(PLACES).predict(PLACES).max() == 2


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda columns: pa.table(columns).to_pandas()])
def test_frames_are_rows(frame: Callable[[Any], Any]) -> None:
    rows = frame({"east": PLACES[:, 0], "north": PLACES[:, 1]})
    start = HOMES + 1
    found = dl.KMeans(3, epsilon=1e3, bounds=(0, 10), init=start).fit(rows)
    assert np.abs(found.cluster_centers_ - HOMES).max() < 0.2
    assert found.counts_.sum() == pytest.approx(1200, abs=20)
    assert dl.LogisticRegression(epsilon=1e3, bounds=(0, 10)).fit(rows, SIDES).score(rows, SIDES) > 0.95
    edges = frame({"one": ["ann", "bob"], "other": ["bob", "cyd"]})
    assert dl.DegreeDistribution(3, max_degree=2, epsilon=1e4).fit(edges).counts_.round(3).tolist() == [0, 2, 1]


def test_without_noise_to_speak_of_it_is_what_scikit_learn_finds() -> None:
    from sklearn.linear_model import LogisticRegression

    draws = np.random.default_rng(1)
    rows = draws.uniform(-1, 1, (500, 3))
    labels = (rows @ [2.0, -1.0, 0.5] + draws.normal(0, 0.3, 500) > 0.2).astype(int)
    found = dl.LogisticRegression(epsilon=1e4, regularization=0.01, bounds=(-1, 1)).fit(rows, labels)
    # The same objective: rows of length 1, a constant beside them, and C = 1/(n Λ).
    units = np.column_stack([rows / np.sqrt(3), np.ones(500)])
    theirs = LogisticRegression(C=1 / (500 * 0.01), fit_intercept=False, tol=1e-10, max_iter=1000).fit(units, labels)
    assert np.abs(found._weights / np.sqrt(2) - theirs.coef_).max() < 0.02
    assert np.allclose(found.decision_function(rows), rows @ found.coef_[0] + found.intercept_[0])


def test_three_classes_are_one_against_the_rest() -> None:
    labels = np.repeat(["a", "b", "c"], 400)
    for kind in (dl.LogisticRegression, dl.LinearSVC):
        found = kind(epsilon=3e3, bounds=(0, 10)).fit(PLACES, labels)
        assert found.coef_.shape == (3, 2)
        assert found.score(PLACES, labels) > 0.95
        # Three minimisers share one promise.
        assert sum(each.loss for each in found.drawn_) == 3_000
    assert found.spec()["query"]["kind"] == "classifier"


def test_rows_are_clipped_so_that_one_far_out_moves_nothing_more() -> None:
    far = np.vstack([PLACES, [[1e300, -1e300]]])
    labels = np.append(SIDES, True)
    for made in (dl.LinearSVC(epsilon=1e3, bounds=(0, 10)), dl.LogisticRegression(epsilon=1e3, norm=10.0)):
        assert made.fit(far, labels).score(far[:-1], SIDES) > 0.8
    assert np.isfinite(dl.KMeans(3, epsilon=1e3, bounds=(0, 10)).fit(far).cluster_centers_).all()


@pytest.mark.parametrize(
    ("made", "key"),
    [
        (dl.KMeans(3), "bounds"),
        (dl.KMeans(3, bounds=(1, 0)), "bounds"),
        (dl.KMeans(3, bounds=(0, 10), epsilon=0), "epsilon"),
        (dl.KMeans(3, bounds=(0, 10), epsilon=1e-7), "epsilon"),
        (dl.KMeans(3, bounds=(0, 10), epsilon=float("nan")), "epsilon"),
        (dl.KMeans(3, bounds=(0, 10), method="groups"), "method"),
        (dl.KMeans(3, bounds=(0, 10), method="group"), "dependence"),
        (dl.KMeans(3, bounds=(0, 10), method="comonotone", dependence=3), "dependence"),
        (dl.KMeans(3, bounds=(0, 10), dependence=3), "dependence"),
        (dl.KMeans(3, bounds=(0, 10), method="comonotone", dependence=FRIENDS), "dependence"),
        (dl.KMeans(3, bounds=(0, 10), method="exact", dependence=FRIENDS), "method"),
        (dl.KMeans(3, bounds=(0, 10), init=[[1, 2]]), "init"),
        (dl.KMeans(0, bounds=(0, 10)), "n_clusters"),
        (dl.KMeans(10_000, bounds=(0, 10)), "n_clusters"),
        (dl.KMeans(3, bounds=(0, 10), random_state="x"), "random_state"),
        (dl.LinearSVC(), "bounds"),
        (dl.LinearSVC(bounds=(0, 10), regularization=0), "regularization"),
        (dl.LinearSVC(bounds=(0, 10), norm=-1), "norm"),
        (dl.LinearSVC(bounds=(0, 10), classes=["a", "b"]), "y"),
        (dl.DegreeDistribution(3), "people"),
        (dl.DegreeDistribution(3, neighbours="node"), "neighbours"),
    ],
)
def test_a_wrong_argument_is_named(made: Any, key: str) -> None:
    rows = np.arange(10).reshape(5, 2) if isinstance(made, dl.DegreeDistribution) else PLACES
    with pytest.raises(dl.InputError) as told:
        made.fit(rows, SIDES)
    assert told.value.key == key
    assert isinstance(told.value, ValueError)


def test_a_group_without_a_size_is_refused_by_what_is_wanted() -> None:
    with pytest.raises(dl.InputError, match=r"^dependence: nothing, wanted the size of the largest group"):
        dl.KMeans(3, bounds=(0, 10), method="group").fit(PLACES)


def test_rows_that_are_no_finite_numbers_are_refused_by_their_number() -> None:
    with pytest.raises(dl.InputError, match="X row 2: NaN or infinity"):
        dl.KMeans(1, bounds=(0, 1)).fit([[0.0], [np.nan]])
    with pytest.raises(dl.InputError, match="not fitted"):
        dl.KMeans(1, bounds=(0, 1)).spec()
    with pytest.raises(dl.InputError, match="a label for each row"):
        dl.LinearSVC(norm=1.0).fit([[0.0], [1.0]], [np.nan, 1.0])


def test_what_promises_nothing_is_released_only_where_that_is_said() -> None:
    for method in ("dependence_coefficient", "dependence_coefficient_closed"):
        made = dl.KMeans(2, epsilon=1.0, bounds=(0, 10), method=method, dependence=FRIENDS)
        assert not made.guarantee.sound
        assert made.guarantee.whom == "nobody"
        with pytest.raises(dl.Refused, match="errata E2"):
            made.fit(PLACES[:3])
        assert made.set_params(accept_unsound=True).fit(PLACES[:3]).spec()["guarantee"]["sound"] is False
    path = dl.Pairwise(n=3, edges=((1, 2), (2, 3)), given=((0.9, 0.1), (0.2, 0.8)))
    assert "no promise" in dl.KMeans(2, bounds=(0, 1), method="comonotone", dependence=path).guarantee.why


@pytest.mark.parametrize("method", METHODS)
def test_the_spec_of_a_release_is_ready_for_a_ledger(method: str) -> None:
    homes = dl.Households(count=400, infected=[0.9, 0.04, 0.03, 0.03])
    models = {"independent": None, "group": 3}
    made = dl.KMeans(
        2, epsilon=2.0, bounds=([0, 0], [10, 10]), method=method, accept_unsound=True,
        dependence=models.get(method, homes),
    )  # fmt: skip
    told = json.loads(json.dumps(made.fit(PLACES).spec()))
    assert told["query"] == {
        "kind": "kmeans", "n": 1200, "n_clusters": 2, "bounds": [[0, 0], [10, 10]], "random_state": 0,
    }  # fmt: skip
    assert told["notion"]["epsilon"] == 2.0
    assert sum(each["times"] * each["sensitivity"] / each["scale"] for each in told["noise"]) == pytest.approx(
        made.guarantee.record_epsilon
    )
    assert ("model" in told) == (method not in models)
    assert told.get("model", {"kind": "households"})["kind"] == "households"


def test_noise_grows_with_dependence_in_this_order() -> None:
    found = {name: guarantee_of(name, 1.0, FRIENDS).multiplier for name in METHODS[1:] if name != "exact"}
    assert 1 < found["dependence_coefficient"] <= found["comonotone"] <= found["group"] == 3
    assert found["dependence_coefficient"] <= found["dependence_coefficient_closed"] <= 3
    strangers = dl.Pairwise(n=3, edges=((1, 2),), given=((0.7, 0.3), (0.7, 0.3)))
    assert guarantee_of("dependence_coefficient", 1.0, strangers).multiplier == 1
    assert guarantee_of("comonotone", 1.0, dl.Pairwise(n=3, values=(0, 1))).multiplier == 1


def test_a_model_with_a_joint_law_asks_for_no_more_noise_than_its_pairs() -> None:
    homes = dl.Households(count=10, infected=[0.9, 0.04, 0.03, 0.03])
    exact, pairs, group = (guarantee_of(name, 1.0, homes) for name in ("exact", "comonotone", "group"))
    assert exact.record_epsilon >= pairs.record_epsilon * (1 - 1e-6) > group.record_epsilon
    kept = dl.Conversion(homes, dl.PureProfile(pairs.record_epsilon), "replace").epsilon(0.0).value.upper
    assert kept <= 1 + 1e-9


def test_without_scikit_learn_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\nimport dalenius as dl\ndl.Pairwise(n=2, values=(0, 1))\ndl.KMeans"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'pip install "dalenius[learn]"' in done.stderr.splitlines()[-1]
