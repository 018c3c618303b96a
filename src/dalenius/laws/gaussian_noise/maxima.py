"""Integrals over all outputs of Gaussian noise of the largest of several likelihoods, as enclosures."""

from collections.abc import Sequence
from math import expm1, inf
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.gaussian_noise.envelope import Envelope
from dalenius.laws.gaussian_noise.likelihood import Normal, Reading

SMALLEST: Final = 1e-300
"""Less than this is lost to underflow."""
ALIKE: Final = 1e-10
MOST_COMPARED: Final = 50_000_000
ALIKE_BUT_FOR_DOUBT: Final = 4.0
"""Of two laws that differ by no more, in the doubt of a log, no cell would be fine enough to say which is larger."""


def largest_integral(normal: Normal, first: Reading, weights: Sequence[float]) -> Enclosure:
    """∫ max_s e^{weights_s} W(y|s) dy."""
    doubt = normal.law.error + 2 * first.error
    kept = contenders(normal, weights, ALIKE)
    masses = np.exp(np.array(weights)[kept])[:, None] * normal.masses[kept]
    excess = off = 0.0
    if len(kept) == 1:
        value = float(np.sum(masses))
    else:
        found = Envelope(normal, kept, [weights[each] for each in kept], doubt).partition(first)
        inside, error = normal.between(found.low, found.high)
        own = masses[found.winner]
        value, off, excess = float(np.sum(own * inside)), float(np.sum(own * error)), found.excess
    off += value * (expm1(normal.law.error) + _rounded(normal))
    left_out = 1.01 * ALIKE * value if len(kept) < len(weights) else 0.0
    return Enclosure(max(value - off, 0.0), value + off + 1.01 * excess + left_out + _missing(normal))


def contenders(normal: Normal, weights: Sequence[float], alike: float) -> list[int]:
    """Without those that another is above at every exact answer, up to so many nats: at every output, then. Where two
    hardly differ, it would take the finest of cells to tell which is the largest."""
    count = len(weights)
    if count**2 * normal.length > MOST_COMPARED:
        return list(range(count))
    logs = normal.rows[:count] + np.array(weights)[:, None]
    kept: list[int] = []
    for each in np.argsort(-np.array(weights), kind="stable"):
        if not any(np.all(logs[each] <= logs[other] + alike) for other in kept):
            kept.append(int(each))
    return sorted(kept)


def lead_integral(normal: Normal, first: Reading, secret: int, against: int, epsilon: float) -> Enclosure:
    """∫ max(W(y|secret) - e^epsilon W(y|against), 0) dy: between the crossings it is a sum of Φ's."""
    doubt = normal.law.error + 2 * first.error + 4 * epsilon * UNIT
    missing = _missing(normal)
    most = _furthest_ahead(normal, secret, against, epsilon) + 2 * doubt
    largest = -expm1(-most) * (1 + _rounded(normal)) + missing + SMALLEST
    if most <= ALIKE_BUT_FOR_DOUBT * doubt:
        return Enclosure(0.0, min(largest, 1.0))
    found = Envelope(normal, [secret, against], [0.0, epsilon], doubt, of=0).partition(first)
    won = found.winner == 0
    inside, error = normal.between(found.low[won], found.high[won])
    raised = normal.law.base + normal.rows[against] + epsilon
    more, less = normal.masses[secret], np.exp(np.minimum(raised, 700.0))
    value = float(np.sum(inside @ more)) - float(np.sum(inside @ less))
    both = more + less
    relative = 1.01 * (expm1(normal.law.error) + _rounded(normal) + 4 * epsilon * UNIT)
    off = float(np.sum(error @ both)) + float(np.sum(inside @ both)) * relative
    lower = value - off - (missing * float(np.exp(min(epsilon, 700.0))) if missing else 0.0)
    upper = min(value + off + 1.01 * found.excess + missing + SMALLEST, largest)
    return Enclosure(min(max(lower, 0.0), 1.0), min(max(upper, SMALLEST), 1.0))


def _furthest_ahead(normal: Normal, secret: int, against: int, epsilon: float) -> float:
    """How many nats W(y|secret) is above e^epsilon W(y|against) at any output, at most, or 0: both are mixtures over
    the exact answers, and are nowhere further apart than there."""
    one, other = normal.rows[secret], normal.rows[against]
    there = one > -inf
    return max(float(np.max(one[there] - other[there], initial=-inf)) - epsilon, 0.0)


def _missing(normal: Normal) -> float:
    """All of the law's unresolved mass, at most."""
    return float(np.sum(normal.masses[-1])) if normal.missing else 0.0


def _rounded(normal: Normal) -> float:
    depth = float(np.max(np.abs(normal.law.base))) + 64
    return (2 * normal.length + 4 * depth) * UNIT
