"""Integrals over all outputs of Gaussian noise of the largest of several likelihoods, as enclosures."""

from collections.abc import Sequence
from math import expm1
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.gaussian_noise.envelope import Envelope
from dalenius.laws.gaussian_noise.likelihood import Normal, Reading

SMALLEST: Final = 1e-300
"""Less than this is lost to underflow."""


def largest_integral(normal: Normal, first: Reading, weights: Sequence[float]) -> Enclosure:
    """∫ max_s e^{weights_s} W(y|s) dy."""
    doubt = normal.law.error + 2 * first.error
    found = Envelope(normal, range(len(weights)), weights, doubt).partition(first)
    inside, error = normal.between(found.low, found.high)
    masses = np.exp(np.array(weights))[:, None] * normal.masses[: len(weights)]
    own = masses[found.winner]
    value, off = float(np.sum(own * inside)), float(np.sum(own * error))
    off += value * (expm1(normal.law.error) + _rounded(normal))
    missing = _missing(normal)
    return Enclosure(max(value - off, 0.0), value + off + 1.01 * found.excess + missing)


def lead_integral(normal: Normal, first: Reading, secret: int, against: int, epsilon: float) -> Enclosure:
    """∫ max(W(y|secret) - e^epsilon W(y|against), 0) dy: between the crossings it is a sum of Φ's."""
    doubt = normal.law.error + 2 * first.error + 4 * epsilon * UNIT
    found = Envelope(normal, [secret, against], [0.0, epsilon], doubt, of=0).partition(first)
    won = found.winner == 0
    inside, error = normal.between(found.low[won], found.high[won])
    raised = normal.law.base + normal.rows[against] + epsilon
    more, less = normal.masses[secret], np.exp(np.minimum(raised, 700.0))
    value = float(np.sum(inside @ more)) - float(np.sum(inside @ less))
    both = more + less
    relative = 1.01 * (expm1(normal.law.error) + _rounded(normal) + 4 * epsilon * UNIT)
    off = float(np.sum(error @ both)) + float(np.sum(inside @ both)) * relative
    missing = _missing(normal)
    lower = value - off - (missing * float(np.exp(min(epsilon, 700.0))) if missing else 0.0)
    upper = value + off + 1.01 * found.excess + missing + SMALLEST
    return Enclosure(min(max(lower, 0.0), 1.0), min(max(upper, SMALLEST), 1.0))


def _missing(normal: Normal) -> float:
    """All of the law's unresolved mass, at most."""
    return float(np.sum(normal.masses[-1])) if normal.missing else 0.0


def _rounded(normal: Normal) -> float:
    depth = float(np.max(np.abs(normal.law.base))) + 64
    return (2 * normal.length + 4 * depth) * UNIT
