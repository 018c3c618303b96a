"""Pr[the absolute errors of several independent coordinates add up to at least so much]: logs, as enclosures."""

from collections.abc import Callable, Sequence
from math import inf, log
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.errors import TooLarge
from dalenius.laws.law import Array, log_sum
from dalenius.special import gammaln

POINTS: Final = 2**12
"""Into how many parts a distance is cut where there is no formula."""
MOST: Final = 2**24
LEAST: Final = 1e-300
Beyond = Callable[[int], Enclosure]


def gamma_tail(count: int, depth: float) -> Enclosure:
    """`count` Laplace draws, at `depth` scales: e^{-x} Σ_{k<count} x^k/k!, the tail of a gamma law."""
    k = np.arange(count, dtype=np.float64)
    terms = k * log(depth) - gammaln(k + 1) if depth > 0 else np.where(k == 0, 0.0, -inf)
    size = depth + count + float(np.max(np.abs(terms[terms > -inf])))
    return _at_most_one(around(log_sum(terms) - depth, 16 * UNIT * (1 + size)))


def geometric_tail(count: int, steps: int, decay: float) -> Enclosure:
    """`count` integers k of mass proportional to a^|k|, a = e^{-decay}, at `steps`: their absolute values add up to a
    binomial variable of `count` trials with chance a/(1+a) plus an independent negative binomial one, as the generating
    function of |k| is (1-a)/(1+a) · (1+az)/(1-az)."""
    if steps <= 0:
        return Enclosure(0.0, 0.0)
    if count * min(count, steps) > MOST:
        raise TooLarge("the error of the sum", f"{count:,} answers", "ask for that of the largest")
    heads = np.arange(count + 1.0)
    choose = gammaln(count + 1.0) - gammaln(heads + 1) - gammaln(count - heads + 1)
    weights = choose - heads * decay - count * np.log1p(np.exp(-decay))
    k = np.arange(count, dtype=np.float64)
    terms = []
    for each in range(min(count + 1, steps)):
        trials = float(steps - each + count - 1)  # fewer than `count` of them end a run
        chosen = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
        terms.append(weights[each] + chosen + k * log(-np.expm1(-decay)) - (trials - k) * decay)
    terms.append(weights[heads >= steps])
    logs = np.concatenate(terms)
    size = (steps + 2 * count) * (1 + decay + abs(log(-np.expm1(-decay)))) + float(gammaln(steps + count + 1.0))
    return _at_most_one(around(log_sum(logs), 64 * UNIT * (1 + size)))


def total_tail(beyond: Sequence[Beyond], points: int = POINTS, exact: bool = False) -> Enclosure:
    """Of any errors: beyond[c](j) is log Pr[error of c >= j/points of the distance], 1 <= j <= points + 1. exact: all
    errors are multiples of such a part. Else, rounded down to parts, they add up to less than they do, by less than one
    part each."""
    levels = {each: np.array([(0.0, 0.0), *(each(j) for j in range(1, points + 2))]) for each in dict.fromkeys(beyond)}
    shift = 0 if exact else len(beyond) - 1
    ends = [
        _survival([levels[each] for each in beyond], side)[max(points - (shift if side else 0), 0)] for side in (0, 1)
    ]
    slack = 4 * UNIT * len(beyond) * (points + 8)
    lower, upper = (log(end) if end > 0 else -inf for end in ends)
    return _at_most_one(Enclosure(lower - slack, upper + slack))


def _survival(levels: Sequence[Array], side: int) -> Array:
    """Pr[sum >= j] of independent variables, from below or from above; levels: by variable both ends of log Pr[>= j].
    Only positive terms are added."""
    survival, masses = np.zeros(0), np.zeros(0)
    for logs in levels:
        own = np.exp(logs)
        own[:, 1] = np.where(logs[:, 1] > -inf, np.maximum(own[:, 1], LEAST), 0.0)
        # A mass is at least the lower end less the next upper one, and at most the reverse.
        mass = np.maximum(own[:-1, side] - own[1:, 1 - side], 0.0)
        own = own[:-1, side]
        if len(survival) == 0:
            survival, masses = own, mass
            continue
        # The first reaches j by itself; or has i < j, and the second at least the rest.
        rest = np.convolve(masses, np.concatenate([[0.0], own[1:]]))[: len(own)]
        survival, masses = np.minimum(survival + rest, 1.0), np.convolve(masses, mass)[: len(own)]
    return survival


def _at_most_one(logs: Enclosure) -> Enclosure:
    return Enclosure(min(logs.lower, 0.0), min(logs.upper, 0.0))
