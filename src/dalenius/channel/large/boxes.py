"""Rows of probabilities within a box, and the effect of outputs on beliefs over such boxes.

A row p is in its box if lower <= p <= upper and p sums to 1. Counts of transitions with their confidence intervals
give such rows: each day may follow the day before by another row of the box.

A message f(x) is the likelihood of the output given that a record has the value x and given all that lies beyond it
on one side, as a function of the rest of the answer. The density of the noise is log-Lipschitz in the answer, and so
is every mixture of its translates. Hence log f(x) - log f(x') changes by at most rate·|a(x) - a(x')| where the
record's own score is added (Result 21.10). The file bounds how far apart the messages of two values can be, over all
rows in boxes and for any output, and what outputs do to beliefs, over boxes of priors and of ratios of likelihoods.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf, isnan, log
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, known
from dalenius.channel.bounded_channel import two_points
from dalenius.channel.large.two_value_steps import after_two, before_two, covarying, range_of
from dalenius.channel.limits import MOST_SUBSET_VALUES

_OFF: Final = 64 * UNIT
"""Relative error, and one in nats, that is more than the roundings of a bound."""


@final
@dataclass(frozen=True, eq=False)
class Regions:
    """The set of priors of one record and of ratios of its likelihoods. Bounds are in nats.

    low, high (k,): ends of its prior probabilities; ratio (k, k): log W(y|s) - log W(y|s') is at most ratio[s, s'] at
    every output y, under every law of a set.

    A record that is ill with .1 to .2, and outputs that are one nat likelier given one value than given the other:

    >>> regions = Regions(np.array([0.8, 0.1]), np.array([0.9, 0.2]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> [round(each, 6) for each in (regions.raised, regions.lowered, regions.divergence)]
    [0.841435, 0.934702, 0.363758]
    """

    low: Array
    high: Array
    ratio: Array

    @cached_property
    def raised(self) -> float:
        """The largest log(W(y|s)/W(y))."""
        # The case of ratios so large that their roundings are more than the rise of the smallest chance to 1: it
        # bounds.
        least = float(self.low.min())
        certain = -log(least) * (1 + _OFF) + _OFF if least > 0 else inf
        return min(self._rounded(-smallest_log(self.low, self.high, -self.ratio)), certain)

    @cached_property
    def lowered(self) -> float:
        """The largest log(W(y)/W(y|s))."""
        return self._rounded(largest_log(self.low, self.high, self.ratio.T))

    @property
    def divergence(self) -> float:
        """An upper bound of D(S | Y=y ‖ S)."""
        return two_points(self.raised, self.lowered)

    @property
    def reverse(self) -> float:
        """An upper bound of D(S ‖ S | Y=y)."""
        return two_points(self.lowered, self.raised)

    def _rounded(self, found: Array) -> float:
        """Returns the largest entry, from above."""
        most = known(float(found.max())), known(float(self.ratio.max()))
        return max(most[0], 0.0) * (1 + _OFF) + _OFF * (1 + most[1])


def tightened(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Returns rows (..., k), with bounds `lower` and `upper`, with ends that some row attains, from outside.

    A row has to exist.

    >>> low, high = tightened(np.array([0.5, 0.1, 0.0]), np.array([0.6, 0.9, 0.2]))
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([0.5, 0.2, 0.0], [0.6, 0.5, 0.2])
    """
    off = _off(lower)
    low = np.maximum(lower, 1 - (upper.sum(axis=-1, keepdims=True) - upper) - off)
    high = np.minimum(upper, 1 - (lower.sum(axis=-1, keepdims=True) - lower) + off)
    return np.minimum(low, high), np.maximum(low, high)


def largest_mean(lower: Array, upper: Array, weights: Array) -> Array:
    """Returns the largest p·weights (...) over rows p from `lower` to `upper` (..., k), from above.

    The weights are at least 0; it is but for a relative rounding.
    """
    return np.asarray((_filled(lower, upper, weights, 1) * weights).sum(axis=-1))


def smallest_mean(lower: Array, upper: Array, weights: Array) -> Array:
    """Returns the smallest p·weights (...) over rows p from `lower` to `upper` (..., k), from below.

    The weights are at least 0; it is but for a relative rounding.
    """
    return np.asarray((_filled(lower, upper, -np.asarray(weights), -1) * weights).sum(axis=-1))


def largest_log(lower: Array, upper: Array, logs: Array) -> Array:
    """Returns the largest log of p·e^logs (...) over rows p from `lower` to `upper`, from above but for a rounding.

    It is -inf where a row is 0.
    """
    return _log_mean(_filled(lower, upper, logs, 1), logs)


def smallest_log(lower: Array, upper: Array, logs: Array) -> Array:
    """Returns the smallest log of p·e^logs (...) over rows p from `lower` to `upper`, from below but for a rounding."""
    return _log_mean(_filled(lower, upper, -np.asarray(logs), -1), logs)


def _log_mean(rows: Array, logs: Array) -> Array:
    """Returns log Σ rows·e^logs along the last axis; a probability of 0 adds nothing."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp.reduce(np.log(rows) + logs, axis=-1))


def _filled(lower: Array, upper: Array, weights: Array, side: int) -> Array:
    """Returns the row for which the mean of the weights is largest.

    All values but one are at their ends, and that one takes the rest, of which sums in doubles lose digits. side: 1
    where it must be no less than the rest, -1 no more.
    """
    # The case of two values, ill or well, as nearly all records have: no cumulative sums, and none of their roundings.
    if lower.shape[-1] == 2:
        first = weights >= weights[..., ::-1]
        first[..., 1] = ~first[..., 0]
        # Because with two values either both are at an end, or there is only one row.
        return np.asarray(np.where(first, upper, lower))
    lower, upper, weights = np.broadcast_arrays(lower, upper, weights)
    order = np.argsort(-weights, axis=-1, kind="stable")
    low, high = np.take_along_axis(lower, order, -1), np.take_along_axis(upper, order, -1)
    room = high - low
    # Because each value in turn takes its own room, until the free mass is spent.
    before = np.cumsum(room, axis=-1) - room
    free = 1 - low.sum(axis=-1, keepdims=True)
    given = np.clip(low + (free - before) + side * _off(low), low, high)
    found = np.empty_like(given)
    np.put_along_axis(found, order, given, -1)
    return np.asarray(found)


def _off(rows: Array) -> float:
    """Returns by how much sums of a row's probabilities may be off."""
    return 4 * (int(rows.shape[-1]) + 1) * UNIT


_FEW_ENTRIES: Final = 4
"""Most bounds that are rounded one by one, as of records of two values: numpy takes three times as long for so few."""


def closed(far: Array) -> Array:
    """Returns the bounds `far` (k, k) of log f(x) - log f(x'), each no larger than by way of a third value.

    >>> closed(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])).tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
    """
    found = far.copy()
    for via in range(len(far)):
        found = np.minimum(found, found[:, via, None] + found[None, via, :])
    return found


def _extreme(far: Array) -> Array:
    """Returns logs of functions (subsets, values, k) that bound Σ p·g / Σ q·g, p and q rows and g any message.

    The message has log g(x) - log g(x') <= far[x, x']. On some subset, those x with p(x) > t·q(x) for t the quotient,
    g is at most its bound by way of any one value, and elsewhere at least; so t is at most the quotient of these. The
    bound is the least over the values, the largest over the subsets; it is exact for up to three values, where it is
    a message itself.
    """
    members = np.array(list(product((False, True), repeat=len(far))))
    far = closed(far)
    return np.where(members[:, None], far.T, -far)


def _log_ratios(most: Array, least: Array) -> Array:
    """Returns the bound (k, k) from logs of the two sums (subsets, values, k)."""
    return np.asarray((most[..., :, None] - least[..., None, :]).min(axis=1).max(axis=0))


def before_step(lower: Array, upper: Array, far: Array) -> Array:
    """Bounds log f(s) - log f(s') (k, k) where f(s) is the mean of a message g over the row of s.

    Each row is chosen alone (Result 21.11). A day is ill with .9 to .95 after an ill one and with .05 to .1 after a
    healthy one (the last column here), and the part beyond tells the two apart by one nat at most; so much of it
    reaches the day before:

    >>> low, high = np.array([[0.9, 0.05], [0.1, 0.8]]), np.array([[0.95, 0.1], [0.2, 0.9]])
    >>> before_step(low, high, np.array([[0.0, 1.0], [1.0, 0.0]])).round(4).tolist()
    [[0.0, 0.8093], [0.8523, 0.0]]

    Args:
        lower: The lower ends of the rows' boxes (k, values).
        upper: Their upper ends (k, values).
        far: Bounds of log g(x) - log g(x') (values, values).
    """
    full_range = float(far.max())
    found = np.full((len(lower),) * 2, full_range)
    if len(far) == 2:
        found = np.fmin(np.array(before_two(lower, upper, far)), full_range)
    elif len(far) <= MOST_SUBSET_VALUES:
        # Because 2^k subsets are too many beyond eight values, a message's own range is the bound there.
        logs = _extreme(far)[..., None, :]
        found = np.minimum(_log_ratios(largest_log(lower, upper, logs), smallest_log(lower, upper, logs)), full_range)
    return _rounded(found, full_range)


def after_step(prior: tuple[Array, Array], lower: Array, upper: Array, far: Array) -> Array:
    """Bounds log f(s) - log f(s') (k, k) where f(s) is the mean of g over the record before s.

    It is the smaller of two bounds (Result 21.13), the next record being s. One lets the prior of each of s and s' be
    chosen alone. The other lets it be any: the ratio is E[ug]/(E[u]E[g]) for u(x) = Pr[s|x]/Pr[s'|x] under some law
    of x, at most ((1 + √(e^{D+U}))/(√e^D + √e^U))² where g and u range over factors e^D and e^U (Greub and Rheinboldt
    1959).

    Args:
        prior: The ends of the box of the record before (values,).
        lower: The lower ends of the rows' boxes (values, k).
        upper: Their upper ends (values, k).
        far: Bounds of log g(x) - log g(x') (values, values).
    """
    full_range = float(far.max())
    size = lower.shape[1]
    # The case of an end of the chain, or of a leaf: nothing lies beyond.
    if not full_range:
        return np.zeros((size, size))
    if len(far) == 2:
        return _rounded(np.fmin(np.array(after_two(prior, lower, upper, far)), full_range), full_range)
    rows = list(zip(lower.T.tolist(), upper.T.tolist(), strict=True))
    found = np.array([[covarying(full_range, range_of(*one, *other)) for other in rows] for one in rows])
    if len(far) <= MOST_SUBSET_VALUES:
        logs, low, high = _extreme(far), prior[0] * lower.T, prior[1] * upper.T
        means = [np.stack([_mean(*row, logs, sign) for row in zip(low, high, strict=True)], -1) for sign in (1, -1)]
        found = np.minimum(found, _log_ratios(*means))
    return _rounded(np.minimum(found, full_range), full_range)


def _mean(low: Array, high: Array, logs: Array, sign: int) -> Array:
    """Returns the largest log of the mean of e^logs (..., k), the least where sign is -1.

    The weights are in [low, high] (k,) and are scaled to sum to 1.
    """
    order = np.argsort(-sign * logs, axis=-1, kind="stable")
    logs = np.take_along_axis(logs, order, -1)
    # Because at the extreme the first values have as much as they can, the others as little.
    first = np.tri(len(low), dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(first, np.log(high[order])[..., None, :], np.log(low[order])[..., None, :])
        total, sums = (np.logaddexp.reduce(each, axis=-1) for each in (weights, weights + logs[..., None, :]))
        means = sign * np.max(sign * (sums - total), axis=-1)
    return np.where(np.isneginf(total).any(axis=-1), logs[..., 0], means)


def _rounded(found: Array, full_range: float) -> Array:
    """Rounds bounds up; an unknown ratio becomes the full range."""
    if found.size <= _FEW_ENTRIES:
        more, rows = _OFF * (1 + full_range), found.tolist()
        return np.array(
            [
                [0.0 if i == j else _at_least_zero(own, full_range) * (1 + _OFF) + more for j, own in enumerate(row)]
                for i, row in enumerate(rows)
            ]
        )
    found = np.maximum(np.where(np.isnan(found), full_range, found), 0.0) * (1 + _OFF) + _OFF * (1 + full_range)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def _at_least_zero(number: float, full_range: float) -> float:
    return max(full_range if isnan(number) else number, 0.0)
