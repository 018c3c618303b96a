"""Learning queries with noise of the size that a release would have, by a seed: to repeat them, not to release them.

Each takes ε₀, for which the noise is that of independent records; a method that multiplies noise by t is ε₀ = ε/t.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.random import Generator

from dalenius.dependent.noisy_lloyd_steps import HALF, Noisy, Split, lattice, nearest, noisy_steps
from dalenius.dependent.objective_perturbation import least_weight, tilt_of
from dalenius.dependent.regularised_minimiser import Task, hinge
from papers.dependent.clusters import lloyd
from papers.dependent.runs import STARTS
from papers.numbers import Array, IntArray

CAP: Final = 2.0**62 / HALF
"""Noise beyond it says nothing more."""
STEPS: Final = 5
"""Of noisy Lloyd."""
CERTAIN: Final = 1e9
"""An ε₀ at which centres are taken to be what they are without noise."""
REGULARIZATION: Final = 0.001
CELL_MOVED: Final = 2
"""Cells of a histogram of degrees that one person's degree changes, by 1 each."""


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
    def exact(self) -> tuple[Array, IntArray]:
        """Centres, and how many of the training points are at each."""
        found = lloyd(self.train, len(self.start), starts=STARTS, seed=self.seed)
        return found.centres, np.bincount(found.labels, minlength=len(self.start))

    def one_shot(self, epsilon: float, draws: Generator) -> float:
        """Laplace noise on the converged centroids, of scale d/(size · ε₀) (DDP §IV-B; no guarantee: E9): the share of
        test points whose nearest noisy centroid is the noisy version of their nearest exact one."""
        centres, sizes = self.exact
        scale = centres.shape[1] / (np.maximum(sizes, 1) * epsilon)
        noisy = centres + scale[:, None] * draws.laplace(size=centres.shape)
        return float(np.mean(nearest(self.test, noisy) == nearest(self.test, centres)))

    def noisy_steps(self, epsilon: float, draws: Generator) -> float:
        """Lloyd's steps from noisy sums and counts (Result 17.1): the share of test points that are in the cluster in
        which the same steps without noise have them."""

        def noised(exact: Array | IntArray, scale: Fraction) -> IntArray:
            noise = draws.laplace(scale=float(scale), size=exact.shape)
            return np.rint(np.clip(exact + noise, -CAP, CAP)).astype(np.int64)

        noisy = self._steps(epsilon, noised)
        return float(np.mean(nearest(self.test, noisy) == nearest(self.test, self._exact_steps)))

    @cached_property
    def _exact_steps(self) -> Array:
        return self._steps(CERTAIN, lambda exact, scale: np.rint(exact).astype(np.int64))

    def _steps(self, epsilon: float, noisy: Noisy) -> Array:
        places, start = (lattice(2 * np.clip(each, 0.0, 1.0) - 1) for each in (self.train, self.start))
        split = Split.of(Fraction(epsilon), STEPS, self.train.shape[1])
        return np.asarray((noisy_steps(places, start, split, noisy)[0] / HALF + 1) / 2)


@final
@dataclass(frozen=True, eq=False)
class Classifying:
    """A linear support vector machine on rows of length 1 and labels ±1, a constant beside them; accuracy: the share of
    test rows on the right side."""

    train: tuple[Array, IntArray]
    test: tuple[Array, IntArray]

    @cached_property
    def signed(self) -> Array:
        """Rows times their labels."""
        rows, labels = self.train
        return np.asarray(with_constant(rows) * labels[:, None])

    @cached_property
    def exact(self) -> Array:
        return Task(self.signed, hinge, REGULARIZATION).minimiser()

    def accuracy(self, weights: Array) -> float:
        rows, labels = self.test
        return float(np.mean((with_constant(rows) @ weights > 0) == (labels > 0)))

    def perturbed(self, epsilon: float, draws: Generator) -> float:
        """The minimiser of a tilted objective (Chaudhuri, Monteleoni and Sarwate 2011; Result 17.3)."""
        (people, size), own = self.signed.shape, Fraction(epsilon)
        weight = max(REGULARIZATION, least_weight(hinge, people, own, 1))
        tilt = long_tailed(size, float(tilt_of(hinge, weight, people, own, 1).scale), draws) / people
        length = Fraction(float(np.sqrt(tilt @ tilt)))
        return self.accuracy(Task(self.signed, hinge, weight, tilt, length).minimiser())


def long_tailed(size: int, scale: float, draws: Generator) -> Array:
    """A vector of density ∝ e^{-length/scale}: its length has a Gamma law, its direction is uniform."""
    direction = draws.standard_normal(size)
    return np.asarray(direction / np.sqrt(direction @ direction) * draws.gamma(size, scale))


def with_constant(rows: Array) -> Array:
    """Rows of length 1 with a further column that is as long, scaled back to length 1."""
    return np.asarray(np.column_stack([rows, np.ones(len(rows))]) / np.sqrt(2))


@final
@dataclass(frozen=True, eq=False)
class Counting:
    """How many people have 0, 1, .., most friends; accuracy: 1 - ‖C - C′‖₁/‖C + C′‖₁ (DDP §VII-B3)."""

    degrees: IntArray
    most: int

    def perturbed(self, epsilon: float, draws: Generator) -> float:
        """Laplace noise on every cell; one person's number of friends changes two by 1 each. The nearest counts of that
        many people are inferred."""
        counts = np.bincount(self.degrees, minlength=self.most + 1)
        noise = draws.laplace(scale=CELL_MOVED / epsilon, size=counts.shape)
        published = shares(np.rint(counts + noise).astype(np.int64), len(self.degrees))
        return float(1 - np.abs(counts - published).sum() / (counts + published).sum())


def shares(noised: IntArray, total: int) -> IntArray:
    """The nearest (L2) numbers of at least 0 with that sum, above 0, rounded to whole ones with that sum: all less the
    same amount, and 0 where that is below 0; then the largest remainders are rounded up, the first of equal ones first
    (Result 18.4)."""
    falling = np.sort(noised)[::-1].astype(np.float64)
    excess = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    exact = np.maximum(noised - excess[np.flatnonzero(falling > excess)[-1]], 0.0)
    found: IntArray = np.floor(exact).astype(np.int64)
    left = total - int(found.sum())
    found[np.argsort(found - exact, kind="stable")[:left]] += 1
    return found
