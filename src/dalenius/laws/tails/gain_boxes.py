"""The mean of max_s log W(y|s)/W(y) under Laplace noise on several axes: boxes, cut where secrets overtake."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.box_rule import NODES, over_box
from dalenius.laws.integrals.boxes import corner_weights, narrowed, sides_of
from dalenius.laws.integrals.functionals import Information
from dalenius.laws.law import Array, IntArray, Law, log_mix

SHARP: Final = 1e-6
MOST_VALUES: Final = 300_000
"""Likelihoods at corners, of all boxes that are ever made."""
MOST_NODES: Final = 4_000_000
"""Likelihoods at the nodes of Gauss's rule, of the boxes bounded at once."""


def gain_over_boxes(log_prior: Array, law: Law, decays: Sequence[float]) -> Enclosure | None:
    """None where there are too many boxes to begin with."""

    def bounds(corners: Array, widths: Array) -> tuple[Array, Array, IntArray]:
        return _bounds(log_prior, corners, widths)

    found = narrowed(law, decays, bounds, SHARP, MOST_VALUES)
    if found is None:
        return None
    lower, upper = float(np.sum(found.lower)), float(np.sum(found.upper))
    # An error of every log moves the gain by at most twice as much, and W by its exponential.
    moved = law.error + found.rounded + (64 + 4 * len(log_prior) + len(found.lower)) * UNIT
    error = 2.1 * moved * (1 + upper)
    return Enclosure(max(lower - error, 0.0), upper + error)


def _bounds(log_prior: Array, corners: Array, widths: Array) -> tuple[Array, Array, IntArray]:
    """In a box one secret's log-ratio is least and largest at corners, and another is ahead of it by no more than at
    one of them. Of the one that is likeliest in the whole box the integral is known by Gauss's rule."""
    mixed = log_mix(log_prior, corners)
    gains = corners - mixed
    mass = corner_weights(widths) * np.sum(np.exp(mixed), axis=0)
    own = np.argmax(np.logaddexp.reduce(corners, axis=1), axis=0)
    here = np.arange(len(own))
    ahead = corners[own, :, here].T
    behind = np.maximum(np.max(corners - ahead, axis=(0, 1)), 0.0)
    low = mass * np.maximum(np.min(gains[own, :, here].T, axis=0), 0.0)
    high = mass * np.maximum(np.max(gains, axis=(0, 1)), 0.0)
    moves = [np.max(np.abs(np.subtract(*sides_of(gains, axis))), axis=(0, 1)) for axis in range(len(widths))]
    axis_of = np.argmax(np.where(widths > 0, np.stack(moves), -1.0), axis=0)
    widest = np.max(widths, axis=0)
    # The rule costs much on many axes: only where it tells more than the corners.
    fit = np.flatnonzero((widest <= 1.0) & (widest > 0) & (behind * mass < (high - low) / 4))
    if fit.size and NODES ** len(widths) * fit.size * len(corners) <= MOST_NODES:
        largest = Information(log_prior).largest_near(corners[..., fit])

        def at(logs: Array) -> Array:
            level = log_mix(log_prior, logs)
            return np.asarray(np.exp(level) * (logs[own[fit], np.arange(len(fit))] - level))

        area, off = over_box(at, largest, corners[..., fit], widths[:, fit])
        low[fit] = np.fmax(low[fit], area - off)
        high[fit] = np.fmin(high[fit], area + off + behind[fit] * mass[fit])
    return low, np.maximum(low, high), axis_of
