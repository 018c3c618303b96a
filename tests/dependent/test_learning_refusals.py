"""What is not learned, and in which words that is said."""

from collections.abc import Callable
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dalenius.dependent.estimators import KMeans, LinearSVC, LogisticRegression
from dalenius.dependent.learning import DegreeDistribution, degree_accuracy
from dalenius.errors import InputError
from tests.cases import Refusals, check_refused

ROWS = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
SQUARE = np.zeros((8, 2))


def linear(labels: Any = (0, 1, 1), rows: Any = ROWS, kind: Any = LogisticRegression, **given: Any) -> Any:
    return partial(kind(**{"epsilon": 1.0, "regularization": 0.01, "norm": 3.0} | given).fit, rows, labels)


def kmeans(rows: Any = SQUARE, **given: Any) -> Callable[[], object]:
    return partial(KMeans(**{"n_clusters": 2, "epsilon": 1.0, "lower": 0, "upper": 1} | given).fit, rows)


def degrees(graph: Any = (1, 1, 0), people: int | None = None, **given: Any) -> Callable[[], object]:
    return lambda: DegreeDistribution(**{"epsilon": 1.0} | given).fit(graph, people)


LINEAR: Refusals = [
    (linear([1, 1, 1]), "y: one class 1, wanted labels of two classes"),
    (linear([0, 1, 2]), "y: 3 classes, wanted two classes. Only binary classification is supported.…"),
    (linear([0, 1]), "y: Found input variables with inconsistent numbers of samples: [3, 2], wanted a label a row"),
    (linear([0.5, 1.25, 2.0]), "y: Unknown label type: continuous.…"),
    (linear(None), "y: requires y to be passed, but the target y is None, wanted a label a row"),
    (linear(rows=[[0.0], [nan], [1.0]]), "X row 2: NaN or infinity, wanted finite numbers"),
    (linear(classes=[1, 1]), "classes: [1, 1], wanted two different labels"),
    (linear(epsilon=0), "epsilon: 0, wanted a finite number above 0"),
    (linear(norm=1.5e154), "norm: 1.5e+154, wanted a number from 1e-30 to 1e+30"),
    (linear(intercept_scaling=1e-170), "intercept_scaling: 1e-170, wanted a number from 1e-30 to 1e+30"),
    (linear(regularization=5e-324), "regularization: 5e-324, wanted a number from 1e-30 to 1e+30"),
    (linear(kind=LinearSVC, huber=1.5), "huber: 1.5, wanted a number above 0, at most 1"),
]
FITTED: Any = kmeans()()
CLUSTERS: Refusals = [
    (kmeans(n_clusters=9), "n_clusters: 9, wanted at most the 8 people there are"),
    (kmeans(n_clusters=2.5), "n_clusters: 2.5, wanted a whole number of at least 1"),
    (kmeans(steps=0), "steps: 0, wanted a whole number of at least 1"),
    (kmeans(epsilon=1e-12), "epsilon: 1e-12, wanted nats from 1e-09 to 1e+06"),
    (kmeans(epsilon=2e-9, steps=10**5), "epsilon: 2e-09, wanted at least 7.87e-06 nats for such rows"),
    (kmeans(lower=[0, 2]), "lower: 2.0, wanted a number below upper, 1"),
    (kmeans(upper=[1, 2, 3]), "upper: [1, 2, 3], wanted one number, or one for each of the 2 columns"),
    (kmeans(upper=nan), "upper: nan, wanted finite numbers"),
    (kmeans(neighbours="some"), "neighbours: some, wanted one of replace, add_remove"),
    (kmeans(init=[[0.0, 0.0]]), "init: shape (1, 2), wanted 2 centres of 2 numbers"),
    (kmeans(random_state="1"), "random_state: 1, wanted a whole number, or None"),
    (kmeans([["a", "b"]]), "X: could not convert string to float: 'a', wanted rows of finite numbers, one a person"),
    (partial(FITTED.predict, np.zeros((4, 3))), "X: X has 3 features, but KMeans is expecting 2 features…"),
]
GRAPHS: Refusals = [
    (degrees(epsilon=5e-324), "epsilon: 5e-324, wanted nats from 1e-09 to 1e+06"),
    (degrees(neighbours="group"), "neighbours: group, wanted one of edge, node"),
    (degrees(mode="mean"), "mode: mean, wanted one of sequence, cumulative, histogram"),
    (degrees(neighbours="node"), "max_degree: missing, wanted a public bound where neighbours are…"),
    (degrees(max_degree=-1), "max_degree: -1, wanted at least 0"),
    (degrees(dependence_size=0), "dependence_size: 0, wanted at least 1…"),
    (degrees([(0, 1)]), "people: missing, wanted how many there are…"),
    (degrees([0, 3, 1]), "degrees: int64 from 0 to 3 of 3, wanted a whole number from 0 to people - 1…"),
    (degrees([]), "degrees: none, wanted…"),
    (degrees(np.array([0.5, 0.5])), "degrees: float64…"),
    (degrees(people=4), "people: 4, wanted 3, as many as there are degrees"),
    (degrees(neighbours="node", max_degree=3), "graph: degrees alone, wanted edges where neighbours are nodes"),
    (DegreeDistribution(1.0).distribution, "DegreeDistribution: not fitted, wanted fit before distribution"),
    (partial(degree_accuracy, np.array([0]), np.array([0])), "counts: nobody, wanted at least one person"),
]


def test_what_is_not_learned() -> None:
    check_refused(LINEAR, ValueError)
    check_refused(CLUSTERS, ValueError)
    check_refused(GRAPHS)


def test_unfitted_estimators() -> None:
    unfitted = KMeans(2, epsilon=1.0, lower=0, upper=1), LinearSVC(epsilon=1.0, regularization=0.01, norm=3.0)
    for model in unfitted:
        with pytest.raises(InputError, match=rf"^{type(model).__name__}: not fitted, wanted fit before") as caught:
            model.predict(SQUARE)
        assert isinstance(caught.value, NotFittedError)
