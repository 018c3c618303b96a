"""K-means whose centres may be published: noisy Lloyd's steps (Result 17.1)."""

from typing import Any, Self, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.dependent.arguments import BadArgument, Box, generator, whole
from dalenius.dependent.estimator import ClusterMixin, PrivateEstimator, TransformerMixin
from dalenius.dependent.noisy_lloyd_steps import HALF, Split, lattice, nearest, noisy_steps, spread_start, steps_worth
from dalenius.models import Model

_MOST_COLUMNS = 2**20
"""Columns in which distances of lattice points are exact in doubles."""


@final
class KMeans(TransformerMixin, ClusterMixin, PrivateEstimator):  # type: ignore[misc]
    """K-means with a promise: every Lloyd's step sees noisy sums and counts of the clusters, and nothing else.

    After `fit` it has `cluster_centers_` (k, d) in the data's units, `counts_` (k,), the noisy sizes of the clusters of
    the last step, and `drawn_`, the noise. There are no `labels_`: they would be the rows' own. Every fit is a release,
    and releases add up: a grid search of ten spends ten times epsilon.

    Args:
        n_clusters: How many centres.
        epsilon: The promise in nats, for all steps together.
        bounds: (lower, upper), each one number or one for each column: rows are clipped to them.
        steps: How many Lloyd's steps; all have an equal part of epsilon. None for as many, from 1 to 7, as epsilon and
            the numbers of people, centres and columns are worth.
        method: What multiplies the noise under dependence: "independent" (once, the default), "group", "comonotone",
            "exact", "dependence_coefficient" or "dependence_coefficient_closed".
        dependence: How people's records depend on each other: the largest group's size, or a model whose records are
            the people's; None beside "independent".
        init: Centres to begin with (k, d), chosen without the data; None for some that `random_state` draws.
        random_state: The seed of centres to begin with. It has no part in the noise, which is never the same twice.
        accept_unsound: Whether to release by a method that promises nothing.

    Raises:
        InputError: For arguments and rows that are not what was wanted, by `fit`; a ValueError too.

    Example:
        >>> import dalenius as dl
        >>> import numpy as np
        >>> homes = np.repeat([[2.0, 2.0], [8.0, 8.0]], 500, axis=0)
        >>> found = dl.KMeans(2, epsilon=50.0, bounds=(0, 10)).fit(homes)
        >>> np.sort(found.cluster_centers_[:, 0]).round().tolist(), found.guarantee.sound
        ([2.0, 8.0], True)

    Notes:
        Result 17.1. Noise on converged centroids, as in DDP §IV-B, promises nothing (errata E9).
    """

    cluster_centers_: Array

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: float = 1.0,
        bounds: Any = None,
        steps: int | None = None,
        method: str = "independent",
        dependence: int | Model | None = None,
        init: Any = None,
        random_state: Any = 0,
        accept_unsound: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.bounds = bounds
        self.steps = steps
        self.method = method
        self.dependence = dependence
        self.init = init
        self.random_state = random_state
        self.accept_unsound = accept_unsound

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Draw the release of these rows.

        Args:
            X: The rows, one a person: an array or a frame of numbers (n, d).
            y: Nothing; it is there for pipelines.

        Returns:
            The estimator, with centres.
        """
        k = whole("n_clusters", self.n_clusters)
        rows = self._rows(X, fitting=True)
        people, axes = rows.shape
        if k > people:
            raise BadArgument("n_clusters", k, f"at most the {people} people there are")
        if axes > _MOST_COLUMNS:
            raise BadArgument("X", f"{axes} columns", f"at most {_MOST_COLUMNS} columns")
        box, epsilon = Box.of(self.bounds, axes), self._promised(people)
        given = self.steps is not None
        split = Split.of(epsilon, whole("steps", self.steps) if given else steps_worth(epsilon, people, k, axes), axes)
        centres, counts = noisy_steps(lattice(box.scaled(rows)), self._start(box, k, axes), split)
        self.cluster_centers_ = box.back(centres / HALF)
        self.counts_: IntArray = counts
        self.drawn_, self.n_people_ = split.drawn(axes), people
        return self

    def _start(self, box: Box, k: int, axes: int) -> Array:
        if self.init is None:
            return spread_start(k, axes, generator(self.random_state))
        try:
            found = np.asarray(self.init, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape != (k, axes) or not np.isfinite(found).all():
            raise BadArgument("init", f"shape {found.shape}", f"finite centres of shape {(k, axes)}")
        return lattice(box.scaled(found))

    def predict(self, X: Any) -> IntArray:  # noqa: N803
        """Find the nearest centre of each row, distances being counted in half-widths of the bounds.

        Args:
            X: The rows (n, d).

        Returns:
            Its number, from 0 (n,). Of private rows it is private, and no part of the release.
        """
        rows, centres = self._scaled(X)
        return nearest(rows, centres)

    def fit_predict(self, X: Any, y: Any = None) -> IntArray:  # noqa: N803
        """Draw the release, and find the nearest centre of each of the same rows.

        Args:
            X: The rows (n, d).
            y: Nothing; it is there for pipelines.

        Returns:
            The numbers of the centres (n,). They are the rows' owner's, and no part of the release.
        """
        return self.fit(X).predict(X)

    def transform(self, X: Any) -> Array:  # noqa: N803
        """Compute the distance of each row to every centre, in half-widths of the bounds.

        Args:
            X: The rows (n, d).

        Returns:
            The distances (n, k).
        """
        rows, centres = self._scaled(X)
        apart = [((rows - centre) ** 2).sum(axis=1) for centre in centres]
        return np.asarray(np.sqrt(np.stack(apart, axis=1)))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Compute minus the sum of squared distances to the nearest centres, in half-widths of the bounds.

        Args:
            X: The rows (n, d).
            y: Nothing; it is there for pipelines.

        Returns:
            The score; nearer to 0 is better. Of private rows it is private.
        """
        return -float((self.transform(X).min(axis=1) ** 2).sum())

    def _scaled(self, given: Any) -> tuple[Array, Array]:
        """Rows and centres in half-widths of the bounds, as in fitting."""
        rows = self._rows(given, fitting=False)
        box = Box.of(self.bounds, rows.shape[1])
        return box.scaled(rows), box.scaled(self.cluster_centers_)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _kind(self) -> str:
        return "kmeans"
