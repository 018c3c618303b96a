"""Clusters and classifiers learned with a promise, beside diffprivlib's at the same epsilon: independent people."""

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from benchmarks.section import Section
from dalenius import KMeans, LinearSVC, LogisticRegression
from dalenius.arrays import Array
from papers.adult import profiles

EPSILONS: Final = (0.1, 0.5, 2.0)
REPEATS: Final = 6
TRAINED: Final = 0.8
REGULARIZATION: Final = {"cancer": 0.01, "digits": 0.01, "adult": 0.002}
"""Λ of ours and of theirs, C = 1/(nΛ): chosen once for each table, not by what came of it."""
CLUSTERS: Final = 4
ABSENT: Final = "not installed"
Labelled: TypeAlias = tuple[Array, Any]
"""Rows and their labels."""


def tables() -> dict[str, Labelled]:
    """Rows of length 1 at most, and labels of two classes; Adult where $DALENIUS_DATA has it."""
    from sklearn.datasets import load_breast_cancer, load_digits

    (cancer, ill), (digits, which) = (load(return_X_y=True) for load in (load_breast_cancer, load_digits))
    ends = cancer.min(axis=0), cancer.max(axis=0)
    scaled = (2 * (cancer - ends[0]) / (ends[1] - ends[0]) - 1) / np.sqrt(cancer.shape[1])
    found = {"cancer": (scaled, ill), "digits": (digits / 16 / np.sqrt(64), (which > 4).astype(int))}
    data = Path(os.environ.get("DALENIUS_DATA", ""))
    if (data / "adult").is_dir():
        adult = profiles(data)
        found["adult"] = adult.points, adult.labels
    return found


def theirs() -> Any:
    """diffprivlib's models, or None. Their last version takes scikit-learn below 1.8."""
    try:
        from diffprivlib import models

        models.LogisticRegression(data_norm=1.0)
    except (ImportError, TypeError):
        return None
    return models


def run() -> Section:
    warnings.simplefilter("ignore")
    rows = []
    for name, (points, labels) in tables().items():
        order = np.random.default_rng(0).permutation(len(points))
        cut = int(TRAINED * len(points))
        train, test = [(points[part], labels[part]) for part in (order[:cut], order[cut:])]
        for epsilon in EPSILONS:
            for what, ours, others in _side_by_side(train, test, epsilon, REGULARIZATION[name]):
                rows.append((name, f"{cut:,}", what, f"{epsilon:g}", ours, others))
    return Section(
        "Learning with a promise, beside diffprivlib",
        "Classifiers: share of test rows on the right side. K-means: inertia of test rows over that without noise. "
        f"Mean of {REPEATS} runs; independent people, the same ε, bounds and regularisation.",
        ("table", "people", "learner", "ε", "ours", "diffprivlib's"),
        tuple(rows),
        (
            "Both perturb the objective. diffprivlib draws in floating point and takes the minimiser for exact; ours "
            "counts both (Result 17.3).",
            "Neighbours have another record in one's place. diffprivlib's K-means is proved for a record more or less: "
            "with these bounds another record costs its counts twice their part of ε.",
            "Both choose how many of Lloyd's steps a budget is worth: diffprivlib from 2 to 7, ours from 1 to 7.",
        ),
    )


def _side_by_side(train: Labelled, test: Labelled, epsilon: float, weight: float) -> Iterator[tuple[str, str, str]]:
    """By learner what ours comes to, and theirs."""
    other, corner = theirs(), float(np.abs(train[0]).max())
    settings: dict[str, Any] = {"epsilon": epsilon, "norm": 1.0, "regularization": weight}
    same: dict[str, Any] = {"epsilon": epsilon, "data_norm": 1.0, "C": 1 / (len(train[0]) * weight)}
    spread: dict[str, Any] = {"n_clusters": CLUSTERS, "epsilon": epsilon, "bounds": (-corner, corner)}
    ours = _mean(lambda: LogisticRegression(**settings).fit(*train), test)
    yield "logistic regression", ours, _mean(lambda: other.LogisticRegression(**same).fit(*train), test, other)
    yield "linear SVC", _mean(lambda: LinearSVC(**settings).fit(*train), test), "has none"
    ours = _inertia(lambda: KMeans(**spread, random_state=None).fit(train[0]), test[0])
    yield "k-means, inertia", ours, _inertia(lambda: other.KMeans(**spread).fit(train[0]), test[0], other)


def _mean(fit: Callable[[], Any], test: Labelled, there: object = True) -> str:
    return f"{np.mean([fit().score(*test) for _ in range(REPEATS)]):.3f}" if there else ABSENT


def _inertia(fit: Callable[[], Any], rows: Array, there: object = True) -> str:
    """The sum of squared distances to the nearest centres, over that of scikit-learn's."""
    from sklearn.cluster import KMeans as Plain

    best = _squares(rows, Plain(CLUSTERS, n_init=3, random_state=0).fit(rows).cluster_centers_)
    found = [_squares(rows, fit().cluster_centers_) for _ in range(REPEATS if there else 0)]
    return f"{np.mean(found) / best:.2f}" if found else ABSENT


def _squares(rows: Array, centres: Array) -> float:
    return float(np.min([((rows - centre) ** 2).sum(axis=1) for centre in centres], axis=0).sum())
