"""Noise straight on the centroids that K-means converges to: a published release that is not private (errata E9)."""

from typing import Any, Self, final

from dalenius.learning.arguments import BadArgument, enough, nats, positive, whole
from dalenius.learning.centroids import one_shot_centroids
from dalenius.learning.estimator import seed_of
from dalenius.learning.guarantee import Added, Guarantee
from dalenius.learning.kmeans import CentreEstimator

WHY = "one record can move the centroids that K-means converges to by far more than sensitivity (errata E9)"
SUPPOSED = ("converged centroids of neighbours differ by at most `sensitivity` in L1: false", "real arithmetic")


@final
class OneShotCentroids(CentreEstimator):
    """Laplace noise of scale sensitivity/epsilon on every coordinate of the converged centroids, as DDP §IV-B has it:
    with sensitivity 1 on records in the unit cube. No guarantee: `accept_unsound=True` says that you know. For
    simulations: the noise is floating point, by random_state, which also draws the centroids to begin with.

    starts: of so many beginnings the one with the least inertia is kept. After fit: cluster_centers_ (k, d);
    guarantee_, whose `sound` is False.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: float,
        sensitivity: float = 1.0,
        starts: int = 1,
        init: Any = None,
        random_state: int | None = None,
        accept_unsound: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.sensitivity = sensitivity
        self.starts = starts
        self.init = init
        self.random_state = random_state
        self.accept_unsound = accept_unsound

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Converge, and add the noise."""
        k, epsilon = whole("n_clusters", self.n_clusters), nats("epsilon", self.epsilon)
        scale = positive("sensitivity", self.sensitivity) / epsilon
        accepted(self.accept_unsound, WHY)
        rows = self._rows(X, fitting=True)
        enough(k, len(rows))
        seed = seed_of(self.random_state)
        self.cluster_centers_ = one_shot_centroids(
            rows, k, scale=scale, seed=seed, start=self.init, starts=whole("starts", self.starts)
        )
        added = Added("centroids", "laplace", scale, "the data's own", 1, False)
        self.guarantee_ = Guarantee(epsilon, "replace", False, WHY, SUPPOSED, (added,))
        return self


def accepted(accept_unsound: object, why: str) -> None:
    """BadArgument unless somebody said that they know what fails."""
    if accept_unsound is not True:
        raise BadArgument("accept_unsound", accept_unsound, f"true, for {why}")
