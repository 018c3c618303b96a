"""Bounds of posterior odds of who is absent, and the scales that keep them (DI)."""

from fractions import Fraction
from math import exp, expm1, inf, isfinite, log, log1p
from typing import Final

from dalenius.bounds import UNIT
from dalenius.errors import InputError

_SLACK: Final = 16 * UNIT
"""More than the rounding of the closed forms below."""


def odds_ratio_bound(raised: float, lowered: float, least: float | Fraction = 0.0) -> float:
    """x = Θ/λ: the largest log-ratio, in nats, of two people's likelihoods at which ln(posterior/prior) rises at most
    by `raised` and falls at most by `lowered`, if no prior is below `least`, DI's P_min: at 0 Thm 2, above it Thm 3.

    ln[(1+β)(1-P)/(1-P(1+β))] and ln[(1-P(1-α))/((1-α)(1-P))], written so that they keep their digits when small.

    No chance is to double or to halve, and nobody is less likely to be absent than one in a hundred:

    >>> round(odds_ratio_bound(raised=0.693147, lowered=0.693147, least=0.01), 4)
    0.6982
    """
    odds = float(least / (1 - least))
    falling = lowered + log1p(-expm1(-lowered) * odds)
    taken = odds * expm1(raised) * (1 - _SLACK)  # near 1 a rounding of it counts for much
    rising = raised - log1p(-taken) if taken < 1 else inf  # a posterior cannot rise so far
    return min(rising, falling)


def identifiable_scale(sensitivity: float, alpha: float, beta: float, least: float = 0.0) -> float:
    """λ of DI Thm 2 (least = 0) and Thm 3, rounded up: Θ over the largest log-ratio of likelihoods."""
    return sensitivity / odds_ratio_bound(log1p(beta), -log1p(-alpha), least) * (1 + _SLACK)


def check_beta(beta: float, greatest: float) -> None:
    """InputError for a beta that would let somebody's posterior reach 1: from 1/P_max - 1 on a belief could become
    certainty without breaking the promise (DI Thm 3)."""
    most = (1 - greatest) / greatest
    if beta >= most:
        wanted = f"less than 1/P_max - 1 = {most:.6g} (the likeliest person's prior is {greatest:g})"
        raise InputError("notion.beta", beta, wanted)


def posterior_odds_bound(nats: float, greatest: Fraction) -> float:
    """x = Θ/λ: by how much anybody's log-odds may rise where -ln(1 - posterior) may be so many nats, and nobody's prior
    is above `greatest`: ln[ρ(1-P)/((1-ρ)P)]."""
    return log(expm1(nats)) - log(greatest / (1 - greatest))


def posterior_at(epsilon: float, prior: float, steps: float = 1.0) -> float:
    """The highest probability of being the absent one that somebody of that prior can reach: P/(P + e^{-x}(1-P)) with
    x = ε·steps. `prior`: the largest of anybody, 1/n for a uniform prior. InputError for numbers out of range."""
    _check(prior, steps, epsilon)
    # Who cannot be the absent one stays so: at an ε of a thousand the quotient would be 0/0.
    return prior / (prior + exp(-epsilon * steps) * (1 - prior)) if prior > 0 else 0.0


def epsilon_for_posterior(rho: float, prior: float, steps: float = 1.0) -> float:
    """The ε at which nobody's probability rises above rho: ln[ρ(1-P)/((1-ρ)P)]/steps. InputError for a rho that is not
    above the prior, or not below 1."""
    _check(prior, steps)
    if not (isfinite(rho) and prior < rho < 1):
        raise InputError("rho", rho, f"a probability above {prior:g}, the largest prior, and below 1")
    if prior == 0:
        raise InputError("prior", prior, "the largest prior of anybody, above 0")
    return posterior_odds_bound(-log1p(-rho), Fraction(prior)) / steps


def identifiability_at(epsilon: float, least: float, steps: float = 1.0) -> tuple[float, float]:
    """The α and β that hold: 1 - 1/(P + e^x(1-P)) and 1/(P + e^{-x}(1-P)) - 1, P the least positive prior of anybody.
    InputError for numbers out of range."""
    _check(least, steps, epsilon)
    x = epsilon * steps
    # Beyond 700 nats, where a search for an ε may pass, e^x is no double: a chance may fall to nothing.
    fallen = -expm1(-x) * (1 - least)
    grown = expm1(x) * (1 - least) if x < 700 else inf
    return (grown / (1 + grown) if grown < inf else 1.0), fallen / (1 - fallen)


def epsilon_for_identifiability(alpha: float, beta: float, least: float, steps: float = 1.0) -> float:
    """The ε that keeps α and β (DI Thm 4, eq. 24, where 1/steps is Δ/Θ). InputError for numbers out of range."""
    _check(least, steps)
    if not 0 < alpha < 1:
        raise InputError("alpha", alpha, "a number above 0 and below 1")
    if not (isfinite(beta) and beta > 0):
        raise InputError("beta", beta, "a finite number above 0")
    return odds_ratio_bound(log1p(beta), -log1p(-alpha), Fraction(least)) / steps


def _check(prior: float, steps: float, epsilon: float = 1.0) -> None:
    """InputError unless the last two are finite numbers above 0; for what is no probability, and for 1: who is absent
    would be known already."""
    for key, value in (("epsilon", epsilon), ("steps", steps)):
        if not (isfinite(value) and value > 0):
            raise InputError(key, value, "a finite number above 0")
    if not 0 <= prior < 1:
        raise InputError("prior", prior, "a probability of at least 0 and below 1")
