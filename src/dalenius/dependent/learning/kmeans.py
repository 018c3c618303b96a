"""K-means whose centres are differentially private: noisy Lloyd's steps (Result 17.1)."""

from typing import Any, Self, final

import numpy as np

from dalenius.dependent.learning.arguments import drawable, enough, nats, one_of, whole
from dalenius.dependent.learning.box import HALF, Box
from dalenius.dependent.learning.centroids import centres_of, nearest, squares
from dalenius.dependent.learning.estimator import ClusterMixin, PrivateEstimator, TransformerMixin, seed_of
from dalenius.dependent.learning.guarantee import Added, Guarantee, Neighbours
from dalenius.dependent.learning.steps import NoisySteps, Split, noisy_lloyd, spread_start
from dalenius.laws.law import Array, IntArray

HYPOTHESES = (
    "a person's record is one row",
    "lower, upper, n_clusters, steps and init are chosen without looking at the data",
)
PEOPLE = "how many rows there are is public"
REFUSALS = "that rows are refused, as too few or not finite, is not counted"


class CentreEstimator(ClusterMixin, TransformerMixin, PrivateEstimator):  # type: ignore[misc]
    """What can be asked of centres once they are out. Which rows they came of is not kept: there are no `labels_`."""

    cluster_centers_: Array

    def predict(self, X: Any) -> IntArray:  # noqa: N803
        """By row the place of the nearest centre."""
        rows = self._rows(X, fitting=False)
        return nearest(rows, self.cluster_centers_)

    def fit_predict(self, X: Any, y: Any = None) -> IntArray:  # noqa: N803
        """Fit, and the nearest released centre of each of the same rows: these labels are the data's owner's, and no
        part of the release."""
        return np.asarray(self.fit(X, y).predict(X))

    def transform(self, X: Any) -> Array:  # noqa: N803
        """By row its distance to every centre."""
        rows = self._rows(X, fitting=False)
        apart = [((rows - centre) ** 2).sum(axis=1) for centre in self.cluster_centers_]
        return np.asarray(np.sqrt(np.stack(apart, axis=1)))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Minus the sum of squared distances of these rows to their nearest centres."""
        rows = self._rows(X, fitting=False)
        return -squares(rows, self.cluster_centers_, nearest(rows, self.cluster_centers_))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


@final
class KMeans(CentreEstimator):
    """epsilon: nats per record, for all steps together; lower, upper: the box that records are clipped to, a number or
    one a column; steps: how many; neighbours: `replace` (one person has another record) or `add_remove`;
    init: (k, d) centres to begin with, chosen without the data, or None for some drawn by random_state. random_state
    has no part in the noise, which is opendp's discrete Laplace and never the same twice.

    After fit: cluster_centers_ (k, d), in the data's units; counts_ (k,), the noisy sizes of the last step;
    released_, all that went out; guarantee_. InputError, which is also a ValueError, for arguments and rows that are
    not what was wanted.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: float,
        lower: Any,
        upper: Any,
        steps: int = 5,
        neighbours: Neighbours = "replace",
        init: Any = None,
        random_state: int | None = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.lower = lower
        self.upper = upper
        self.steps = steps
        self.neighbours = neighbours
        self.init = init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Release centres of these rows."""
        k, steps, epsilon = (
            whole("n_clusters", self.n_clusters),
            whole("steps", self.steps),
            nats("epsilon", self.epsilon),
        )
        neighbours = one_of("neighbours", self.neighbours, ("replace", "add_remove"))
        rows = self._rows(X, fitting=True)
        enough(k, len(rows))
        box = Box.of(self.lower, self.upper, rows.shape[1])
        split = Split.of(epsilon, steps, rows.shape[1], 2 if neighbours == "replace" else 1)
        drawable(epsilon, split.value_scale)
        self.released_: NoisySteps = noisy_lloyd(box.places(rows), self._start(box, k, rows.shape[1]), split)
        self.cluster_centers_ = box.points(self.released_.last)
        self.counts_: IntArray = self.released_.counts[-1]
        self.guarantee_ = _guarantee(epsilon, "replace" if neighbours == "replace" else "add_remove", split)
        return self

    def _start(self, box: Box, k: int, axes: int) -> Array:
        if self.init is None:
            return spread_start(k, axes, seed_of(self.random_state))
        return box.places(centres_of(self.init, k, axes, "init"))


def _guarantee(epsilon: float, neighbours: Neighbours, split: Split) -> Guarantee:
    counts = Added("counts of clusters", "discrete laplace", float(split.count_scale), "people", split.steps, True)
    unit = f"1/{HALF} of the box's half-width"
    sums = Added("sums of clusters, by column", "discrete laplace", float(split.value_scale), unit, split.steps, True)
    public = (PEOPLE,) if neighbours == "replace" else ()
    why = "Result 17.1: each step's counts and sums have discrete Laplace noise, and the steps' ε add up"
    return Guarantee(epsilon, neighbours, True, why, (*HYPOTHESES, *public, REFUSALS), (counts, sums))
