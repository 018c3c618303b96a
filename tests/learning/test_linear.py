"""Linear classifiers as scikit-learn has them, and what they promise."""

import subprocess
import sys
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as Plain
from sklearn.utils.estimator_checks import check_estimator

from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array
from dalenius.learning import LinearSVC, LogisticRegression
from dalenius.learning.arguments import LEAST_EPSILON, LEAST_NUMBER, MOST_EPSILON, MOST_NUMBER

BOTH = [LogisticRegression, LinearSVC]
WAYS: list[dict[str, Any]] = [
    {},
    {"noise": "l2", "accept_unsound": True, "random_state": 0},
    {"perturbation": "objective", "accept_unsound": True, "random_state": 0},
]


def people(count: int = 4000) -> tuple[Array, Any]:
    rng = np.random.default_rng(0)
    rows = rng.normal(0, 1, (count, 3))
    return rows, np.where(rows @ [1.0, -1.0, 0.5] + 0.3 + rng.normal(0, 0.5, count) > 0, "yes", "no")


def model(kind: Any = LogisticRegression, **given: Any) -> Any:
    return kind(**{"epsilon": 1.0, "regularization": 0.01, "norm": 3.0, **given})


@pytest.mark.parametrize(("kind", "way"), [(LogisticRegression, WAYS[0]), (LinearSVC, WAYS[2])])
def test_accuracy_grows_with_epsilon(kind: Any, way: dict[str, Any]) -> None:
    rows, labels = people()
    plain = Plain().fit(rows, labels).score(rows, labels)
    assert model(kind, epsilon=1000.0, **way).fit(rows, labels).score(rows, labels) > plain - 0.01
    little = model(kind, epsilon=0.001, **{**way, "random_state": 3} if way else way)
    assert min(little.fit(rows, labels).score(rows, labels) for _ in range(9)) < plain - 0.05


def test_without_noise_it_is_scikit_learn_s() -> None:
    """The same objective: C = 1/(nΛ), with the intercept regularised as liblinear does."""
    rows, labels = people()
    ours = model(epsilon=1e5, norm=1e3, regularization=0.01).fit(rows, labels)
    theirs = Plain(C=1 / (len(rows) * 0.01), solver="liblinear", tol=1e-8).fit(rows, labels)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=0.01)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=0.01)
    assert ours.predict_proba(rows[:9]) == pytest.approx(theirs.predict_proba(rows[:9]), abs=0.01)


def test_the_guarantee_says_what_it_rests_on() -> None:
    kind = LinearSVC
    rows, labels = people(200)
    exact, simulated, tilted = (model(kind, **way).fit(rows, labels).guarantee_ for way in WAYS)
    assert [each.sound for each in (exact, simulated, tilted)] == [True, False, False]
    assert "Result 17.2" in exact.why
    assert [each.exact for each in exact.noise] == [True]
    assert "floating point" in simulated.why
    assert "exact minimiser" in tilted.why
    assert any("which two labels" in said for said in exact.hypotheses)
    declared = model(kind, classes=["yes", "no"]).fit(rows, labels).guarantee_
    assert not any("which two labels" in said for said in declared.hypotheses)


def test_only_released_noise_is_fresh() -> None:
    rows, labels = people(200)
    coefs = [[clone(model(**way)).fit(rows, labels).coef_ for _ in range(2)] for way in WAYS]
    assert [np.array_equal(*pair) for pair in coefs] == [False, True, True]


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
        "import dalenius as dl; from dalenius.learning import lloyd, Guarantee\n"
        "assert lloyd([[0.0], [1.0]], 2).inertia == 0\n"
        "try: dl.learning.KMeans\n"
        "except dl.InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'dalenius.learning: no scikit-learn, wanted the extra learn: pip install "dalenius[learn]"\n'
