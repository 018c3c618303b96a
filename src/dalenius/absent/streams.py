"""Exponential-kernel sums and their complements: what Laplace and geometric noise make of point masses.

The sums Σ_j w_j e^{-|a_k - a_j|/b} are computed for all k at once, over the last 1, 2, 4, .. points. A weight passes
few roundings, all terms are positive, and nothing overflows. If b is large relative to the span of the points, these
sums are nearly the total. Their complement Σ_j w_j (1 - e^{-|a_k - a_j|/b}) is then summed directly, so that it keeps
its digits. At points 0, 1 and 3 of weight 1, with b = 1, the two others give each point .418, .503 and .185.
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
    """A kernel of the distance between points, and its sums over weighted points.

    Attributes:
        offsets: The points (m,), ascending and distinct, each to a few roundings of the one furthest from 0.
        scale: b, in the same unit; 0 for the kernel that is 1 at distance 0 and 0 elsewhere.
    """

    offsets: Array
    scale: float

    @abc.abstractmethod
    def kernel(self, distance: Array) -> Array:
        """Returns the kernel at each `distance`, in the points' unit."""

    @abc.abstractmethod
    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        """Returns the kernel sum of some weights at a place further on.

        Args:
            sums: The weights' kernel sum here.
            weights: The weights' total.
            kernel: The kernel between here and the place further on.
        """

    def at(self, weight: Array, distance: Array) -> Array:
        """Returns the kernel at this distance, times the weight."""
        return weight * self.kernel(distance)

    @property
    def span(self) -> float:
        """The widest distance in units of b."""
        width = float(self.offsets[-1] - self.offsets[0])
        # If all answers are the same, the width is 0 without noise too: this avoids a quotient of zeros.
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
        """Returns (m,) the kernel sum at each point of the weights at all other points."""
        # Sums over the last so many points up to each, and over the next so many from each on: twice as many a round.
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
    """The kernel e^{-d/b} of a distance d."""

    def kernel(self, distance: Array) -> Array:
        if self.scale == 0:  # no noise: only the same answer is as likely
            return np.asarray(distance == 0, dtype=np.float64)
        with np.errstate(over="ignore"):  # of a scale next to 0: nothing is kept, of a distance of 0 all
            return np.asarray(np.exp(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        return sums * kernel


@final
class Lost(Fading):
    """The kernel 1 - e^{-d/b}, the complement of `Arriving`; the scale b is above 0."""

    def kernel(self, distance: Array) -> Array:
        return np.asarray(-np.expm1(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        return sums + (weights - sums) * kernel


def blur(offsets: Array) -> float:
    """Returns the error of `offsets` (m,) in roundings of their width: 1, or more if all lie on one side of 0."""
    width = float(offsets[-1] - offsets[0])
    return max(1.0, float(np.max(np.abs(offsets))) / width) if width > 0 else 1.0
