"""Gaussian noise at a given distance: the exact privacy profile of Balle and Wang (2018, Theorem 8; Result 7.3)."""

from decimal import Context, Decimal
from fractions import Fraction
from math import exp, expm1, log
from typing import Final

from dalenius.bounds import up_to_digits
from dalenius.errors import InputError
from dalenius.noise.scaled import DIGITS
from dalenius.roots import brentq
from dalenius.special import log_ndtr

TOLERANCE: Final = 1e-11


def gaussian_delta(distance: float, scale: float, epsilon: float) -> float:
    """δ(ε) = Φ(Δ/2s - εs/Δ) - e^ε Φ(-Δ/2s - εs/Δ), to full relative accuracy; falls in s."""
    half, rest = distance / (2 * scale), epsilon * scale / distance
    above, below = float(log_ndtr(half - rest)), float(log_ndtr(-half - rest))
    lead = above - (epsilon + below)
    return exp(above) * -expm1(-lead) if lead > 0 else 0.0


def gaussian_scale(distance: Fraction, epsilon: float, delta: float) -> float:
    """The least s with δ(ε) <= delta, of DIGITS digits, up to rounding."""
    apart = float(distance)

    def gap(log_scale: float) -> float:
        value = gaussian_delta(apart, exp(log_scale), epsilon)
        return (log(value) if value > 0 else -745.0) - log(delta)

    low, high = log(apart) - 60.0, log(apart)
    while gap(high) > 0:
        high += 1.0
        if high > 700:
            raise InputError("notion.delta", delta, "a delta whose noise has a finite scale")
    root = float(brentq(gap, low, high, xtol=TOLERANCE / 4, rtol=1e-15)) if gap(low) > 0 else low
    scale = up_to_digits(exp(root) * (1 - TOLERANCE), DIGITS)
    while gaussian_delta(apart, scale / (1 + TOLERANCE), epsilon) > delta:
        scale = float(Context(prec=DIGITS).next_plus(Decimal(repr(scale))))
    return scale
