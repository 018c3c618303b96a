"""Gauss's rule on a cell of Laplace noise, with Trefethen's bound.

Inside a cell every W is A e^{y/b} + B e^{-y/b} with A, B >= 0, as an answer on the left of it adds to B only and one
on the right to A only. So log W changes by at most |dy|/b, and |W(x + iτ)| lies between cos(τ/b) W(x) and W(x). The
integral of the largest of several W is known in closed form (Result 3.4).
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.law import log_mix

_NODES: Final = 16
_BELOW_ROUNDING: Final = 42.0
"""Nats by which the bound of a rule with fewer nodes than the most is to be below what it integrates: e^-42 is a
hundredth of a rounding."""
_DEEP: Final = 45
HEIGHT: Final = 1.2
"""Height of the ellipse on which an integrand is bounded, over b: below π/2, where a W may vanish. It reaches no
further beyond the cell."""

Pointwise: TypeAlias = Callable[[Array], Array]
Rule: TypeAlias = Callable[[Array, Array, float], tuple[Array, Array]]
"""Returns ∫ φ over one piece of at most one b, per unit of 2b, from log W at its ends; with a bound on its error."""


def over_pieces(left: Array, right: Array, decay: float, at: Pointwise, rule: Rule) -> tuple[Array, Array]:
    """Returns ∫ φ over cells, per unit of 2b, with a bound on its error, (cells,).

    φ is convex, homogeneous and non-negative.

    Args:
        left: log W at the left knots (secrets, cells).
        right: log W at the right knots (secrets, cells).
        decay: The cells' width over b.
        at: Computes φ of likelihoods given as logs.
        rule: Integrates φ over one piece of a cell, of at most one b.
    """
    parts = max(1, math.ceil(decay))
    total, error = np.zeros(left.shape[1:]), np.zeros(left.shape[1:])
    ends_only = parts > 2 * _DEEP
    if ends_only:
        # Because everything around the middle of a deep cell is e^{-DEEP} of its ends: chords bound it, 0 from below.
        inner = [between(left, right, decay, cut / parts) for cut in (_DEEP, parts - _DEEP)]
        half = (at(inner[0]) + at(inner[1])) / 4
        total, error = total + half, error + half
    for part in [*range(_DEEP), *range(parts - _DEEP, parts)] if ends_only else range(parts):
        ends = [between(left, right, decay, (part + end) / parts) for end in (0, 1)]
        mass, bound = rule(ends[0], ends[1], decay / parts)
        total, error = total + mass, error + bound
    return total, error


def gauss(
    left: Array,
    right: Array,
    decay: float,
    at: Callable[[Array], tuple[Array, Array]],
    largest: Array,
    height: float = HEIGHT,
) -> tuple[Array, Array]:
    """Integrates φ over one piece of each cell by Gauss's rule, per unit of 2b, with a bound on its error, (cells,).

    Args:
        left: log W at the left ends (secrets, cells).
        right: log W at the right ends (secrets, cells).
        decay: The pieces' width over b, at most 1.
        at: φ and a bound on its rounding.
        largest: A bound of |φ| on the ellipse of this height (cells,).
        height: The ellipse's height, over b: HEIGHT, or less for a φ that grows faster than the likelihoods.
    """
    reach = min(2 * height / decay, 1e6)
    radius = reach + math.sqrt(reach**2 + 1)
    # Because narrow cells need few nodes: more would add nothing that is above a rounding.
    count = min(_NODES, math.ceil(_BELOW_ROUNDING / (2 * math.log(radius))))
    total, error = np.zeros(left.shape[1:]), np.zeros(left.shape[1:])
    for node, weight in zip(*_nodes(count), strict=True):
        value, off = at(between(left, right, decay, (1 + node) / 2))
        total, error = total + weight / 2 * value, error + weight / 2 * off
    bound = 64 / 15 * largest * radius ** (-2 * count) / (1 - radius**-2)
    return total * decay / 2, (bound / 2 + error) * decay


@lru_cache(maxsize=_NODES)
def _nodes(count: int) -> tuple[list[float], list[float]]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes.tolist(), weights.tolist()


def between(left: Array, right: Array, decay: float, fraction: float) -> Array:
    """Returns log W at a `fraction` of the way between two knots, from log W at the knots, `left` and `right`.

    `decay` is the distance of the knots over b. The only answer is at the left knot: midway through a cell of one b
    its likelihood has fallen by a factor e^-1/2.

    >>> between(np.array([0.0]), np.array([-1.0]), 1.0, 0.5).round(9).tolist()
    [-0.5]
    """
    # So that a loss at an exact answer's place stays what it is there: the knots themselves, without a rounding.
    if fraction in (0.0, 1.0):
        return right if fraction else left
    inside: Array = np.logaddexp(left + _hat(decay, 1 - fraction), right + _hat(decay, fraction))
    return inside


def _hat(decay: float, fraction: float) -> float:
    """Returns the log of sinh(fraction·decay) / sinh(decay)."""
    # Because sinh of a cell of a thousand b overflows, these are falling exponentials.
    grown = -math.expm1(-2 * fraction * decay) / -math.expm1(-2 * decay)
    return math.log(grown) - (1 - fraction) * decay


def largest_over_cell(left: Array, right: Array, decay: float) -> Array:
    """Returns ∫ max_s W_s over the cell, per unit of 2b, (cells,).

    `left` and `right` are log W_s at the knots, (secrets, cells). At u of the way W_s is the knots' values times
    sinh(decay - u) and sinh(u) over sinh(decay), `decay` the width over b: but for a common factor a line in θ =
    sinh(u) / (sinh(u) + sinh(decay - u)). So the largest is an upper envelope of lines, walked from left to right:
    from the winner at hand to the line that crosses it first. A wrong turn next to a crossing costs rounding.

    A bit's two likelihoods, each ahead in its half of the cell: ∫ max(e^-u, e^(u-1)) du / 2 = 1 - e^-1/2.

    >>> largest_over_cell(np.array([[0.0], [-1.0]]), np.array([[-1.0], [0.0]]), 1.0).round(9).tolist()
    [0.39346934]
    """
    top = np.maximum(np.max(left, axis=0), np.max(right, axis=0))
    top = np.where(top > -np.inf, top, 0.0)
    start, end = np.exp(left - top), np.exp(right - top)
    total = np.zeros(left.shape[1])
    for active, own, since, until in _winners(start, end):
        total[active] += _area(start[own, active], end[own, active], since, until, decay)
    return total * np.exp(top)


def _winners(start: Array, end: Array) -> Iterator[tuple[IntArray, IntArray, Array, Array]]:
    """Walks the upper envelope of the lines from `start` to `end` (lines, cells), from left to right.

    Yields which cells, their winners, and the shares since and until which these are the largest.
    """
    cells = np.arange(start.shape[1])
    # The first is the winner at the left knot, or, among equals, the one that rises most.
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
        # Because lines may cross at one point, as for secrets with the same law: the steepest goes on.
        steepest = np.where(crossing == following, later, -1.0)
        winner[active] = np.where(following <= 1.0, np.argmax(steepest, axis=0), own)
        active = active[following < 1.0]


def _area(start: Array, end: Array, since: Array, until: Array, decay: float) -> Array:
    """Returns ∫ of one W between two shares θ, over 2."""
    low, high = _place_of(since, decay), _place_of(until, decay)
    return (start * _rise(decay - high, decay - low, decay) + end * _rise(low, high, decay)) / 2


def _rise(low: Array, high: Array, decay: float) -> Array:
    """Returns (cosh(high) - cosh(low)) / sinh(decay), for 0 <= low <= high <= decay."""
    high = np.maximum(high, low)
    sum_, difference = (high + low) / 2, (high - low) / 2
    grown = np.expm1(-2 * sum_) * np.expm1(-2 * difference) / -math.expm1(-2 * decay)
    return np.asarray(np.exp(high - decay) * grown)


def _place_of(share: Array, decay: float) -> Array:
    """Returns u from θ."""
    with np.errstate(divide="ignore"):
        return place_at(np.log(share) - np.log1p(-share), decay)


def place_at(log_odds: Array, decay: float) -> Array:
    """Returns u from the log-odds `log_odds` of θ = sinh(u)/(sinh(u) + sinh(decay - u)), to full relative accuracy."""
    # Because a difference of logs would cancel in narrow cells, wide ones alone take it; narrow ones take tanh u,
    # below.
    if decay > 1.0:
        inner = np.clip(log_odds, -1e9, 1e9)
        found = (np.logaddexp(0.0, inner + decay) - np.logaddexp(0.0, inner - decay)) / 2
        return np.asarray(np.where(log_odds == np.inf, decay, np.where(log_odds == -np.inf, 0.0, found)))
    # Because tanh u = ξ sinh d/(1 + ξ cosh d).
    near = np.minimum(log_odds, -log_odds)
    odds = np.exp(near)
    way = np.arctanh(odds * np.sinh(decay) / (1 + odds * np.cosh(decay)))
    return np.asarray(np.where(log_odds <= 0, way, decay - way))


def gain_over_cell(log_prior: Array, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
    """Returns the integral of the gain per unit of 2b, (cells,), with a bound on its error.

    Args:
        log_prior: Log-probabilities of the secrets (secrets,).
        left: log W_s at the left knots (secrets, cells).
        right: log W_s at the right knots (secrets, cells).
        decay: The cells' width over b.
    """

    def most(logs: Array) -> Array:
        """Bounds the gain at `logs` (secrets, ..) by the largest at the knots."""
        return np.asarray(largest * np.exp(log_mix(log_prior, logs)))

    ends = [np.max(each, axis=0) - log_mix(log_prior, each) for each in (left, right)]
    largest = np.maximum(*ends)
    return over_pieces(left, right, decay, most, lambda *piece: _over_part(log_prior, *piece))


def _over_part(log_prior: Array, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
    """Integrates one part, decay <= 1, winner by winner."""
    top = np.maximum(np.max(left, axis=0), np.max(right, axis=0))
    top = np.where(top > -np.inf, top, 0.0)
    start, end = np.exp(left - top), np.exp(right - top)
    prior = np.exp(log_prior)
    mixed = prior @ start, prior @ end
    total, error = np.zeros(left.shape[1]), np.zeros(left.shape[1])
    for active, own, since, until in _winners(start, end):
        low, high = _place_of(since, decay), _place_of(until, decay)
        lines = (start[own, active], end[own, active]), (mixed[0][active], mixed[1][active])
        area, bound = _over_segment(lines[0], lines[1], low, np.maximum(high, low), decay)
        total[active] += area
        error[active] += bound
    return total * np.exp(top), error * np.exp(top)


def _over_segment(
    own: tuple[Array, Array], mixed: tuple[Array, Array], low: Array, high: Array, decay: float
) -> tuple[Array, Array]:
    """Integrates between two places by Gauss–Legendre.

    W = A e^{y/b} + B e^{-y/b} has no zero with |Im y| < πb/2, and on the ellipse of HEIGHT its size is at most
    e^HEIGHT times the larger end's (see `gauss`).
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
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
    bound = 64 / 15 * largest * radius ** (-2 * _NODES) / (1 - radius**-2)
    return total * width / 2, bound * width / 2 + 64 * UNIT * (np.abs(total) + largest) * width


def _value(ends: tuple[Array, Array], at: Array, decay: float) -> Array:
    """Returns W at a place, from the knots."""
    return np.asarray((ends[0] * np.sinh(decay - at) + ends[1] * np.sinh(at)) / math.sinh(decay))


def _integrand(own: Array, mixed: Array) -> Array:
    """Returns W log W_s/W, 0 where either is 0."""
    there = (own > 0) & (mixed > 0)
    return np.asarray(np.where(there, mixed * np.log(np.where(there, own, 1.0) / np.where(there, mixed, 1.0)), 0.0))
