"""Learning queries as real releases: clusters and linear classifiers with a guarantee per record, degrees of a graph.

The estimators need scikit-learn, of the extra `dalenius[learn]`, and are imported where they are first asked for.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, final

from dalenius.dependent.degrees import (
    DegreeDistribution as DegreeDistribution,
    DegreeGuarantee as DegreeGuarantee,
    degree_accuracy as degree_accuracy,
)
from dalenius.dependent.lloyd import (
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

ESTIMATORS: Final = ("KMeans", "LinearSVC", "LogisticRegression")
Neighbours = Literal["replace", "add_remove"]
"""replace: data sets of the same people, one of whom has another record; add_remove: one has a record more."""


@final
@dataclass(frozen=True)
class Added:
    """Noise on one kind of number. what: on which; kind: its law; scale: in `unit`; times: how often it was drawn."""

    what: str
    kind: str
    scale: float
    unit: str
    times: int
    exact: bool


@final
@dataclass(frozen=True)
class Guarantee:
    """epsilon: nats of differential privacy per record, whatever the records; no promise where `sound` is False, and
    then `why` says what fails. Under dependence it is the ε₀ from which the promise to a person follows.
    """

    epsilon: float
    neighbours: Neighbours
    sound: bool
    why: str
    hypotheses: tuple[str, ...]
    noise: tuple[Added, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return {**asdict(self), "hypotheses": list(self.hypotheses), "noise": [asdict(each) for each in self.noise]}


def __getattr__(name: str) -> Any:
    if name not in ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dalenius.dependent import estimators

    return getattr(estimators, name)


def __dir__() -> list[str]:
    return [*globals(), *ESTIMATORS]
