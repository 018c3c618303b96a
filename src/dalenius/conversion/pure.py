"""Pure profiles at δ′ = 0: the most that any ε-differentially private pipeline leaks (Results 5.3 and 13.2).

A test that hardly ever flags is bound by v(c) <= e^{ε d} v(c′) alone, so that only the ratio counts,

    R = max Σ gain·e^ε v / Σ cost·v,

a linear program where the denominator is 1, or a closed form (Result 13.6). Inferential: log R; information: log of
R/(1 + share·R).
"""

from dataclasses import dataclass, replace
from math import exp, fsum, inf, log, log1p
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.program import needed
from dalenius.conversion.solver import Rows, maximised
from dalenius.errors import DaleniusError
from dalenius.joints.affiliated import closed_ratio
from dalenius.laws.law import Array, IntArray

STEEPEST: Final = log(1e9)
"""Constraints with larger coefficients, as shares of their variables' bounds, are left out: a bound from above."""
SLACK: Final = 1e-12
"""Relatively, on the bounds of the variables: they are sums and exponentials."""
DEEPEST: Final = 600.0
"""Nats between two states of a group beyond which only the group's size bounds."""


def pure_leakage(dependence: Dependence, epsilon: float, steps: int) -> Enclosure:
    """The least ε′ at δ′ = 0 of ε-differential privacy, where changing a record is so many steps."""
    if not epsilon:
        return Enclosure(0.0, 0.0)
    nats = epsilon * steps
    most = nats * dependence.size
    # cost holds the other values' chances too, which sum to 1 − share.
    most -= log1p(-min(dependence.share * (1 + dependence.error), 1 - UNIT)) if dependence.share else 0.0
    if most > DEEPEST:
        return Enclosure(0.0, _compared(most, dependence.share * (1 - dependence.error)))
    if not (total := fsum(dependence.cost)):
        return Enclosure(0.0, _compared(most, dependence.share * (1 - dependence.error)))
    # Of shares of the other values' chances, which may be next to nothing: all numbers stay within doubles.
    within = replace(dependence, cost=dependence.cost / total)
    closed = closed_ratio(within.gain, within.cost, within.apart, nats)
    lower, upper = closed if closed is not None else programmed_ratio(within, nats)
    low, high = nats + log(lower) - log(total), min(nats + log(upper) - log(total), most)
    error = 8 * UNIT * (4 + most) + 4 * dependence.error
    return Enclosure(
        max(_compared(max(low - error, 0.0), dependence.share) - error, 0.0),
        _compared(high + error, dependence.share * (1 - dependence.error)) + error,
    )


def _compared(leakage: float, share: float) -> float:
    """Against what the record may be, itself included: the rest has the chance 1 − share, and counts in cost."""
    return leakage - log1p(share * exp(leakage)) if share and leakage < 700 else -log(share) if share else leakage


def programmed_ratio(dependence: Dependence, nats: float) -> Enclosure:
    """By the linear program, max Σ gain·v / Σ cost·v, roundings of the given chances apart."""
    gain, cost, apart = dependence.gain, dependence.cost, dependence.apart
    with np.errstate(divide="ignore"):
        # No v exceeds these where Σ cost·v = 1.
        tops = -np.logaddexp.reduce(np.log(cost)[None] - nats * apart, axis=1)
    of, by = np.nonzero(needed(apart))
    steep = nats * apart[of, by] + tops[by] - tops[of]
    of, by, steep = (each[steep < STEEPEST] for each in (of, by, steep))
    program = _Ratio(gain * np.exp(tops), cost * np.exp(tops), of, by, np.exp(steep) * (1 + SLACK))
    found = maximised(program.gains, Rows(of, by, program.slopes, np.zeros(len(of))), None, program.costs)
    if found is None:
        raise DaleniusError("the conversion's linear program was not solved, wanted a smaller epsilon")
    lower = _attained(gain, cost, np.asarray(np.exp(tops) * found.values), np.asarray(nats * apart))
    return Enclosure(lower, program.proved(found.prices, found.level))


@final
@dataclass(frozen=True, eq=False)
class _Ratio:
    """max Σ gains·x over Σ costs·x = 1, 0 <= x <= 1 and x(of) <= slopes·x(by)."""

    gains: Array
    costs: Array
    of: IntArray
    by: IntArray
    slopes: Array

    def proved(self, prices: Array, level: float) -> float:
        """What multipliers prove, whatever they are: level + Σ max(0, what they leave of each gain)."""
        n = len(self.gains)
        paid, lent = np.bincount(self.of, prices, n), np.bincount(self.by, prices * self.slopes, n)
        left = self.gains - level * self.costs - paid + lent
        size = self.gains + abs(level) * self.costs + paid + lent
        many = np.bincount(self.of, minlength=n) + np.bincount(self.by, minlength=n)
        spare = np.maximum(left + (SLACK + UNIT * (16 + many)) * size, 0.0)
        return (level + fsum(spare)) * (1 + SLACK)


def _attained(gain: Array, cost: Array, values: Array, nats: Array) -> float:
    """The ratio at v, lowered until every constraint holds."""
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    if not np.isfinite(logs).any():
        return 1.0
    logs = np.where(logs > -inf, logs, np.max(np.where(logs > -inf, logs - nats, -inf), axis=1))
    lowered = np.min(logs[None] + nats, axis=1)
    flagged = np.exp(lowered - lowered.max())
    below = fsum(cost * flagged)
    return fsum(gain * flagged) / below * (1 - 16 * UNIT) if below else 1.0
