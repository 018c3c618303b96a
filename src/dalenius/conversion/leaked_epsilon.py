"""The least ε′ of a group: at δ′ = 0 of a pure profile (Results 5.3 and 13.2), and where δ′ comes down to a given one.

At δ′ = 0 a test that hardly ever flags is bound by v(c) <= e^{ε d} v(c′) alone, so that only the ratio counts,

    R = max Σ gain·e^ε v / Σ cost·v,

a linear program where the denominator is 1. ε′ is log R against another value, and log of R/(1 + share·R) with
information.

For twins who have the same bit with chance 0.9, and ε = 1, R = e·(0.9e + 0.1)/(0.1e + 0.9) = 5.907: ε′ is 1.7761 at
δ′ = 0, and 1.7614 at δ′ = 0.01.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import exp, fsum, inf, log, log1p, nextafter
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.conversion.conditional_law_of_others import Dependence
from dalenius.conversion.group_linear_program import CLOSE, Cuts, Solution, maximised, needed, secret_flags, solve
from dalenius.conversion.profile import PrivacyProfile
from dalenius.errors import DaleniusError

STEEPEST: Final = log(1e9)
"""Constraints with larger coefficients, as shares of their variables' bounds, are left out: the bound is from above."""
SLACK: Final = 1e-12
"""The relative slack on the bounds of the variables, which are sums and exponentials."""
FARTHEST: Final = 650.0
"""The nats beyond which no ε′ is looked for."""
# Relatively, Newton's steps in ε′ that count as having arrived.
_NEAR: Final = 1e-9
_LOOSE: Final = 0.02
"""The gap up to which it is solved, as a share of how far log δ′ is off."""


def unbounded_leakage(dependence: Dependence) -> Enclosure:
    """Returns the least ε′ at δ′ = 0 of a pipeline with a δ at every ε, such as Gaussian noise.

    Some output all but says the secret. Between two values ε′ is infinite. A chance does not exceed 1, so that
    information is the log of 1/share. dependence: the question.
    """
    if not dependence.share:
        return Enclosure(inf, inf)
    nats = -log(dependence.share)
    found = around(nats, dependence.error + 4 * UNIT * (1 + nats))
    return Enclosure(max(found.lower, 0.0), found.upper)


def pure_leakage(dependence: Dependence, epsilon: float, steps: int) -> Enclosure:
    """Returns the least ε′ at δ′ = 0 under ε-differential privacy, in nats.

    Args:
        dependence: The question.
        epsilon: The pipeline's ε, in nats.
        steps: How many neighbours further a record with another value is.
    """
    nats = epsilon * steps
    return leakage_within(dependence, nats, nats * dependence.size, partial(programmed_ratio, nats=nats))


def leakage_within(
    dependence: Dependence, nats: float, together: float, ratio: Callable[[Dependence], Enclosure]
) -> Enclosure:
    """Returns the least ε′ at δ′ = 0, in nats, by the ratio of a program.

    Args:
        dependence: The question.
        nats: What changing the record alone is worth.
        together: What changing all records of its group is worth.
        ratio: The largest ratio of flags by the others' states, less the factor e^nats of the record itself.
    """
    if not nats:
        return Enclosure(0.0, 0.0)
    most = together
    # Because cost holds the other values' chances too, which sum to 1 − share.
    most -= log1p(-min(dependence.share * (1 + dependence.error), 1 - UNIT)) if dependence.share else 0.0
    # If a pipeline promises next to nothing to a large group, no double holds how likely tests may flag, and only the
    # group's size bounds. So it is where the other values are impossible with every state of the others.
    if most > 600.0 or not (total := fsum(dependence.cost)):
        return Enclosure(0.0, _compared(most, dependence.share * (1 - dependence.error)))
    # So that all numbers stay within doubles: they are shares of the other values' chances, which may be next to
    # nothing.
    within = replace(dependence, cost=dependence.cost / total)
    lower, upper = ratio(within)
    low, high = nats + log(lower) - log(total), min(nats + log(upper) - log(total), most)
    error = 8 * UNIT * (4 + most) + 4 * dependence.error
    return Enclosure(
        max(_compared(max(low - error, 0.0), dependence.share) - error, 0.0),
        _compared(high + error, dependence.share * (1 - dependence.error)) + error,
    )


def _compared(leakage: float, share: float) -> float:
    """Turns an ε′ in nats against the other values into one against what the record may be, itself included.

    Without a share it stays. The rest has the chance 1 − share, and counts in cost.
    """
    return leakage - log1p(share * exp(leakage)) if share and leakage < 700 else -log(share) if share else leakage


