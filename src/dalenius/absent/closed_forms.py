"""The scale of Laplace or geometric noise that bounds ln(posterior/prior) of who is absent (DI Thm 2, 3)."""

from fractions import Fraction
from math import expm1, inf, log1p
from typing import Final

from dalenius.bounds import UNIT
from dalenius.errors import InputError

SLACK: Final = 16 * UNIT
"""More than the rounding of the closed forms below."""


def apart(raised: float, lowered: float, least: float | Fraction = 0.0) -> float:
    """x = Θ/λ: the largest log-ratio, in nats, of two people's likelihoods at which ln(posterior/prior) rises at most
    by `raised` and falls at most by `lowered`, if no prior is below `least`, DI's P_min: at 0 Thm 2, above it Thm 3.

    ln[(1+β)(1-P)/(1-P(1+β))] and ln[(1-P(1-α))/((1-α)(1-P))], written so that they keep their digits when small.
    """
    odds = float(least / (1 - least))
    falling = lowered + log1p(-expm1(-lowered) * odds)
    taken = odds * expm1(raised) * (1 - SLACK)  # near 1 a rounding of it counts for much
    rising = raised - log1p(-taken) if taken < 1 else inf  # a posterior cannot rise so far
    return min(rising, falling)


def identifiable_scale(sensitivity: float, alpha: float, beta: float, least: float = 0.0) -> float:
    """λ of DI Thm 2 (least = 0) and Thm 3, rounded up: Θ over the largest log-ratio of likelihoods."""
    return sensitivity / apart(log1p(beta), -log1p(-alpha), least) * (1 + SLACK)


def largest_beta(greatest: float) -> float:
    """1/P_max - 1: from there on a belief could become certainty without breaking the promise (DI Thm 3)."""
    return (1 - greatest) / greatest


def check_beta(beta: float, greatest: float) -> None:
    """InputError, naming the largest allowed, for a beta that would let somebody's posterior reach 1."""
    if beta >= largest_beta(greatest):
        wanted = f"less than 1/P_max - 1 = {largest_beta(greatest):.6g} (the likeliest person's prior is {greatest:g})"
        raise InputError("notion.beta", beta, wanted)
