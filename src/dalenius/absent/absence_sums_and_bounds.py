"""Exponential-kernel sums and their complements: what Laplace and geometric noise make of point masses.

Σ_j w_j e^{-|a_k - a_j|/b} for all k at once, over the last 1, 2, 4, .. points: a weight passes few roundings, all terms
are positive, and nothing overflows. Where b is large relative to the span of the points these sums are nearly the
total; their complement Σ_j w_j (1 - e^{-|a_k - a_j|/b}) is then summed directly, so that it keeps its digits. At points
0, 1 and 3 of weight 1, with b = 1, what the two others give each is .418, .503 and .185.

From them the scale that bounds ln(posterior/prior) of who is absent (DI Thm 2, 3); and, of any mechanism, probabilities
of being the absent one from an ε of differential privacy, and back (DI Thm 4; Lee & Clifton 2012).

Under ε-differential privacy the likelihoods of two tables differ by a factor of at most e^{ε·steps}, where `steps` is
the number of steps between neighbours from D∖i to D∖j: 1 where neighbours differ in one record's value, 2 where they
differ in one record's presence; for Laplace noise of scale Δ/ε exactly Θ/Δ. Nothing else of the mechanism matters, so
these are bounds, for the worst table; `exact` calibration knows the table.
"""

import abc
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, inf, isfinite, log, log1p
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.laws.law_on_lattice import Array


@dataclass(frozen=True)
class Fading(abc.ABC):
    """offsets (m,): the points, ascending and distinct, each to a few roundings of the one furthest from 0; scale: b,
    in the same unit; 0 for the kernel that is 1 at distance 0 and 0 elsewhere."""

    offsets: Array
    scale: float

    @abc.abstractmethod
    def kernel(self, distance: Array) -> Array:
        """The kernel at these distances."""

    @abc.abstractmethod
    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        """The kernel sum further on, where the kernel from here is that, of weights of total `weights` whose kernel sum
        here is `sums`."""

    def at(self, weight: Array, distance: Array) -> Array:
        """The kernel at this distance, times the weight."""
        return weight * self.kernel(distance)

    @property
    def span(self) -> float:
        """The widest distance in units of b."""
        width = float(self.offsets[-1] - self.offsets[0])
        # One answer, whoever is absent: its width is 0 without noise too, and no quotient of zeros.
        if width == 0:
            return 0.0
        return width / self.scale if self.scale > 0 else inf

    @property
    def error(self) -> float:
        """The relative error of every sum of `Arriving`, and of the largest one of `Lost`."""
        deep = self.span if self.scale > 0 else 0.0
        # In each round a weight passes an exponential, a product and two sums.
        return (8 * (1 + len(self.offsets).bit_length()) + (256 + 32 * deep) * blur(self.offsets)) * UNIT

    def elsewhere(self, weights: Array) -> Array:
        """(m,) the kernel sum at each point of the weights at all other points."""
        # Of the last so many points up to each, and of the next so many from each on: twice as many in each round.
        last, last_total = self.at(weights, np.zeros(len(weights))), weights.copy()
        following, following_total, reach = last.copy(), weights.copy(), 1
        while reach < len(weights):
            kernel = self.kernel(self.offsets[reach:] - self.offsets[:-reach])
            last[reach:] += self.carried(last[:-reach], last_total[:-reach], kernel)
            following[:-reach] += self.carried(following[reach:], following_total[reach:], kernel)
            last_total[reach:] += last_total[:-reach]
            following_total[:-reach] += following_total[reach:]
            reach *= 2
        kernel = self.kernel(np.diff(self.offsets))
        before = np.append(0.0, self.carried(last[:-1], last_total[:-1], kernel))
        after = np.append(self.carried(following[1:], following_total[1:], kernel), 0.0)
        return np.asarray(before + after)


@final
class Arriving(Fading):
    """Kernel e^{-d/b}."""

    def kernel(self, distance: Array) -> Array:
        if self.scale == 0:  # no noise: only the same answer is as likely
            return np.asarray(distance == 0, dtype=np.float64)
        with np.errstate(over="ignore"):  # of a scale next to 0: nothing is kept, of a distance of 0 all
            return np.asarray(np.exp(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        return sums * kernel


@final
class Lost(Fading):
    """Kernel 1 - e^{-d/b}, the complement. scale above 0."""

    def kernel(self, distance: Array) -> Array:
        return np.asarray(-np.expm1(distance / -self.scale))

    def carried(self, sums: Array, weights: Array, kernel: Array) -> Array:
        return sums + (weights - sums) * kernel


def blur(offsets: Array) -> float:
    """The points' error in roundings of their width: 1, or more where all lie on one side, far from 0."""
    width = float(offsets[-1] - offsets[0])
    return max(1.0, float(np.max(np.abs(offsets))) / width) if width > 0 else 1.0


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
