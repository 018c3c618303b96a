"""What the room offers; `__init__` reads it."""

from .centroids import Clusters as Clusters, lloyd as lloyd
from .degrees import (
    DegreeDistribution as DegreeDistribution,
    DegreeGuarantee as DegreeGuarantee,
    degree_accuracy as degree_accuracy,
)
from .guarantee import Added as Added, Guarantee as Guarantee
from .kmeans import KMeans as KMeans
from .linear import LinearSVC as LinearSVC, LogisticRegression as LogisticRegression
from .steps import NoisySteps as NoisySteps, Split as Split, noisy_lloyd as noisy_lloyd

__all__: list[str]
