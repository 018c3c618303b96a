"""Counts that lean one way: the most that a function of bounded log-slope tells two laws apart, in closed form.

Let the states of the others in a group lie on a line, t_1 < .. < t_n, as counts do, and let gain/cost rise along it.
Then the largest Σ gain·v / Σ cost·v over v(c) <= e^{ε|t_c - t_c'|} v(c') is attained by v = e^{εt} (Result 13.6): with
counts of positively affiliated bits that is Ghosh and Kleinberg's (2016) closed form, and what Laplace noise on the
count leaks.
"""

from fractions import Fraction
from itertools import pairwise
from math import exp
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Array, IntArray

FARTHEST: Final = 700.0
"""Nats beyond which a ratio is no double."""


def closed_ratio(gain: Array, cost: Array, distances: IntArray, nats: float) -> Enclosure | None:
    """The largest ratio, where the states lie on a line and gain/cost is monotone along it; None elsewhere.

    gain, cost (n,): of each state, one of them above 0; distances (n, n): their distances; nats: ε per unit.
    """
    places = _line(distances)
    if places is None:
        return None
    order = np.argsort(places)
    rises = _rises(gain[order], cost[order])
    if rises is None:
        return None
    with np.errstate(divide="ignore"):
        above, below = np.log(gain), np.log(cost)
    tilt = nats * (places if rises else -places)
    found = float(np.logaddexp.reduce(above + tilt) - np.logaddexp.reduce(below + tilt))
    deepest = float(np.max(np.abs(tilt))) + max(float(np.max(-each[each > -np.inf])) for each in (above, below))
    error = 16 * UNIT * (len(gain) + 4 + abs(found) + deepest)
    if abs(found) + error > FARTHEST:
        return None
    return Enclosure(exp(found - error), exp(found + error))


def _line(distances: IntArray) -> IntArray | None:
    """Places of which the distances are those; None where there are none."""
    places = distances[int(np.argmax(distances[0]))]
    return places if np.array_equal(np.abs(places[:, None] - places[None]), distances) else None


def _rises(gain: Array, cost: Array) -> bool | None:
    """Whether gain/cost rises from state to state; whether it falls (False); None where it does neither. Exactly: what
    the numbers themselves are off by is counted elsewhere."""
    exact = [(Fraction(one), Fraction(other)) for one, other in zip(gain.tolist(), cost.tolist(), strict=True)]
    steps = [b[0] * a[1] - a[0] * b[1] for a, b in pairwise(exact)]
    if all(step >= 0 for step in steps):
        return True
    return False if all(step <= 0 for step in steps) else None
