"""What the room offers; `__init__` reads it."""

from .centroids import Clusters as Clusters, lloyd as lloyd, one_shot_centroids as one_shot_centroids
from .degrees import (
    DegreeDistribution as DegreeDistribution,
    DegreeGuarantee as DegreeGuarantee,
    degree_accuracy as degree_accuracy,
)
from .guarantee import Added as Added, Guarantee as Guarantee
from .kmeans import KMeans as KMeans
from .linear import LinearSVC as LinearSVC, LogisticRegression as LogisticRegression
from .one_shot import OneShotCentroids as OneShotCentroids
from .steps import NoisySteps as NoisySteps, Split as Split, noisy_lloyd as noisy_lloyd

__all__: list[str]
