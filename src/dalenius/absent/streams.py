"""Exponential-kernel sums and their complements: what Laplace and geometric noise make of point masses.

Σ_j w_j e^{-|a_k - a_j|/b} for all k at once, over the last 1, 2, 4, .. points: a weight passes few roundings, all terms
are positive, and nothing overflows. Where b is large relative to the span of the points these sums are nearly the
total; their complement Σ_j w_j (1 - e^{-|a_k - a_j|/b}) is then summed directly, so that it keeps its digits. At points
0, 1 and 3 of weight 1, with b = 1, what the two others give each is .418, .503 and .185.

From them the scale that bounds ln(posterior/prior) of who is absent (DI Thm 2, 3); and, of any mechanism, probabilities
of being the absent one from an ε of differential privacy, and back (DI Thm 4; Lee & Clifton 2012).

Under ε-differential privacy the likelihoods of two tables differ by a factor of at most e^{ε·steps}, where `steps` is
the number of steps between neighbours from D∖i to D∖j: 1 where neighbours differ in one record's value, 2 where they
differ in one record's presence; for Laplace noise of scale Δ/ε exactly Θ/Δ. Nothing else of the mechanism matters, so
these are bounds, for the worst table; `exact` calibration knows the table.
"""

import abc
from dataclasses import dataclass
from math import inf
from typing import final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT


@dataclass(frozen=True)
class Fading(abc.ABC):
    """offsets (m,): the points, ascending and distinct, each to a few roundings of the one furthest from 0; scale: b,
    in the same unit; 0 for the kernel that is 1 at distance 0 and 0 elsewhere."""

    offsets: Array
    scale: float

    @abc.abstractmethod
    def kernel(self, distance: Array) -> Array:
        """The kernel at these distances."""

    @abc.abstractmethod
    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        """The kernel sum further on, where the kernel from here is that, of weights of total `weights` whose kernel sum
        here is `sums`."""

    def at(self, weight: Array, distance: Array) -> Array:
        """The kernel at this distance, times the weight."""
        return weight * self.kernel(distance)

    @property
    def span(self) -> float:
        """The widest distance in units of b."""
        width = float(self.offsets[-1] - self.offsets[0])
        # One answer, whoever is absent: its width is 0 without noise too, and no quotient of zeros.
        if width == 0:
            return 0.0
        return width / self.scale if self.scale > 0 else inf

    @property
    def error(self) -> float:
        """The relative error of every sum of `Arriving`, and of the largest one of `Lost`."""
        deep = self.span if self.scale > 0 else 0.0
        # In each round a weight passes an exponential, a product and two sums.
        return (8 * (1 + len(self.offsets).bit_length()) + (256 + 32 * deep) * blur(self.offsets)) * UNIT

    def elsewhere(self, weights: Array) -> Array:
        """(m,) the kernel sum at each point of the weights at all other points."""
        # Of the last so many points up to each, and of the next so many from each on: twice as many in each round.
        last, last_total = self.at(weights, np.zeros(len(weights))), weights.copy()
        following, following_total, reach = last.copy(), weights.copy(), 1
        while reach < len(weights):
            kernel = self.kernel(self.offsets[reach:] - self.offsets[:-reach])
            last[reach:] += self.carried(last[:-reach], last_total[:-reach], kernel)
            following[:-reach] += self.carried(following[reach:], following_total[reach:], kernel)
            last_total[reach:] += last_total[:-reach]
            following_total[:-reach] += following_total[reach:]
            reach *= 2
        kernel = self.kernel(np.diff(self.offsets))
        before = np.append(0.0, self.carried(last[:-1], last_total[:-1], kernel))
        after = np.append(self.carried(following[1:], following_total[1:], kernel), 0.0)
        return np.asarray(before + after)


@final
class Arriving(Fading):
    """Kernel e^{-d/b}."""

    def kernel(self, distance: Array) -> Array:
        if self.scale == 0:  # no noise: only the same answer is as likely
            return np.asarray(distance == 0, dtype=np.float64)
        with np.errstate(over="ignore"):  # of a scale next to 0: nothing is kept, of a distance of 0 all
            return np.asarray(np.exp(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        return sums * kernel


@final
class Lost(Fading):
    """Kernel 1 - e^{-d/b}, the complement. scale above 0."""

    def kernel(self, distance: Array) -> Array:
        return np.asarray(-np.expm1(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        return sums + (weights - sums) * kernel


def blur(offsets: Array) -> float:
    """The points' error in roundings of their width: 1, or more where all lie on one side, far from 0."""
    width = float(offsets[-1] - offsets[0])
    return max(1.0, float(np.max(np.abs(offsets))) / width) if width > 0 else 1.0
