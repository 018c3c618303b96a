"""Bounds on the posterior odds of who is absent, and the noise scales that keep them (DI; Lee & Clifton 2012).

One part gives the scale that bounds ln(posterior/prior) (DI Thm 2, 3). The other turns an ε of differential privacy
into probabilities of being the absent one, for any mechanism, and back (DI Thm 4).

Under ε-differential privacy the likelihoods of two tables differ by a factor of at most e^{ε·steps}. Here `steps` is
the number of steps between neighbours from D∖i to D∖j: 1 where neighbours differ in one record's value, 2 where they
differ in one record's presence; for Laplace noise of scale Δ/ε exactly Θ/Δ. Nothing else about the mechanism matters,
so these are bounds for the worst table. Only `exact` calibration knows the table.
"""

from fractions import Fraction
from math import exp, expm1, inf, isfinite, log, log1p
from typing import Final

from dalenius.bounds import UNIT
from dalenius.errors import InputError

_SLACK: Final = 16 * UNIT
"""A relative slack, more than the rounding of the closed forms below."""


def odds_ratio_bound(raised: float, lowered: float, least: float | Fraction = 0.0) -> float:
    """Returns x = Θ/λ, the largest log-ratio of two people's likelihoods that keeps two bounds on ln(posterior/prior).

    x is the lesser of ln[(1+β)(1-P)/(1-P(1+β))] and ln[(1-P(1-α))/((1-α)(1-P))] (DI Thm 2 for P = 0, Thm 3 above it).
    The code writes them so that they keep their digits when small.

    Args:
        raised: The most by which ln(posterior/prior) may rise, ln(1 + β), in nats.
        lowered: The most by which it may fall, -ln(1 - α), in nats.
        least: P, a lower bound on everybody's prior, DI's P_min.

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
    """Returns the scale λ of DI Thm 2 (`least` = 0) and Thm 3, rounded up.

    Args:
        sensitivity: Θ, how far two people's absences move the answer apart, in the query's unit.
        alpha: α, above 0 and below 1: a probability may fall to (1 - α) times what it was.
        beta: β, above 0: a probability may grow to (1 + β) times what it was.
        least: P_min, a lower bound on everybody's prior; 0 for any prior.

    Returns:
        Θ over the largest log-ratio of likelihoods, in the query's unit.
    """
    return sensitivity / odds_ratio_bound(log1p(beta), -log1p(-alpha), least) * (1 + _SLACK)


def check_beta(beta: float, greatest: float) -> None:
    """Raises InputError for a beta that would let somebody's posterior reach 1.

    From 1/P_max - 1 on a belief could become certainty without breaking the promise (DI Thm 3).

    Args:
        beta: β, above 0: a probability may grow to (1 + β) times what it was.
        greatest: P_max, the largest prior of anybody.
    """
    most = (1 - greatest) / greatest
    if beta >= most:
        wanted = f"less than 1/P_max - 1 = {most:.6g} (the likeliest person's prior is {greatest:g})"
        raise InputError("notion.beta", beta, wanted)


def posterior_odds_bound(nats: float, greatest: Fraction) -> float:
    """Returns x = Θ/λ, how far anybody's log-odds may rise: ln[ρ(1-P)/((1-ρ)P)], in nats.

    Args:
        nats: The largest -ln(1 - posterior) that is allowed, -ln(1 - ρ).
        greatest: P, the largest prior of anybody.
    """
    return log(expm1(nats)) - log(greatest / (1 - greatest))


def posterior_at(epsilon: float, prior: float, steps: float = 1.0) -> float:
    """Returns the highest posterior probability of being the absent one: P/(P + e^{-x}(1-P)) with x = ε·steps.

    Args:
        epsilon: ε of differential privacy, in nats.
        prior: P, the largest prior probability of anybody, at least 0 and below 1; 1/n for a uniform prior of n people.
        steps: Θ/Δ, how many steps between neighbours lie between two people's absences: 1 (the default) where
            neighbours differ in one record's value, 2 where they differ in one record's presence.

    Returns:
        The probability.

    Raises:
        InputError: If a number is out of range.

    Example:
        >>> import dalenius as dl
        >>> round(dl.posterior_at(1.0, prior=0.01), 4)
        0.0267

    Notes:
        Lee and Clifton 2012; DI §1. The adversary knows everybody's record, and not who is absent.
    """
    _check(prior, steps, epsilon)
    # So that a prior of 0 stays 0: at an ε of a thousand the quotient would be 0/0.
    return prior / (prior + exp(-epsilon * steps) * (1 - prior)) if prior > 0 else 0.0


def epsilon_for_posterior(rho: float, prior: float, steps: float = 1.0) -> float:
    """Returns the ε at which nobody's posterior rises above rho: ln[ρ(1-P)/((1-ρ)P)]/steps.

    Args:
        rho: ρ, the largest posterior probability of being the absent one, above the prior and below 1.
        prior: P, the largest prior probability of anybody, above 0; 1/n for a uniform prior of n people.
        steps: Θ/Δ, how many steps between neighbours lie between two people's absences: 1 (the default) where
            neighbours differ in one record's value, 2 where they differ in one record's presence.

    Returns:
        ε of differential privacy, in nats.

    Raises:
        InputError: If a number is out of range.

    Example:
        >>> import dalenius as dl
        >>> round(dl.epsilon_for_posterior(0.1, prior=0.01), 4)
        2.3979

    Notes:
        Lee and Clifton 2012; the inverse of `posterior_at`.
    """
    _check(prior, steps)
    if not (isfinite(rho) and prior < rho < 1):
        raise InputError("rho", rho, f"a probability above {prior:g}, the largest prior, and below 1")
    if prior == 0:
        raise InputError("prior", prior, "the largest prior of anybody, above 0")
    return posterior_odds_bound(-log1p(-rho), Fraction(prior)) / steps


def identifiability_at(epsilon: float, least: float, steps: float = 1.0) -> tuple[float, float]:
    """Returns the α and β that hold at ε: 1 - 1/(P + e^x(1-P)) and 1/(P + e^{-x}(1-P)) - 1 with x = ε·steps.

    Args:
        epsilon: ε of differential privacy, in nats.
        least: P, the least positive prior probability of anybody, or 0 for none; below 1.
        steps: Θ/Δ, how many steps between neighbours lie between two people's absences: 1 (the default) where
            neighbours differ in one record's value, 2 where they differ in one record's presence.

    Returns:
        α and β: posterior/prior stays between 1 - α and 1 + β.

    Raises:
        InputError: If a number is out of range.

    Example:
        >>> import dalenius as dl
        >>> [round(each, 4) for each in dl.identifiability_at(0.1, least=0.01)]
        [0.0943, 0.104]

    Notes:
        DI Def 4 and Thm 4; the inverse of `epsilon_for_identifiability`.
    """
    _check(least, steps, epsilon)
    x = epsilon * steps
    # Beyond 700 nats, where a search for an ε may pass, e^x is no double, and a chance may fall to nothing.
    fallen = -expm1(-x) * (1 - least)
    grown = expm1(x) * (1 - least) if x < 700 else inf
    return (grown / (1 + grown) if grown < inf else 1.0), fallen / (1 - fallen)


def epsilon_for_identifiability(alpha: float, beta: float, least: float, steps: float = 1.0) -> float:
    """Returns the ε of differential privacy that keeps (α,β)-differential identifiability.

    Args:
        alpha: α, above 0 and below 1: a probability may fall to (1 - α) times what it was.
        beta: β, above 0: a probability may grow to (1 + β) times what it was.
        least: P, the least positive prior probability of anybody, or 0 for none; below 1.
        steps: Θ/Δ, how many steps between neighbours lie between two people's absences: 1 (the default) where
            neighbours differ in one record's value, 2 where they differ in one record's presence.

    Returns:
        ε of differential privacy, in nats.

    Raises:
        InputError: If a number is out of range.

    Example:
        >>> import dalenius as dl
        >>> round(dl.epsilon_for_identifiability(0.5, 1.0, least=0.01), 4)
        0.6982

    Notes:
        DI Thm 4, eq. 24, where 1/steps is Δ/Θ.
    """
    _check(least, steps)
    if not 0 < alpha < 1:
        raise InputError("alpha", alpha, "a number above 0 and below 1")
    if not (isfinite(beta) and beta > 0):
        raise InputError("beta", beta, "a finite number above 0")
    return odds_ratio_bound(log1p(beta), -log1p(-alpha), Fraction(least)) / steps


def _check(prior: float, steps: float, epsilon: float = 1.0) -> None:
    """Raises InputError unless steps and epsilon are finite and above 0, and prior is at least 0 and below 1.

    With a prior of 1, who is absent would be known already.
    """
    for key, value in (("epsilon", epsilon), ("steps", steps)):
        if not (isfinite(value) and value > 0):
            raise InputError(key, value, "a finite number above 0")
    if not 0 <= prior < 1:
        raise InputError("prior", prior, "a probability of at least 0 and below 1")
