"""The integral of W(y)·max_s log W(y|s)/W(y) between two knots of Laplace noise, by Gauss's rule."""

import math
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.integrals.cell_maximum import place_of, winners
from dalenius.laws.integrals.quadrature import DEEP, HEIGHT, between
from dalenius.laws.law import Array, log_mix

NODES: Final = 16


def gain_over_cell(log_prior: Array, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
    """Per unit of 2b, (cells,), with a bound on its error; left, right: log W_s at the knots (secrets, cells)."""
    parts = max(1, math.ceil(decay))
    total, error = np.zeros(left.shape[1]), np.zeros(left.shape[1])
    ends_only = parts > 2 * DEEP
    if ends_only:
        # Around the middle of a deep cell everything is e^{-DEEP} of its ends; the gain is no more than at them.
        inner = [log_mix(log_prior, between(left, right, decay, cut / parts)) for cut in (DEEP, parts - DEEP)]
        most = np.max(np.stack([np.max(each, axis=0) - log_mix(log_prior, each) for each in (left, right)]), axis=0)
        half = most * (np.exp(inner[0]) + np.exp(inner[1])) / 4
        total, error = total + half, error + half
    for part in [*range(DEEP), *range(parts - DEEP, parts)] if ends_only else range(parts):
        ends = [between(left, right, decay, (part + end) / parts) for end in (0, 1)]
        area, bound = _over_part(log_prior, ends[0], ends[1], decay / parts)
        total, error = total + area, error + bound
    return total, error


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
