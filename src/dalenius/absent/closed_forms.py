"""Noise and what it hides of who is absent, both ways: the scale that bounds ln(posterior/prior) (DI Thm 2, 3), and
probabilities of being the absent one from an ε of differential privacy (DI Thm 4; Lee & Clifton 2012).

Under ε-differential privacy the likelihoods of two tables differ by a factor of at most e^{ε·steps}, where `steps` is
the number of steps between neighbours from D∖i to D∖j: 1 where neighbours differ in one record's value, 2 where they
differ in one record's presence; for Laplace noise of scale Δ/ε exactly Θ/Δ. Nothing else of the mechanism matters, so
these are bounds, for the worst table; `exact` calibration knows the table.
"""

from fractions import Fraction
from math import exp, expm1, inf, isfinite, log, log1p
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


def odds_apart(nats: float, greatest: Fraction) -> float:
    """x = Θ/λ: by how much anybody's log-odds may rise where -ln(1 - posterior) may be so many nats, and nobody's prior
    is above `greatest`: ln[ρ(1-P)/((1-ρ)P)]."""
    return log(expm1(nats)) - log(greatest / (1 - greatest))


def posterior_at(epsilon: float, prior: float, steps: float = 1.0) -> float:
    """The highest probability of being the absent one that somebody of that prior can reach: P/(P + e^{-x}(1-P)) with
    x = ε·steps. `prior`: the largest of anybody, 1/n for a uniform prior. InputError for numbers out of range."""
    _check(epsilon, steps)
    _check_prior(prior)
    return prior / (prior + exp(-epsilon * steps) * (1 - prior)) if prior > 0 else 0.0


def epsilon_for_posterior(rho: float, prior: float, steps: float = 1.0) -> float:
    """The ε at which nobody's probability rises above rho: ln[ρ(1-P)/((1-ρ)P)]/steps. InputError for a rho that is not
    above the prior, or not below 1."""
    _check(1.0, steps)
    _check_prior(prior)
    if not (isfinite(rho) and prior < rho < 1):
        raise InputError("rho", rho, f"a probability above {prior:g}, the largest prior, and below 1")
    if prior == 0:
        raise InputError("prior", prior, "the largest prior of anybody, above 0")
    return odds_apart(-log1p(-rho), Fraction(prior)) / steps


def identifiability_at(epsilon: float, least: float, steps: float = 1.0) -> tuple[float, float]:
    """The α and β that hold: 1 - 1/(P + e^x(1-P)) and 1/(P + e^{-x}(1-P)) - 1, P the least positive prior of anybody.
    InputError for numbers out of range."""
    _check(epsilon, steps)
    _check_prior(least)
    x = epsilon * steps
    fallen = -expm1(-x) * (1 - least)
    grown = expm1(x) * (1 - least) if x < 700 else float("inf")
    return (grown / (1 + grown) if isfinite(grown) else 1.0), fallen / (1 - fallen)


def epsilon_for_identifiability(alpha: float, beta: float, least: float, steps: float = 1.0) -> float:
    """The ε that keeps α and β (DI Thm 4, eq. 24, where 1/steps is Δ/Θ). InputError for numbers out of range."""
    _check(1.0, steps)
    _check_prior(least)
    if not 0 < alpha < 1:
        raise InputError("alpha", alpha, "a number above 0 and below 1")
    if not (isfinite(beta) and beta > 0):
        raise InputError("beta", beta, "a finite number above 0")
    return apart(log1p(beta), -log1p(-alpha), Fraction(least)) / steps


def _check(epsilon: float, steps: float) -> None:
    for key, value in (("epsilon", epsilon), ("steps", steps)):
        if not (isfinite(value) and value > 0):
            raise InputError(key, value, "a finite number above 0")


def _check_prior(prior: float) -> None:
    if not 0 <= prior < 1:
        raise InputError("prior", prior, "a probability of at least 0 and below 1")
