"""Learning queries as real releases: clusters and linear classifiers with a guarantee per record, degrees of a graph.

The estimators need scikit-learn, of the extra `dalenius[learn]`, and are imported where they are first asked for.
"""

from typing import TYPE_CHECKING, Any, Final

from dalenius.dependent.arguments import Added as Added, Guarantee as Guarantee, RecordNeighbours as RecordNeighbours
from dalenius.dependent.degrees import (
    DegreeDistribution as DegreeDistribution,
    DegreeGuarantee as DegreeGuarantee,
    degree_accuracy as degree_accuracy,
)
from dalenius.dependent.solvers import (
    Clusters as Clusters,
    NoisySteps as NoisySteps,
    Split as Split,
    lloyd as lloyd,
    noisy_lloyd as noisy_lloyd,
)

if TYPE_CHECKING:
    from dalenius.dependent.estimators import (
        KMeans as KMeans,
        LinearSVC as LinearSVC,
        LogisticRegression as LogisticRegression,
    )

_ESTIMATORS: Final = ("KMeans", "LinearSVC", "LogisticRegression")


def __getattr__(name: str) -> Any:
    # Degrees and clusters need no scikit-learn: only who names an estimator loads it.
    if name not in _ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dalenius.dependent import estimators

    return getattr(estimators, name)


def __dir__() -> list[str]:
    return [*globals(), *_ESTIMATORS]
