"""How far apart the messages of two values can be, over all rows in boxes and whatever the output is.

A message f(x) is the likelihood of the output given that a record has the value x and given all that lies beyond it on
one side, as a function of the rest of the answer. The density of the noise is log-Lipschitz in the answer, and so is
every mixture of its translates; hence log f(x) - log f(x') changes by at most rate·|a(x) - a(x')| where the record's
own score is added (Result 21.10).
"""

from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, known
from dalenius.laws.law import Array
from dalenius.ratios.intervals.trees.boxes import largest_log, smallest_log

TREES: Final = 4
"""Up to so many values, every extreme message is looked at; up to SUBSETS those of the range alone."""
SUBSETS: Final = 10
OFF: Final = 64 * UNIT


def closed(far: Array) -> Array:
    """The same bounds (k, k) of log f(x) - log f(x'), each no larger than by way of a third value."""
    found = far.copy()
    for via in range(len(far)):
        found = np.minimum(found, found[:, via, None] + found[None, via, :])
    return found


def extreme_messages(far: Array) -> Array:
    """Logs of messages (m, k), of which one makes any ratio of two positive linear functionals largest among all with
    log f(x) - log f(x') <= far[x, x']: the extreme rays of that cone, whose tight pairs form a tree."""
    k = len(far)
    if k > SUBSETS:
        return np.zeros((1, k))
    if k > TREES:
        members = np.array(list(product((0.0, 1.0), repeat=k)))
        return np.asarray(members * far.max())
    far = closed(far)
    found = _trees(k) @ far.ravel()
    steps = found[:, :, None] - found[:, None, :]
    return np.asarray(found[(steps <= far * (1 + OFF) + OFF).all(axis=(1, 2))])


def before_step(lower: Array, upper: Array, far: Array) -> Array:
    """Bounds of log f(s) - log f(s') (k, k) where f(s) is the mean of a message g over the row of s: lower, upper
    (k, values) are the rows' boxes, and far bounds log g(x) - log g(x'). Exact of all such g for few values, as each
    row is chosen alone (Result 21.11)."""
    whole = float(far.max())
    if len(far) > SUBSETS:
        return _rounded(np.full((len(lower),) * 2, whole), whole)
    logs = extreme_messages(far)[:, None, :]
    most, least = largest_log(lower[None], upper[None], logs), smallest_log(lower[None], upper[None], logs)
    apart = (most[:, :, None] - least[:, None, :]).max(axis=0)
    return _rounded(np.minimum(apart, whole), whole)


def after_step(prior: tuple[Array, Array], lower: Array, upper: Array, far: Array) -> Array:
    """The same where f(s) is the mean of g over the record before, given that the next one is s: of a prior in the box
    (values,), and of rows in boxes (values, k). A bound (Result 21.13): the smaller of two.

    One lets the prior of each of s and s' be chosen alone. The other lets it be any: the ratio is E[ug]/(E[u]E[g]) for
    u(x) = Pr[s|x]/Pr[s'|x] under some law of x, at most ((1 + √(e^{D+U}))/(√e^D + √e^U))² where g and u range over
    factors e^D and e^U (Greub and Rheinboldt 1959).
    """
    whole = float(far.max())
    size = lower.shape[1]
    found = np.zeros((size, size))
    if not whole:
        return found
    low, high = prior[0][:, None] * lower, prior[1][:, None] * upper
    logs = extreme_messages(far) if len(far) <= SUBSETS else None
    for s, t in product(range(size), repeat=2):
        if s == t:
            continue
        bound = min(whole, covarying(whole, _range_of(lower[:, s], upper[:, s], lower[:, t], upper[:, t])))
        if logs is not None:
            alone = max(_mean(low[:, s], high[:, s], row, 1) + _mean(low[:, t], high[:, t], row, -1) for row in logs)
            bound = min(bound, alone)
        found[s, t] = max(bound, 0.0)
    return _rounded(found, whole)


def covarying(one: float, other: float) -> float:
    """log of the most that E[uv]/(E[u]E[v]) can be where log u and log v range over that much."""
    if np.isinf(other):
        return one
    if np.isinf(one):
        return other
    return float(2 * (np.logaddexp(0, (one + other) / 2) - np.logaddexp(one / 2, other / 2)))


def _range_of(low: Array, high: Array, against_low: Array, against_high: Array) -> float:
    """The range of log Pr[s|x]/Pr[s'|x] over the values x that can be followed by one of them."""
    can = (high > 0) | (against_high > 0)
    if not can.any():
        return 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.log(high[can]) - np.log(against_low[can])
        least = np.log(low[can]) - np.log(against_high[can])
        return known(float(most.max() - least.min()))


def _mean(low: Array, high: Array, logs: Array, sign: int) -> float:
    """The largest of sign · log of the mean of e^logs, of weights in [low, high] that are scaled to sum to 1."""
    order = np.argsort(-sign * logs, kind="stable")
    with np.errstate(divide="ignore"):
        most, least = np.log(high[order]), np.log(low[order])
    # The first values have as much as they can, the others as little.
    first = np.tri(len(logs), dtype=bool)
    weights = np.where(first, most, least)
    whole, sums = (np.logaddexp.reduce(each, axis=1) for each in (weights, weights + logs[order]))
    if np.isneginf(whole).any():
        return float(sign * logs[order[0]])
    return float((sign * (sums - whole)).max())


def _rounded(found: Array, whole: float) -> Array:
    """From above; where nothing is known of a ratio, it is that of all that lies beyond."""
    found = np.maximum(np.where(np.isnan(found), whole, found), 0.0) * (1 + OFF) + OFF * (1 + whole)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


@lru_cache(maxsize=8)
def _trees(k: int) -> Array:
    """By tree on k values and direction of its edges, the matrix (k, k·k) from bounds to a message's logs, value 0 at
    0: where log f(x) - log f(x') = far[x, x'] on an edge x to x'."""
    rows = []
    for parents in product(range(k), repeat=max(k - 2, 0)):
        edges = _of_code(parents, k)
        for turned in product((False, True), repeat=len(edges)):
            rows.append(_paths([(b, a) if turn else (a, b) for (a, b), turn in zip(edges, turned, strict=True)], k))
    return np.array(rows)


def _of_code(code: tuple[int, ...], k: int) -> list[tuple[int, int]]:
    """The tree of a Prüfer code."""
    degree = [1 + code.count(i) for i in range(k)]
    edges = []
    for each in code:
        leaf = degree.index(1)
        edges.append((leaf, each))
        degree[leaf] -= 1
        degree[each] -= 1
    last = [i for i in range(k) if degree[i] == 1]
    return [*edges, (last[0], last[1])] if k > 1 else []


def _paths(edges: list[tuple[int, int]], k: int) -> Array:
    found = np.zeros((k, k, k))
    reached = {0}
    while len(reached) < k:
        for a, b in edges:
            if (a in reached) != (b in reached):
                old, new, sign = (b, a, 1.0) if b in reached else (a, b, -1.0)
                found[new] = found[old]
                found[new, a, b] += sign
                reached.add(new)
    return found.reshape(k, k * k)
