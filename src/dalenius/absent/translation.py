"""Probabilities of being the absent one, and ε of differential privacy: both ways (DI Thm 4; Lee & Clifton 2012).

Under ε-differential privacy the likelihoods of two tables differ by a factor of at most e^{ε·steps}, where `steps` is
the number of steps between neighbours from D∖i to D∖j: 1 where neighbours differ in one record's value, 2 where they
differ in one record's presence; for Laplace noise of scale Δ/ε exactly Θ/Δ. Nothing else of the mechanism matters, so
these are bounds, for the worst table; `exact` calibration knows the table.
"""

from fractions import Fraction
from math import exp, expm1, isfinite, log1p

from dalenius.absent.closed_forms import apart
from dalenius.absent.lee_clifton import odds_apart
from dalenius.errors import InputError


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
