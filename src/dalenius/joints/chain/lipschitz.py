"""The function of a sum that tells two of its laws apart most, of all whose logarithm changes slowly (Result 20.26)."""

from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array

ROUNDS: Final = 100
WIDER: Final = 1e-13
"""Relative: what the largest ratio found is raised by, so that it can be seen that no function exceeds it."""


def most_apart(one: Array, other: Array, rate: float, start: Array) -> Array:
    """At least sup log E[w of one]/E[w of other] over all w with |log w_a - log w_{a+1}| <= rate; infinite where no
    bound was found. one, other (points, ..): masses, exact as given; all roundings are counted. start (..): smaller
    bounds than that are of no use.

    A ratio λ is exceeded by none if max Σ w_a (one_a - λ other_a) <= 0 over w_0 = 1, which one pass from the last
    point finds: what follows a point is taken with the larger weight where it is positive and else with the smaller.
    The w that attains the maximum says which λ is tried next (Dinkelbach).
    """
    # Steeper by the rounding of the exponential: more functions, not fewer.
    steps = np.exp(rate) * (1 + 8 * UNIT), np.exp(-rate) * (1 - 8 * UNIT)
    shape, ratio = start.shape, np.exp(start.ravel())
    found = np.full(ratio.size, np.inf)
    one, other = one.reshape(len(one), -1), other.reshape(len(other), -1)
    open_ = np.flatnonzero(np.isfinite(ratio))
    for _ in range(ROUNDS):
        if not len(open_):
            break
        tried = ratio[open_] * (1 + WIDER)
        least, ahead = _best(one[:, open_], other[:, open_], tried, steps)
        done = least <= 0
        found[open_[done]] = tried[done]
        ratio[open_] = np.maximum(ahead, tried)
        open_ = open_[~done & np.isfinite(ahead)]
    # Of each term its weight's and its own roundings: two products and three sums a point, in either of two means.
    with np.errstate(divide="ignore"):
        logs = np.log(found)
    rounded = UNIT * (12 * len(one) + 16 + 4 * np.abs(np.where(np.isfinite(logs), logs, 0.0)))
    return np.asarray((logs + rounded).reshape(shape))


def largest_ratio(one: Array, other: Array) -> Array:
    """The largest log-ratio of two masses of a point, over the points that the first has (points, ..): of all functions
    the one that looks at one point tells two laws apart most. Both are right to relative roundings, zeros exactly."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(one > 0, np.log(one) - np.log(other), -np.inf)
    found = np.max(logs, axis=0)
    return np.asarray(found + UNIT * (16 + 4 * np.where(np.isfinite(found), np.abs(found), 0.0)))


def _best(one: Array, other: Array, ratio: Array, steps: tuple[float, float]) -> tuple[Array, Array]:
    """max Σ w (one - ratio · other), and the ratio of the means of the w that attains it."""
    up, down = steps
    value, above, below = (np.zeros(one.shape[1]) for _ in range(3))
    for point in range(len(one) - 1, -1, -1):
        weight = np.where(value > 0, up, down)
        value = (one[point] - ratio * other[point]) + weight * value
        above, below = one[point] + weight * above, other[point] + weight * below
    return value, _over(above, below)


def _over(above: Array, below: Array) -> Array:
    """Infinite where nothing is below."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.inf)
