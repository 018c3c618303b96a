"""Steps of messages between records of two values, as nearly all records have, in closed form and without arrays.

A chain of 10⁵ days whose ranges never settle takes as many steps as days. A step of `boxes` takes a millisecond, as
numpy needs a hundred calls for four numbers; the same numbers take a fiftieth of that here. Only x = log g(0)/g(1)
counts of a message g to two values; it lies between -far[1, 0] and far[0, 1]. The ratio of two means of g is monotone
in x, so that the two ends suffice (Result 21.11).
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, inf, isnan, log, log1p, nan
from typing import TypeAlias

from dalenius.arrays import Array

Pair: TypeAlias = tuple[float, float]
Bounds: TypeAlias = list[list[float]]
"""Bounds by row, and by the row it is compared with; nan where nothing is known."""


def before_two(lower: Array, upper: Array, far: Array) -> Bounds:
    """Bounds log f(s) - log f(s') where f(s) is the mean of a message over the row of s, before rounding.

    Args:
        lower: The lower ends of the rows' probabilities (k, 2).
        upper: Their upper ends (k, 2).
        far: Bounds (2, 2) of log g(x) - log g(x'), in nats.

    >>> import numpy as np
    >>> low, high = np.array([[0.9, 0.05], [0.1, 0.8]]), np.array([[0.95, 0.1], [0.2, 0.9]])
    >>> found = before_two(low, high, np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> round(found[0][1], 4), round(found[1][0], 4)
    (0.8093, 0.8523)
    """
    rows = [((a, b), (c, d)) for (a, b), (c, d) in zip(lower.tolist(), upper.tolist(), strict=True)]
    ends = float(far[0, 1]), -float(far[1, 0])
    return _furthest([_apart([_log_mean(*each, x) for each in _extremes(rows, x)], len(rows)) for x in ends])


def after_two(prior: tuple[Array, Array], lower: Array, upper: Array, far: Array) -> Bounds:
    """Bounds log f(s) - log f(s') where f(s) is the mean of g over the record before, given that the next one is s.

    It is the smaller of two bounds (see `boxes.after_step`).

    Args:
        prior: The ends of the probabilities of the record before (2,).
        lower: The lower ends of the probabilities of the next one, given it (2, k).
        upper: Their upper ends (2, k).
        far: Bounds (2, 2) of log g(x) - log g(x'), in nats.
    """
    (a, b), (c, d) = prior[0].tolist(), prior[1].tolist()
    low, high = lower.T.tolist(), upper.T.tolist()
    rows = [((a * x, b * y), (c * z, d * w)) for (x, y), (z, w) in zip(low, high, strict=True)]
    ends = float(far[0, 1]), -float(far[1, 0])
    alone = _furthest([_apart(_shares(rows, x), len(rows)) for x in ends])
    widest, ranges = float(far.max()), _ranges(tuple(map(tuple, low)), tuple(map(tuple, high)))
    size = range(len(rows))
    return [[_smaller(alone[s][t], covarying(widest, ranges[s][t])) for t in size] for s in size]


def _extremes(rows: Sequence[tuple[Pair, Pair]], x: float) -> list[Pair]:
    """Returns the weights of the two values by which each row's mean is largest, then those by which it is smallest.

    rows: lower and upper ends of the weights.
    """
    first = [(high[0], low[1]) for low, high in rows]
    second = [(low[0], high[1]) for low, high in rows]
    return [*first, *second] if x >= 0 else [*second, *first]


def _shares(rows: Sequence[tuple[Pair, Pair]], x: float) -> list[float]:
    """Returns the largest log mean of each row's weights, scaled to sum to 1, and then the smallest."""
    found = []
    for place, (one, other) in enumerate(_extremes(rows, x)):
        total = one + other
        # The case of a value that may be impossible under all of the weights: any mean of g.
        if total == 0:
            found.append(max(x, 0.0) if place < len(rows) else min(x, 0.0))
        else:
            found.append(_log_mean(one / total, other / total, x))
    return found


def _apart(means: Sequence[float], size: int) -> Bounds:
    """Returns each row's largest log mean less each row's smallest."""
    return [[most - least for least in means[size:]] for most in means[:size]]


def _furthest(bounds: Sequence[Bounds]) -> Bounds:
    """Returns the larger of two bounds, entry by entry."""
    one, other = bounds
    return [[_larger(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(one, other, strict=True)]


def _larger(one: float, other: float) -> float:
    return nan if isnan(one) or isnan(other) else max(one, other)


def _smaller(one: float, other: float) -> float:
    """Returns the smaller of two bounds that both hold; one that is no number says nothing."""
    return other if isnan(one) else one if isnan(other) else min(one, other)


def _log_mean(first: float, second: float, x: float) -> float:
    """Returns log(first·e^x + second); nan where an impossible value counts without bound."""
    if not first:
        return nan if x == inf else _log(second)
    if not second:
        return log(first) + x
    if x > 0:
        return log(first) + x + log1p(exp(log(second) - log(first) - x))
    return log(second) + log1p(exp(log(first) - log(second) + x))


def _log(value: float) -> float:
    return log(value) if value > 0 else -inf


def log_add(one: float, other: float) -> float:
    """Returns log(e^one + e^other); for two numbers, where numpy takes ten times as long.

    >>> round(log_add(0.0, 0.0), 6), log_add(-inf, -inf), log_add(1.0, inf)
    (0.693147, -inf, inf)
    """
    if isnan(one) or isnan(other):
        return nan
    top, least = max(one, other), min(one, other)
    return top if top == least == -inf or top == inf else top + log1p(exp(least - top))


def covarying(one: float, other: float) -> float:
    """Returns the log of the largest E[uv]/(E[u]E[v]) where log u and log v range over `one` and `other` nats.

    One of the two may be infinite: it then adds nothing to the other's bound.
    """
    # Because one of the two has no bound where a value may be impossible: the other alone bounds then.
    if other == inf:
        return one
    if one == inf:
        return other
    return 2 * (log_add(0.0, (one + other) / 2) - log_add(one / 2, other / 2))


@lru_cache(maxsize=64)
def _ranges(low: tuple[Pair, ...], high: tuple[Pair, ...]) -> Bounds:
    """Returns the ranges of log Pr[s|x]/Pr[s'|x] over the values x that one of them can follow.

    They are kept, because all days share one kernel.
    """
    size = range(len(low))
    return [[range_of(low[s], high[s], low[t], high[t]) for t in size] for s in size]


def range_of(
    low: Sequence[float], high: Sequence[float], other_low: Sequence[float], other_high: Sequence[float]
) -> float:
    """Returns the range of log p(x)/q(x) over the values x at which p or q may be positive.

    p is between `low` and `high`, and q between `other_low` and `other_high`; inf where it has no bound.

    >>> round(range_of((0.5, 0.1), (0.5, 0.2), (0.5, 0.4), (0.5, 0.4)), 6)  # between 1/4 and 1
    1.386294
    """
    most, least, leads = -inf, inf, False
    for a, b, c, d in zip(low, high, other_low, other_high, strict=True):
        # Because a state that leads to neither value does not tell which of the two it was.
        if b > 0 or d > 0:
            above, below, leads = _log(b) - _log(c), _log(a) - _log(d), True
            if isnan(above) or isnan(below):
                return inf
            most, least = max(most, above), min(least, below)
    # The case of a value that can never follow: nothing is known.
    return 0.0 if not leads else inf if most == -inf else most - least
