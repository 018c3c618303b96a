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
    """By coordinate, above (1) or below (-1): all ways of up to three coordinates; of more, only all alike."""
    if axes > 3:
        return (1.0,) * axes, (-1.0,) * axes
    return tuple(product((1.0, -1.0), repeat=axes))


OFF: Final = 64 * UNIT
Quantity: TypeAlias = Callable[[Array, Array], Array]
"""Of laws of the record (m, k) and log-likelihoods of the output given each value (m, k), up to a constant of each: the
value of each, -inf where it has none."""


@final
@dataclass(frozen=True, eq=False)
class Regions:
    """Every law of a set lies in one of these: low, high (r, k): ends of the prior probabilities; above (r, k, k):
    log W(y|s) - log W(y|s') is at most above[s, s'] at every output y. Bounds are in nats."""

    low: Array
    high: Array
    above: Array

    @cached_property
    def ratio(self) -> Array:
        """The largest log(W(y|s)/W(y|s')) of each pair (k, k)."""
        return np.asarray(self.above.max(axis=0))

    @cached_property
    def raised(self) -> float:
        """The largest log(W(y|s)/W(y))."""
        found = -smallest_log(self.low[:, None], self.high[:, None], -self.above)
        return min(self._rounded(found), self._certain)

    @cached_property
    def lowered(self) -> float:
        """The largest log(W(y)/W(y|s))."""
        return self._rounded(largest_log(self.low[:, None], self.high[:, None], self.above.transpose(0, 2, 1)))

    @cached_property
    def divergence(self) -> float:
        """The largest D(S | Y=y ‖ S)."""
        if self.low.shape[1] > 2:
            return two_points(self.raised, self.lowered)
        return min(self._rounded(self._of_two(_forward)), self._certain)

    @cached_property
    def reverse(self) -> float:
        """The largest D(S ‖ S | Y=y)."""
        if self.low.shape[1] > 2:
            return two_points(self.lowered, self.raised)
        return self._rounded(self._of_two(_backward))

    def _of_two(self, moved: Callable[[Array, Array, Array], Array]) -> Array:
        """Given the ratio e^r, the divergence has one peak in the prior, and grows with r and with -r from 0."""
        sides = ((self.above[:, 1, 0], 1), (self.above[:, 0, 1], 0))
        with np.errstate(divide="ignore"):
            return np.stack(
                [moved(np.maximum(r, 1e-12), np.log(self.low[:, s]), np.log(self.high[:, s])) for r, s in sides]
            )

    @property
    def _certain(self) -> float:
        """What raises the smallest chance to 1: where ratios are so large that their roundings are more than that."""
        least = float(self.low.min())
        return -log(least) * (1 + OFF) + OFF if least > 0 else inf

    def _rounded(self, found: Array) -> float:
        """The largest, from above."""
        most = known(float(found.max())), known(float(self.above.max()))
        return max(most[0], 0.0) * (1 + OFF) + OFF * (1 + most[1])


def _forward(r: Array, low: Array, high: Array) -> Array:
    """The largest D(S | Y=y ‖ S) of two values whose likelihoods are e^r apart, r > 0, over the logs of the chance of
    the one that grows."""
    peak = r / -np.expm1(-r)
    chance = np.clip(np.log(peak - 1) - r - np.log(-np.expm1(-r)), low, high)
    total = _after(chance, r)
    return np.asarray(np.exp(chance + r - total) * r - total)


def _backward(r: Array, low: Array, high: Array) -> Array:
    """The largest D(S ‖ S | Y=y) likewise."""
    # Z = (e^r - 1)/r at the peak, where the chance is (Z - 1)/(e^r - 1).
    chance = np.clip(np.log(np.clip(1 / r - np.exp(-r) / -np.expm1(-r), 0.0, 1.0)), low, high)
    return np.asarray(_after(chance, r) - np.exp(chance) * r)


def _after(chance: Array, r: Array) -> Array:
    """log(1 + e^chance (e^r - 1)), chance at most 0."""
    rest = np.log(np.maximum(-np.expm1(chance), 0.0))
    return np.asarray(np.logaddexp(rest, chance + r))


def ratio_of(pairs: tuple[tuple[int, int], ...], prior: Array, logs: Array) -> Array:
    """By law (m,), the largest log(W(y|s)/W(y|s')) of the pairs (s, s') that are possible; prior, logs (m, k)."""
    found = np.full(len(logs), -np.inf)
    with np.errstate(invalid="ignore"):
        for s, t in pairs:
            there = (prior[:, s] > 0) & (prior[:, t] > 0)
            found = np.maximum(found, np.where(there, logs[:, s] - logs[:, t], -np.inf))
    return found


def raised_of(prior: Array, logs: Array) -> Array:
    """The largest log(W(y|s)/W(y))."""
    return np.asarray(_moved(prior, logs).max(axis=1))


def lowered_of(prior: Array, logs: Array) -> Array:
    """The largest log(W(y)/W(y|s))."""
    return np.asarray(-np.where(prior > 0, _moved(prior, logs), np.inf).min(axis=1))


def divergence_of(prior: Array, logs: Array) -> Array:
    """D(S | Y=y ‖ S)."""
    moved = _moved(prior, logs)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(prior > 0, prior * np.exp(moved) * moved, 0.0).sum(axis=1))


def reverse_of(prior: Array, logs: Array) -> Array:
    """D(S ‖ S | Y=y)."""
    moved = _moved(prior, logs)
    with np.errstate(invalid="ignore"):
        return np.asarray(-np.where(prior > 0, prior * moved, 0.0).sum(axis=1))


def _moved(prior: Array, logs: Array) -> Array:
    """log(W(y|s)/W(y)) (m, k), -inf where s is impossible."""
    top = np.where(prior > 0, logs, -np.inf).max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        weights = np.where(prior > 0, np.exp(logs - top), 0.0)
        return np.asarray(np.where(prior > 0, logs - top, -np.inf) - np.log((prior * weights).sum(1, keepdims=True)))
