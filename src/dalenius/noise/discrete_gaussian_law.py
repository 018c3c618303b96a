"""The discrete Gaussian law of the whole numbers k, whose probabilities are proportional to e^{-k²/2σ²}."""

from fractions import Fraction
from math import ceil, exp, log, log1p, pi, sqrt
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.noise.error_law import SURE, gaussian_beyond

FAR: Final = 40
"""Deviations beyond which all noise together has a chance of e^-800: no double is as small."""
_LISTED: Final = 1e4
"""Deviations, in steps, up to which sums over the noise are added up term by term."""


def log_total(deviation: float) -> float:
    """Returns log Σ_k e^{-k²/2σ²} over all whole numbers, σ = `deviation`.

    Above 3 it is log σ√2π to every digit (Poisson's summation).
    """
    if deviation > 3:
        return log(deviation * sqrt(2 * pi))
    k = np.arange(1, ceil(FAR * deviation) + 1)
    return log1p(2 * float(np.sum(np.exp(-(k**2) / (2 * deviation**2)))))


def mean_steps(deviation: float) -> float:
    """Returns E|k|; with many steps in a deviation by the rule of Euler and Maclaurin."""
    if deviation > _LISTED:
        return 2 * (deviation**2 - 1 / 12) * exp(-log_total(deviation))
    k = np.arange(1, ceil(FAR * deviation) + 1)
    return 2 * float(np.sum(k * np.exp(-(k**2) / (2 * deviation**2)))) * exp(-log_total(deviation))


def log_tail(steps: int, deviation: float) -> Enclosure:
    """Encloses log Pr[|k| >= steps], σ = `deviation`."""
    if steps <= 0:
        return SURE
    # Because e^{-x²/2σ²} falls, a sum from m on lies between the integrals from m and from m - 1.
    if deviation > _LISTED:
        low, high = (gaussian_beyond(Fraction(start), deviation) for start in (steps, steps - 1))
        return Enclosure(low.lower, min(high.upper, 0.0))
    # Relative to the first term, those nine deviations further on are below e^-40.
    k = np.arange(ceil(9 * deviation) + 2, dtype=np.float64)
    terms = np.exp(-k * (2 * steps + k) / (2 * deviation**2))
    first = steps**2 / (2 * deviation**2)
    found = log(2 * float(np.sum(terms))) - first - log_total(deviation)
    lower, upper = around(found, (64 + 4 * first + len(k)) * UNIT)
    return Enclosure(min(lower, 0.0), min(upper, 0.0))


def reach(deviation: float, missed: Fraction) -> int:
    """Returns the least m with Pr[|k| > m] <= missed, σ = `deviation`; one more where rounding leaves it open."""
    wanted = log(missed)
    low, high = -1, 1
    while log_tail(high + 1, deviation).upper > wanted:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if log_tail(middle + 1, deviation).upper <= wanted else (middle, high)
    return high
