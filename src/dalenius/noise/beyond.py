"""How likely an output is at least so far from the exact answer: logs of probabilities, as enclosures."""

from fractions import Fraction
from math import ceil, exp, inf, log, log1p
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.laws.law import Array, IntArray
from dalenius.laws.sumsets import MOST, Sums
from dalenius.noise.rounded import FINENESS
from dalenius.special import log_ndtr

SURE: Final = Enclosure(0.0, 0.0)
NEVER: Final = Enclosure(-inf, -inf)
ROUNDED: Final = 1 / (2 * FINENESS)
"""In scales: how far from a number of the reals what goes out is at most."""
CLOSE: Final = 2.0**-40
"""Relative to the log of a Gaussian tail, far above its rounding in doubles."""


def laplace_beyond(distance: Fraction, scale: float) -> Enclosure:
    """e^{-distance/scale}, of the reals, and of these rounded to the lattice that goes out."""
    depth = float(distance / Fraction(scale))
    return around(-depth, 2 * UNIT * depth + ROUNDED)


def geometric_beyond(steps: int, decay: Fraction) -> Enclosure:
    """Pr[|k| >= steps], steps > 0, of integers k of mass proportional to a^|k|, a = e^{-decay}: 2a^steps/(1+a)."""
    deep, near = float(steps * decay), float(decay)
    found = log(2) - deep - log1p(exp(-near))
    return around(found, 8 * UNIT * (1 + deep))


def gaussian_beyond(distance: Fraction, deviation: float) -> Enclosure:
    """The same of normal noise, of which the log of a tail falls by at most 1 + depth a deviation."""
    depth = float(distance / Fraction(deviation))
    found = log(2) + log_ndtr(-depth)
    return around(found, CLOSE * (1 + abs(found)) + ROUNDED * (1 + depth + ROUNDED))


def one_side(both: Enclosure) -> Enclosure:
    """Of symmetric noise."""
    return Enclosure(*(around(end - log(2), 2 * UNIT * (1 + abs(end)))[side] for side, end in enumerate(both)))


def whole_steps(distance: Fraction, step: Fraction) -> int:
    """The least number of steps that is not below the distance."""
    return ceil(distance / step)


def worst_of(chances: Array, error: float) -> Enclosure:
    """The log of the largest of these probabilities, each known to within a relative error."""
    most = float(np.max(chances, initial=0.0))
    if most == 0:
        return NEVER
    found = around(log(most), error + 2 * UNIT * (1 + abs(log(most))))
    return Enclosure(found.lower, min(found.upper, 0.0))


def listed(answers: Sums | None) -> IntArray | None:
    """These answers one by one; None where there are too many, or any may be one."""
    if answers is None or len(answers) > MOST:
        return None
    return np.asarray(answers, dtype=np.int64)
