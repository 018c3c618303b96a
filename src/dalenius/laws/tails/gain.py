"""The mean of max_s log W(y|s)/W(y) under Laplace noise, by Gauss's rule: between two knots, and in boxes of several
axes, cut where secrets overtake."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.boxes import BOX_NODES, corner_weights, narrowed, over_box, sides_of
from dalenius.laws.integrals.cells import HEIGHT, NODES, over_pieces, place_of, winners
from dalenius.laws.integrals.functionals import Information
from dalenius.laws.law import Array, IntArray, Law, log_mix


def gain_over_cell(log_prior: Array, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
    """Per unit of 2b, (cells,), with a bound on its error; left, right: log W_s at the knots (secrets, cells)."""

    def most(logs: Array) -> Array:
        """The gain is no more than at the knots."""
        return np.asarray(largest * np.exp(log_mix(log_prior, logs)))

    ends = [np.max(each, axis=0) - log_mix(log_prior, each) for each in (left, right)]
    largest = np.maximum(*ends)
    return over_pieces(left, right, decay, most, lambda *piece: _over_part(log_prior, *piece))


def _over_part(log_prior: Array, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
    """decay <= 1: winner by winner."""
    top = np.maximum(np.max(left, axis=0), np.max(right, axis=0))
    top = np.where(top > -np.inf, top, 0.0)
    start, end = np.exp(left - top), np.exp(right - top)
    prior = np.exp(log_prior)
    mixed = prior @ start, prior @ end
    total, error = np.zeros(left.shape[1]), np.zeros(left.shape[1])
    for active, own, since, until in winners(start, end):
        low, high = place_of(since, decay), place_of(until, decay)
        lines = (start[own, active], end[own, active]), (mixed[0][active], mixed[1][active])
        area, bound = _over_segment(lines[0], lines[1], low, np.maximum(high, low), decay)
        total[active] += area
        error[active] += bound
    return total * np.exp(top), error * np.exp(top)


def _over_segment(
    own: tuple[Array, Array], mixed: tuple[Array, Array], low: Array, high: Array, decay: float
) -> tuple[Array, Array]:
    """Gauss–Legendre between two places; W = A e^{y/b} + B e^{-y/b} has no zero with |Im y| < πb/2, and on the ellipse
    of HEIGHT its size is at most e^HEIGHT times the larger end's (see `quadrature`)."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    width, total = high - low, np.zeros(len(low))
    for node, weight in zip(nodes, weights, strict=True):
        at = low + width * (1 + node) / 2
        total += weight / 2 * _integrand(_value(own, at, decay), _value(mixed, at, decay))
    ends = [(_value(own, at, decay), _value(mixed, at, decay)) for at in (low, high)]
    logs = [np.abs(np.log(np.where(w > 0, w, 1.0) / np.where(m > 0, m, 1.0))) for w, m in ends]
    narrow = np.maximum(width, 1e-6)
    reach = np.minimum(2 * HEIGHT / narrow, 1e6)
    radius = reach + np.sqrt(reach**2 + 1)
    largest = math.exp(HEIGHT) * np.maximum(ends[0][1], ends[1][1]) * (2 * (logs[0] + logs[1]) + 4 * HEIGHT + 1.1)
    bound = 64 / 15 * largest * radius ** (-2 * NODES) / (1 - radius**-2)
    return total * width / 2, bound * width / 2 + 64 * UNIT * (np.abs(total) + largest) * width


def _value(ends: tuple[Array, Array], at: Array, decay: float) -> Array:
    """W at a place, from the knots."""
    return np.asarray((ends[0] * np.sinh(decay - at) + ends[1] * np.sinh(at)) / math.sinh(decay))


def _integrand(own: Array, mixed: Array) -> Array:
    there = (own > 0) & (mixed > 0)
    return np.asarray(np.where(there, mixed * np.log(np.where(there, own, 1.0) / np.where(there, mixed, 1.0)), 0.0))


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
    if fit.size and BOX_NODES ** len(widths) * fit.size * len(corners) <= MOST_NODES:
        largest = Information(log_prior).largest_near(corners[..., fit])

        def at(logs: Array) -> Array:
            level = log_mix(log_prior, logs)
            return np.asarray(np.exp(level) * (logs[own[fit], np.arange(len(fit))] - level))

        area, off = over_box(at, largest, corners[..., fit], widths[:, fit])
        low[fit] = np.fmax(low[fit], area - off)
        high[fit] = np.fmin(high[fit], area + off + behind[fit] * mass[fit])
    return low, np.maximum(low, high), axis_of