def programmed_ratio(dependence: Dependence, nats: float) -> Enclosure:
    """Returns max Σ gain·v / Σ cost·v by the linear program, but for roundings of the given chances.

    Args:
        dependence: The question, with gain and cost.
        nats: ε for each record that differs.

    Raises:
        DaleniusError: If no solver has an answer, as for ε of many nats.
    """
    gain, cost, distance = dependence.gain, dependence.cost, dependence.distance
    with np.errstate(divide="ignore"):
        # Because no v exceeds these where Σ cost·v = 1.
        tops = -np.logaddexp.reduce(np.log(cost)[None] - nats * distance, axis=1)
    of, by = np.nonzero(needed(distance))
    steep = nats * distance[of, by] + tops[by] - tops[of]
    of, by, steep = (each[steep < STEEPEST] for each in (of, by, steep))
    program = RatioProgram(gain * np.exp(tops), cost * np.exp(tops), of, by, np.exp(steep) * (1 + SLACK))
    found = maximised(program.gains, Cuts(of, by, program.slopes, np.zeros(len(of))), None, program.costs)
    if found is None:
        raise DaleniusError("the conversion's linear program was not solved, wanted a smaller epsilon")
    lower = _attained(gain, cost, np.asarray(np.exp(tops) * found.values), np.asarray(nats * distance))
    return Enclosure(lower, program.proved(found.prices, found.level))


@final
@dataclass(frozen=True, eq=False)
class RatioProgram:
    """The program max Σ gains·x over Σ costs·x = 1, 0 <= x <= 1 and x(of) <= slopes·x(by)."""

    gains: Array
    costs: Array
    of: IntArray
    by: IntArray
    slopes: Array

    def proved(self, prices: Array, level: float) -> float:
        """Returns the bound that `prices` and `level`, the multipliers, prove: level + Σ max(0, what is left)."""
        n = len(self.gains)
        paid, lent = np.bincount(self.of, prices, n), np.bincount(self.by, prices * self.slopes, n)
        left = self.gains - level * self.costs - paid + lent
        size = self.gains + abs(level) * self.costs + paid + lent
        many = np.bincount(self.of, minlength=n) + np.bincount(self.by, minlength=n)
        spare = np.maximum(left + (SLACK + UNIT * (16 + many)) * size, 0.0)
        return (level + fsum(spare)) * (1 + SLACK)


def _attained(gain: Array, cost: Array, values: Array, nats: Array) -> float:
    """Returns the ratio at v, lowered until every constraint holds."""
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    # If the solver said 0 everywhere, a constant v has the ratio 1, since gain and cost have the same sum.
    if not np.isfinite(logs).any():
        return 1.0
    logs = np.where(logs > -inf, logs, np.max(np.where(logs > -inf, logs - nats, -inf), axis=1))
    lowered = np.min(logs[None] + nats, axis=1)
    flagged = np.exp(lowered - lowered.max())
    below = fsum(cost * flagged)
    return fsum(gain * flagged) / below * (1 - 16 * UNIT) if below else 1.0


def _log(delta: float) -> float:
    """Returns log δ, or that of 1e-300 where δ is less."""
    return log(max(delta, 1e-300))


def crossing(each: Dependence, profile: PrivacyProfile, delta: float, steps: int, start: float) -> Enclosure:
    """Returns the least ε′ >= start at which the profile's bounds allow delta at most.

    What they allow is convex in e^{ε′}, so that Newton's steps stay below.

    Args:
        each: The question.
        profile: The pipeline's privacy profile.
        delta: δ′, a probability above 0.
        steps: How many neighbours further a record with another value is.
        start: The ε′ to begin at, in nats.
    """
    # Because Newton's step from a rough solution is too short, never too long, one will do far away.
    epsilon, close, solution = start, _LOOSE, solve(each, profile, start, steps, None, delta, True)
    if solution.delta.upper <= delta:
        return Enclosure(0.0, start)
    for _ in range(60):
        further = _newton(each, profile, delta, steps, solution)
        if further > FARTHEST:
            return Enclosure(min(further, FARTHEST), inf)
        is_near = further <= epsilon + _NEAR * (1 + epsilon)
        epsilon = max(epsilon, further)
        if is_near and close <= CLOSE:
            break
        close = CLOSE if is_near else max(CLOSE, _LOOSE * min(abs(_log(solution.delta.upper) - _log(delta)), 1.0))
        solution = solve(each, profile, epsilon, steps, solution, upper_only=True, close=close)
    # Because Newton's steps end a little short of it.
    above, step = epsilon, _NEAR * (1 + epsilon)
    while (solution := solve(each, profile, above, steps, solution, delta, True)).delta.upper > delta:
        above, step = epsilon + step, step * 8
        if above > FARTHEST:
            return Enclosure(epsilon, inf)
    return Enclosure(epsilon, above)


def _newton(each: Dependence, profile: PrivacyProfile, delta: float, steps: int, solution: Solution) -> float:
    """Returns the ε′ at which the test that is optimal now gains delta, from below."""
    flagged = solution.flagged
    gained = each.gain * secret_flags(profile, flagged, each.distance * steps, steps) * (1 - each.error)
    paid = fsum(each.cost * flagged) * (1 + each.error) + each.share * (1 + each.error) * fsum(gained)
    above = fsum(gained) - delta
    # If the test gains less than delta whatever ε′ is, no step leads anywhere from it.
    if above <= 0:
        return -inf
    # If a test hardly ever flags in vain, as where others give a value away, δ′ stays above delta up to FARTHEST.
    if paid <= above * exp(-FARTHEST):
        return inf
    return nextafter(log(above / paid) * (1 - 1e-15) - 1e-14, -inf)
