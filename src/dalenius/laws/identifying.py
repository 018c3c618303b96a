"""How far apart the answers without different people may lie, in scales of Laplace or geometric noise (DI Thm 2, 3)."""

from math import inf, log1p
from typing import Final

from dalenius.bounds import UNIT
from dalenius.errors import InputError

SLACK: Final = 16 * UNIT
"""More than the rounding of the closed forms below."""


def reach(alpha: float, beta: float, least: float = 0.0) -> float:
    """The most that Θ/λ may be, in nats, so that (1-alpha) prior <= posterior <= (1+beta) prior; rounded down.

    least: a lower bound on every person's prior, DI's P_min; at 0 this is Theorem 2, above 0 Theorem 3, whose
    logarithms are those of 1 + α/((1-α)(1-P)) and 1 + β/(1-P(1+β)).
    """
    lowering = log1p(alpha / ((1 - alpha) * (1 - least)))
    rest = 1 - least * (1 + beta)  # what all others keep when this person is raised as far as may be
    raising = log1p(beta / (max(rest, 0.0) + SLACK)) if rest >= -SLACK else inf
    return min(lowering, raising) * (1 - SLACK)


def identifiable_scale(sensitivity: float, alpha: float, beta: float, least: float = 0.0) -> float:
    """λ of DI Thm 2 (least = 0) and Thm 3, rounded up: Θ over the reach."""
    return sensitivity / reach(alpha, beta, least) * (1 + SLACK)


def largest_beta(greatest: float) -> float:
    """1/P_max - 1: from there on a belief could become certainty without breaking the promise (DI Thm 3)."""
    return (1 - greatest) / greatest


def check_beta(beta: float, greatest: float) -> None:
    """InputError, naming the largest allowed, for a beta that would let somebody's posterior reach 1."""
    if beta >= largest_beta(greatest):
        wanted = f"less than 1/P_max - 1 = {largest_beta(greatest):.6g} (the likeliest person's prior is {greatest:g})"
        raise InputError("notion.beta", beta, wanted)
