"""How good the package's learned releases are, on people who were not learned from.

Each takes ε₀, for which the noise is that of independent records; a method that multiplies noise by t is ε₀ = ε/t. The
noise is a release's own, so no two runs have the same. Only what starts and which split is drawn has a seed.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.random import Generator

import dalenius as dl
from dalenius.dependent.noisy_lloyd_steps import nearest
from papers.dependent.clusters import Clusters, lloyd
from papers.dependent.runs import STARTS
from papers.numbers import Array, IntArray

STEPS: Final = 5
"""Of noisy Lloyd."""
CERTAIN: Final = 1e4
"""The largest ε₀ that the package takes: what is learned is then taken to be without noise."""
REGULARIZATION: Final = 0.002


@final
@dataclass(frozen=True, eq=False)
class Clustering:
    """K-means of the training points in the unit cube. start: (k, d), chosen without the data, for noisy steps; seed:
    of rows to begin with, where there is no guarantee anyway."""

    train: Array
    test: Array
    start: Array
    seed: int

    @cached_property
    def exact(self) -> Clusters:
        return lloyd(self.train, len(self.start), starts=STARTS, seed=self.seed)

    def one_shot(self, epsilon: float, draws: Generator) -> float:
        """Laplace noise on the converged centroids, of scale d/(size · ε₀) (DDP §IV-B; no guarantee: E9): the share of
        test points whose nearest noisy centroid is the noisy version of their nearest exact one."""
        centres = self.exact.centres
        sizes = np.bincount(self.exact.labels, minlength=len(centres))
        scale = centres.shape[1] / (np.maximum(sizes, 1) * epsilon)
        noisy = centres + scale[:, None] * draws.laplace(size=centres.shape)
        return float(np.mean(nearest(self.test, noisy) == nearest(self.test, centres)))

    def noisy_steps(self, epsilon: float, draws: Generator) -> float:
        """`dl.KMeans`: the share of test points that are in the cluster in which the same steps without noise have
        them."""
        return float(np.mean(self._stepped(epsilon).predict(self.test) == self._without_noise))

    @cached_property
    def _without_noise(self) -> IntArray:
        return self._stepped(CERTAIN).predict(self.test)

    def _stepped(self, epsilon: float) -> dl.KMeans:
        return dl.KMeans(len(self.start), epsilon=epsilon, bounds=(0, 1), steps=STEPS, init=self.start).fit(self.train)


@final
@dataclass(frozen=True, eq=False)
class Classifying:
    """`dl.LinearSVC` on rows of length 1 and labels ±1; accuracy: the share of test rows on the right side."""

    train: tuple[Array, IntArray]
    test: tuple[Array, IntArray]

    @cached_property
    def exact(self) -> float:
        """The accuracy without noise."""
        return self.accuracy(CERTAIN)

    def accuracy(self, epsilon: float) -> float:
        found = dl.LinearSVC(epsilon=epsilon, regularization=REGULARIZATION, norm=1.0, classes=[-1, 1])
        return float(found.fit(*self.train).score(*self.test))


@final
@dataclass(frozen=True, eq=False)
class Counting:
    """`dl.DegreeDistribution` of a graph: how many people have 0, 1, .., most friends.

    One person's number of friends moves two cells by 1 each (DDP §VII-B3, after Hay et al. 2009), as one edge moves the
    cumulative counts: the noise is that of one edge.
    """

    edges: IntArray
    people: int
    most: int

    def accuracy(self, epsilon: float) -> float:
        """1 - ‖C - C′‖₁/‖C + C′‖₁ (DDP §VII-B3)."""
        found = dl.DegreeDistribution(self.people, max_degree=self.most, epsilon=epsilon, neighbours="edge")
        return found.fit(self.edges).score(self.edges)
