"""Linear classifiers and k-means as scikit-learn has them."""

import subprocess
import sys
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Plain
from sklearn.utils.estimator_checks import check_estimator

from dalenius.dependent.arguments import LEAST_EPSILON, LEAST_NUMBER, MOST_EPSILON, MOST_NUMBER
from dalenius.dependent.estimators import KMeans, LinearSVC, LogisticRegression
from dalenius.dependent.learning import lloyd
from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array

BOTH = [LogisticRegression, LinearSVC]


def people(count: int = 4000) -> tuple[Array, Any]:
    rng = np.random.default_rng(0)
    rows = rng.normal(0, 1, (count, 3))
    return rows, np.where(rows @ [1.0, -1.0, 0.5] + 0.3 + rng.normal(0, 0.5, count) > 0, "yes", "no")


def model(kind: Any = LogisticRegression, **given: Any) -> Any:
    return kind(**{"epsilon": 1.0, "regularization": 0.01, "norm": 3.0, **given})


@pytest.mark.parametrize("kind", BOTH)
def test_accuracy_grows_with_epsilon(kind: Any) -> None:
    rows, labels = people()
    plain = Plain().fit(rows, labels).score(rows, labels)
    assert model(kind, epsilon=1000.0).fit(rows, labels).score(rows, labels) > plain - 0.01
    little = model(kind, epsilon=0.001)
    assert min(little.fit(rows, labels).score(rows, labels) for _ in range(9)) < plain - 0.05


def test_without_noise_it_is_scikit_learn_s() -> None:
    """The same objective: C = 1/(nΛ), with the intercept regularised as liblinear does."""
    rows, labels = people()
    ours = model(epsilon=1e5, norm=1e3, regularization=0.01).fit(rows, labels)
    theirs = Plain(C=1 / (len(rows) * 0.01), solver="liblinear", tol=1e-8).fit(rows, labels)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=0.01)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=0.01)
    assert ours.predict_proba(rows[:9]) == pytest.approx(theirs.predict_proba(rows[:9]), abs=0.01)


def test_the_guarantee_says_what_it_rests_on_and_the_noise_is_fresh() -> None:
    rows, labels = people(200)
    first, second = (model(LinearSVC).fit(rows, labels) for _ in range(2))
    assert first.guarantee_.sound
    assert "Result 17.2" in first.guarantee_.why
    assert [each.exact for each in first.guarantee_.noise] == [True]
    assert any("which two labels" in said for said in first.guarantee_.hypotheses)
    declared = model(LinearSVC, classes=["yes", "no"]).fit(rows, labels).guarantee_
    assert not any("which two labels" in said for said in declared.hypotheses)
    assert not np.array_equal(first.coef_, second.coef_)


def test_declared_classes_need_not_be_there() -> None:
    rows, labels = people(200)
    alone = model(classes=["yes", "no"]).fit(rows, np.full(200, "yes"))
    assert list(alone.classes_) == ["no", "yes"]
    with pytest.raises(InputError, match=r"^y: yes, wanted one of the classes maybe and no$"):
        model(classes=["no", "maybe"]).fit(rows, labels)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", BOTH)
def test_scikit_learns_own_checks(kind: Any) -> None:
    twice = {"check_fit_idempotent": "the noise of two fits is never the same"}
    checked = model(kind, epsilon=1e5, norm=10.0)
    found = check_estimator(checked, on_fail=None, on_skip=None, expected_failed_checks=twice)
    assert [each["check_name"] for each in found if each["status"] == "failed"] == []
    assert sum(each["status"] == "passed" for each in found) > 45


def test_all_that_is_allowed_is_learned_or_too_flat_to_be() -> None:
    ends = (LEAST_NUMBER, MOST_NUMBER)
    for epsilon, *numbers, far in product((LEAST_EPSILON, MOST_EPSILON), ends, ends, ends, (1e-300, 1e300)):
        given = dict(zip(("norm", "regularization", "intercept_scaling"), numbers, strict=True))
        with suppress(TooLarge):
            found = model(LinearSVC, epsilon=epsilon, **given).fit(far * np.array([[0.1, 0.2], [0.3, 0.1]]), [0, 1])
            assert np.isfinite(found.coef_).all()


def test_without_scikit_learn_one_line_says_what_is_missing() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import dalenius as dl; from dalenius.dependent.learning import lloyd, Guarantee\n"
        "assert lloyd([[0.0], [1.0]], 2).inertia == 0\n"
        "try: dl.learning.KMeans\n"
        "except dl.InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'dalenius.learning: no scikit-learn, wanted the extra learn: pip install "dalenius[learn]"\n'


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


def test_the_guarantee_of_clusters_says_what_it_rests_on() -> None:
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
def test_scikit_learns_own_checks_of_clusters() -> None:
    model = KMeans(3, epsilon=1e5, lower=-20, upper=20)
    found = check_estimator(model, on_fail=None, on_skip=None, expected_failed_checks=LEFT_OUT)
    assert [each["check_name"] for each in found if each["status"] == "failed"] == []
    assert sum(each["status"] == "passed" for each in found) > 35
