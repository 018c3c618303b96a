"""Gauss's rule on a cell of Laplace noise, with Trefethen's bound.

Inside a cell every W is A e^{y/b} + B e^{-y/b} with A, B >= 0, as an answer on the left of it adds to B only and one on
the right to A only. So log W changes by at most |dy|/b, and |W(x + iτ)| lies between cos(τ/b) W(x) and W(x). Of the
largest of several W the integral is known in closed form (Result 3.4).
"""

import math
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import numpy as np

from dalenius.laws.law import Array, IntArray

NODES: Final = 16
DEEP: Final = 45
HEIGHT: Final = 1.2
"""Of the ellipse on which an integrand is bounded, over b: below π/2, where a W may vanish. It reaches no further
beyond the cell."""

Pointwise: TypeAlias = Callable[[Array], Array]
Rule: TypeAlias = Callable[[Array, Array, float], tuple[Array, Array]]
"""∫ φ over one piece of at most one b, per unit of 2b, from log W at its ends; with a bound on its error."""


def over_pieces(left: Array, right: Array, decay: float, at: Pointwise, rule: Rule) -> tuple[Array, Array]:
    """∫ φ over a cell, per unit of 2b, with a bound on its error; φ convex, homogeneous and non-negative."""
    parts = max(1, math.ceil(decay))
    total, error = np.zeros(left.shape[1:]), np.zeros(left.shape[1:])
    ends_only = parts > 2 * DEEP
    if ends_only:
        # Around the middle of a deep cell everything is e^{-DEEP} of its ends: chords bound it, 0 does from below.
        inner = [between(left, right, decay, cut / parts) for cut in (DEEP, parts - DEEP)]
        half = (at(inner[0]) + at(inner[1])) / 4
        total, error = total + half, error + half
    for part in [*range(DEEP), *range(parts - DEEP, parts)] if ends_only else range(parts):
        ends = [between(left, right, decay, (part + end) / parts) for end in (0, 1)]
        mass, bound = rule(ends[0], ends[1], decay / parts)
        total, error = total + mass, error + bound
    return total, error


def gauss(
    left: Array, right: Array, decay: float, at: Callable[[Array], tuple[Array, Array]], largest: Array
) -> tuple[Array, Array]:
    """One piece, decay <= 1. at: φ and a bound on its rounding; largest: |φ| on the ellipse of HEIGHT, at most."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    total, error = np.zeros(left.shape[1:]), np.zeros(left.shape[1:])
    for node, weight in zip(nodes, weights, strict=True):
        value, off = at(between(left, right, decay, (1 + node) / 2))
        total, error = total + weight / 2 * value, error + weight / 2 * off
    height = min(2 * HEIGHT / decay, 1e6)
    radius = height + math.sqrt(height**2 + 1)
    bound = 64 / 15 * largest * radius ** (-2 * NODES) / (1 - radius**-2)
    return total * decay / 2, (bound / 2 + error) * decay


def between(left: Array, right: Array, decay: float, fraction: float) -> Array:
    """log W at a fraction of the way between two knots, from log W at the knots."""
    if fraction in (0.0, 1.0):
        return right if fraction else left
    inside: Array = np.logaddexp(left + _hat(decay, 1 - fraction), right + _hat(decay, fraction))
    return inside


def _hat(decay: float, fraction: float) -> float:
    """log of sinh(fraction·decay) / sinh(decay)."""
    grown = -math.expm1(-2 * fraction * decay) / -math.expm1(-2 * decay)
    return math.log(grown) - (1 - fraction) * decay


def largest_over_cell(left: Array, right: Array, decay: float) -> Array:
    """∫ max_s W_s over the cell, per unit of 2b, (cells,); left, right: log W_s at the knots, (secrets, cells).

    At u of the way W_s is the knots' values times sinh(decay - u) and sinh(u) over sinh(decay): but for a common factor
    a line in θ = sinh(u) / (sinh(u) + sinh(decay - u)). So the largest is an upper envelope of lines, walked from left
    to right: from the winner at hand to the line that crosses it first. A wrong turn next to a crossing costs rounding.
    """
    top = np.maximum(np.max(left, axis=0), np.max(right, axis=0))
    top = np.where(top > -np.inf, top, 0.0)
    start, end = np.exp(left - top), np.exp(right - top)
    total = np.zeros(left.shape[1])
    for active, own, since, until in winners(start, end):
        total[active] += _area(start[own, active], end[own, active], since, until, decay)
    return total * np.exp(top)


def winners(start: Array, end: Array) -> Iterator[tuple[IntArray, IntArray, Array, Array]]:
    """The upper envelope of the lines from `start` to `end` (lines, cells), from left to right: which cells, their
    winners, and the shares since and until which these are the largest."""
    cells = np.arange(start.shape[1])
    # The winner at the left knot; of equals the one that rises most.
    ahead = np.where(start == np.max(start, axis=0), end, -1.0)
    winner = np.argmax(ahead, axis=0)
    share = np.zeros(len(cells))
    active = cells
    while len(active):
        now, later = start[:, active], end[:, active]
        own = winner[active]
        here = np.arange(len(active))
        behind, rise = now[own, here] - now, later - later[own, here]
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = np.where(rise > 0, behind / (behind + rise), 2.0)
        crossing = np.where(crossing >= share[active], crossing, np.where(rise > 0, share[active], 2.0))
        crossing[own, here] = 2.0
        following = np.min(crossing, axis=0)
        until = np.minimum(following, 1.0)
        yield active, own, share[active], until
        share[active] = until
        # Of lines that cross at one point the steepest goes on.
        steepest = np.where(crossing == following, later, -1.0)
        winner[active] = np.where(following <= 1.0, np.argmax(steepest, axis=0), own)
        active = active[following < 1.0]


def _area(start: Array, end: Array, since: Array, until: Array, decay: float) -> Array:
    """∫ of one W between two shares θ, over 2."""
    low, high = place_of(since, decay), place_of(until, decay)
    return (start * _rise(decay - high, decay - low, decay) + end * _rise(low, high, decay)) / 2


def _rise(low: Array, high: Array, decay: float) -> Array:
    """(cosh(high) - cosh(low)) / sinh(decay), for 0 <= low <= high <= decay."""
    high = np.maximum(high, low)
    sum_, difference = (high + low) / 2, (high - low) / 2
    grown = np.expm1(-2 * sum_) * np.expm1(-2 * difference) / -math.expm1(-2 * decay)
    return np.asarray(np.exp(high - decay) * grown)


def place_of(share: Array, decay: float) -> Array:
    """u from θ: e^{2u} = (1 + ξe^decay) / (1 + ξe^-decay), ξ = θ/(1-θ)."""
    inner = np.where((share > 0) & (share < 1), share, 0.5)
    log_odds = np.log(inner) - np.log1p(-inner)
    place = (np.logaddexp(0.0, log_odds + decay) - np.logaddexp(0.0, log_odds - decay)) / 2
    return np.where(share <= 0, 0.0, np.where(share >= 1, decay, np.clip(place, 0.0, decay)))
