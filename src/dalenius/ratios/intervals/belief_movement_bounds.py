"""What outputs do to beliefs, bounded over boxes of priors and of ratios of likelihoods.

Where outputs may lie far away from all answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import inf, log
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT, known
from dalenius.laws.law import Array
from dalenius.ratios.bounded_channel import two_points
from dalenius.ratios.intervals.boxes import largest_log, smallest_log


@lru_cache(maxsize=16)
def patterns(axes: int) -> tuple[tuple[float, ...], ...]:
    """By coordinate, above (1) or below (-1): all ways of up to three coordinates; of more, only all alike. An output
    so far out stands for all beyond it."""
    # A histogram of ten cells has 1,024 corners at infinity; outputs far up or down on all at once are a lower end as
    # well.
    if axes > 3:
        return (1.0,) * axes, (-1.0,) * axes
    return tuple(product((1.0, -1.0), repeat=axes))


_OFF: Final = 64 * UNIT
Quantity: TypeAlias = Callable[[Array, Array], Array]
"""Of laws of the record (m, k) and log-likelihoods of the output given each value (m, k), up to a constant of each: the
value of each, -inf where it has none."""


@final
@dataclass(frozen=True, eq=False)
class Regions:
    """Of one record: low, high (k,): ends of its prior probabilities; ratio (k, k): log W(y|s) - log W(y|s') is at most
    ratio[s, s'] at every output y, under every law of a set. Bounds are in nats.

    A record that is ill with .1 to .2, and outputs that are one nat likelier given one value than given the other:

    >>> regions = Regions(np.array([0.8, 0.1]), np.array([0.9, 0.2]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> [round(each, 6) for each in (regions.raised, regions.lowered, regions.divergence)]
    [0.841435, 0.934702, 0.363758]
    """

    low: Array
    high: Array
    ratio: Array

    @cached_property
    def raised(self) -> float:
        """The largest log(W(y|s)/W(y))."""
        # What raises the smallest chance to 1 counts where ratios are so large that their roundings are more than that.
        least = float(self.low.min())
        certain = -log(least) * (1 + _OFF) + _OFF if least > 0 else inf
        return min(self._rounded(-smallest_log(self.low, self.high, -self.ratio)), certain)

    @cached_property
    def lowered(self) -> float:
        """The largest log(W(y)/W(y|s))."""
        return self._rounded(largest_log(self.low, self.high, self.ratio.T))

    @property
    def divergence(self) -> float:
        """At least the largest D(S | Y=y ‖ S)."""
        return two_points(self.raised, self.lowered)

    @property
    def reverse(self) -> float:
        """At least the largest D(S ‖ S | Y=y)."""
        return two_points(self.lowered, self.raised)

    def _rounded(self, found: Array) -> float:
        """The largest, from above."""
        most = known(float(found.max())), known(float(self.ratio.max()))
        return max(most[0], 0.0) * (1 + _OFF) + _OFF * (1 + most[1])


def ratio_of(pairs: tuple[tuple[int, int], ...], prior: Array, logs: Array) -> Array:
    """By law (m,), the largest log(W(y|s)/W(y|s')) of the pairs (s, s') that are possible; prior, logs (m, k)."""
    found = np.full(len(logs), -np.inf)
    with np.errstate(invalid="ignore"):
        for s, t in pairs:
            # Under a law at a corner of the boxes a value may have probability 0.
            there = (prior[:, s] > 0) & (prior[:, t] > 0)
            found = np.maximum(found, np.where(there, logs[:, s] - logs[:, t], -np.inf))
    return found


def raised_of(prior: Array, logs: Array) -> Array:
    """The largest log(W(y|s)/W(y)). By law (m,), in nats; prior, logs (m, k)."""
    return np.asarray(_moved(prior, logs).max(axis=1))


def lowered_of(prior: Array, logs: Array) -> Array:
    """The largest log(W(y)/W(y|s)). By law (m,), in nats: infinite where the output rules a possible value out."""
    return np.asarray(-np.where(prior > 0, _moved(prior, logs), np.inf).min(axis=1))


def _moved(prior: Array, logs: Array) -> Array:
    """log(W(y|s)/W(y)) (m, k), -inf where s is impossible. Logs are taken less their largest, which may be thousands of
    nats."""
    top = np.where(prior > 0, logs, -np.inf).max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        weights = np.where(prior > 0, np.exp(logs - top), 0.0)
        return np.asarray(np.where(prior > 0, logs - top, -np.inf) - np.log((prior * weights).sum(1, keepdims=True)))
