"""Where the exact answer lies, given an output: quantiles of noise that is added, and inverted tests for any other.

A test of the answer a at level 1 - c rejects it where the output is among the lowest or the highest (1-c)/2 of what a
gives; the answers that it does not reject hold the true one with probability at least c, whatever that is (Neyman
1937). Of symmetric noise that is added these are the answers within its quantile at c.
"""

from fractions import Fraction
from math import ceil, exp, log, log1p
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.noise.rounded import fine_parts
from dalenius.noise.sampling import float_up
from dalenius.special import ndtri

CLOSE: Final = 2.0**-40
"""Relative to a Gaussian quantile, far above its rounding."""


def missed(confidence: float, key: str = "confidence") -> Fraction:
    """1 - confidence, of the decimal that it is written as. InputError unless confidence lies within (0, 1)."""
    if not 0 < confidence < 1:
        raise InputError(key, confidence, "a number above 0 and below 1")
    return 1 - Fraction(str(confidence))


def outward(lower: Fraction, upper: Fraction) -> Enclosure:
    """The doubles next to these, outside."""
    return Enclosure(0.0 - float_up(-lower), float_up(upper))


def around_output(output: Fraction | str, half: Fraction) -> Enclosure | None:
    """The output with that much on either side; None for a word."""
    return None if isinstance(output, str) else outward(output - half, output + half)


def geometric_reach(scale: float, missed: Fraction) -> int:
    """The least m with Pr[|k| > m] <= missed, for integers k of mass proportional to e^{-|k|/scale}: with a =
    e^{-1/scale} that probability is 2a^{m+1}/(1+a). One more where rounding leaves it open."""
    deep = -log(missed)
    depth = log(2) + deep - log1p(exp(-1 / scale))
    return max(ceil(scale * (depth + 16 * UNIT * (2 + deep))) - 1, 0)


def laplace_reach(step: Fraction, scale: float, missed: Fraction) -> Fraction:
    """A distance, in the unit of step and scale, that Laplace noise exceeds with at most that probability, whether of
    the reals or rounded: a whole number of the steps it is rounded to, so that what is beyond it was so before."""
    fine, drawn = _drawn_with(step, scale)
    return ceil(drawn * -log(missed) * (1 + 8 * UNIT)) * fine


def gaussian_reach(step: Fraction, scale: float, missed: Fraction) -> Fraction:
    """The same of Gaussian noise."""
    fine, drawn = _drawn_with(step, scale)
    quantile = -ndtri(float(missed / 2)) * (1 + CLOSE) + CLOSE
    return ceil(drawn * quantile) * fine


def accepted(at_most: Array, at_least: Array, missed: Fraction, error: float) -> IntArray:
    """Which answers the test leaves, from Pr[output <= this one] and Pr[output >= this one] by answer, each to within a
    relative error; the likeliest to give such an output where it rejects all."""
    nearer = np.minimum(at_most, at_least)
    kept = nearer * (1 + error) > float(missed / 2)
    return np.flatnonzero(kept if kept.any() else nearer * (1 + error) >= nearer.max())


def _drawn_with(step: Fraction, scale: float) -> tuple[Fraction, float]:
    """The step of the lattice that noise of the reals is rounded to, and the scale it is drawn with, in those steps."""
    fine = step / fine_parts(step, scale)
    return fine, float_up(Fraction(scale) / fine)
