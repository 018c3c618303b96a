"""Gaussian noise: the probability of an output that raises some secret's probability by a given factor.

The log-ratio of W(y|s) and the mixture has the slope (E_s[v|y] - E[v|y])/σ², and both means rise in y (Result 3.3): on
a cell both are between those at its ends, and so is the slope. Cells on which that does not decide are cut.
"""

from math import expm1
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.gaussian_noise.likelihood import Normal, Reading
from dalenius.laws.law import Array

FAR: Final = 10.0
"""How many σ beyond the outermost answers cells are looked at: outputs further out have a probability below 1e-22."""
ROUNDS: Final = 40
NEGLIGIBLE: Final = 1e-15
FINER: Final = 4
MOST: Final = 4096
"""Cells that are cut at once: with more, what they hold stays open."""


def exceeding_mass(normal: Normal, nodes: Array, log_prior: Array, level: float, doubt: float) -> Enclosure:
    """Pr[max_s log W(Y|s) - log W(Y) >= level]; nodes: where to begin, at least two; doubt: in nats, of every log W
    beyond the law's own error."""
    if normal.missing:
        return Enclosure(0.0, 1.0)
    both = normal.with_row(log_prior)
    masses = np.exp(np.minimum(normal.law.base + both.rows[-1], 0.0))
    around = np.arange(FAR, 0.0, -0.5) * normal.scale
    edges = np.concatenate([nodes[0] - around, nodes, nodes[-1] + around[::-1]])
    low, high = edges[:-1], edges[1:]
    inside = slack = left = 0.0
    error = 2 * (normal.law.error + doubt)
    for _ in range(ROUNDS):
        least, most, rounding = _bounds(both, low, high, error)
        weight, off = normal.between(low, high)
        share, doubtful = weight @ masses, off @ masses
        within, undecided = least >= level, (least < level) & (most >= level)
        inside += float(np.sum(share[within]))
        slack += float(np.sum(doubtful[within]))
        # Cutting does not help where rounding alone leaves it open.
        final = undecided & ((most - least <= 4 * rounding) | (share <= NEGLIGIBLE / len(low)))
        left += float(np.sum((share + doubtful)[final]))
        low, high = low[undecided & ~final], high[undecided & ~final]
        parts = np.linspace(low, high, FINER + 1)
        if not len(low) or len(low) > MOST or not np.all(np.diff(parts, axis=0) > 0):
            break
        low, high = parts[:-1].T.ravel(), parts[1:].T.ravel()
    if len(low):
        weight, off = normal.between(low, high)
        left += float(np.sum((weight + off) @ masses))
    left += float(np.sum(masses)) * 2e-23
    slack += inside * (1.01 * expm1(min(error, 1.0)) + (4 * normal.length + 256) * UNIT)
    return Enclosure(max(inside - slack, 0.0), min(inside + slack + left * 1.01, 1.0))


def _bounds(both: Normal, low: Array, high: Array, error: float) -> tuple[Array, Array, float]:
    """On each interval, a lower and an upper bound of the largest secret's log-ratio to the mixture; and how much of
    their distance is rounding on either side."""
    left, right = both.read(low), both.read(high)
    width = high - low
    least_slope = (left.mean[:-1] - right.mean[-1]) / both.scale**2
    most_slope = (right.mean[:-1] - left.mean[-1]) / both.scale**2
    first, last = _gain(left), _gain(right)
    doubt = error + 2 * (left.error + right.error)
    least = np.maximum(first + np.minimum(least_slope, 0.0) * width, last - np.maximum(most_slope, 0.0) * width)
    most = np.minimum(first + np.maximum(most_slope, 0.0) * width, last - np.minimum(least_slope, 0.0) * width)
    return np.max(least, axis=0) - doubt, np.max(most, axis=0) + doubt, doubt


def _gain(reading: Reading) -> NDArray[np.float64]:
    return np.asarray(reading.logs[:-1] - reading.logs[-1])
