"""Gauss's rule on a cell of Laplace noise, with Trefethen's bound.

Inside a cell every W is A e^{y/b} + B e^{-y/b} with A, B >= 0, as an answer on the left of it adds to B only and one on
the right to A only. So log W changes by at most |dy|/b, and |W(x + iτ)| lies between cos(τ/b) W(x) and W(x).
"""

import math
from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from dalenius.laws.law import Array

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
