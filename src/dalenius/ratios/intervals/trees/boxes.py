"""Rows of probabilities within a box: lower <= p <= upper, and p sums to 1.

A chain whose first record's law and rows of transitions lie in boxes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.box import Box
from dalenius.laws.law import Array, IntArray

LISTED: Final = 10
"""Up to so many free values, all vertices of a box are listed."""


def tightened(lower: Array, upper: Array) -> tuple[Array, Array]:
    """The same rows (..., k), which are bounds themselves, with ends that some row attains, from outside; a row has to
    exist."""
    off = _off(lower)
    low = np.maximum(lower, 1 - (upper.sum(axis=-1, keepdims=True) - upper) - off)
    high = np.minimum(upper, 1 - (lower.sum(axis=-1, keepdims=True) - lower) + off)
    return np.minimum(low, high), np.maximum(low, high)


def best_row(lower: Array, upper: Array, weights: Array) -> Array:
    """The row that makes p·weights largest (..., k), rounded, the first values first where weights are equal: what is
    free goes to the largest weights."""
    return _filled(lower, upper, weights, 0)


def largest_mean(lower: Array, upper: Array, weights: Array) -> Array:
    """The largest p·weights (...), weights at least 0, from above but for a relative rounding."""
    return np.asarray((_filled(lower, upper, weights, 1) * weights).sum(axis=-1))


def smallest_mean(lower: Array, upper: Array, weights: Array) -> Array:
    """The smallest p·weights (...), weights at least 0, from below but for a relative rounding."""
    return np.asarray((_filled(lower, upper, -np.asarray(weights), -1) * weights).sum(axis=-1))


def largest_log(lower: Array, upper: Array, logs: Array) -> Array:
    """The largest log of p·e^logs (...), from above but for a rounding; -inf where a row is 0."""
    return _log_mean(_filled(lower, upper, logs, 1), logs)


def smallest_log(lower: Array, upper: Array, logs: Array) -> Array:
    """The smallest log of p·e^logs (...), from below but for a rounding."""
    return _log_mean(_filled(lower, upper, -np.asarray(logs), -1), logs)


def _log_mean(rows: Array, logs: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp.reduce(np.log(rows) + logs, axis=-1))


def _filled(lower: Array, upper: Array, weights: Array, side: int) -> Array:
    """The row by which weights are largest. All values but one are at their ends, and that one takes the rest, of which
    sums in doubles lose digits: side: 1 where it is to be no less than the rest, -1 no more, 0 about."""
    lower, upper, weights = np.broadcast_arrays(lower, upper, weights)
    if lower.shape[-1] == 2:
        first = weights >= weights[..., ::-1]
        first[..., 1] = ~first[..., 0]
        # Of two values either both are at an end, or there is but one row.
        return np.asarray(np.where(first, upper, lower))
    order = np.argsort(-weights, axis=-1, kind="stable")
    low, high = np.take_along_axis(lower, order, -1), np.take_along_axis(upper, order, -1)
    room = high - low
    before = np.cumsum(room, axis=-1) - room
    free = 1 - low.sum(axis=-1, keepdims=True)
    given = np.clip(low + (free - before) + side * _off(low), low, high)
    found = np.empty_like(given)
    np.put_along_axis(found, order, given, -1)
    return np.asarray(found)


def _off(rows: Array) -> float:
    """By how much sums of a row's probabilities may be off."""
    return 4 * (int(rows.shape[-1]) + 1) * UNIT


def corners(lower: Array, upper: Array) -> Array:
    """Vertices of one box (v, k): all values at an end but at most one. All of them where few values are free, else
    those that prefer, or avoid, one value."""
    if (upper > lower).sum() > LISTED:
        each = np.eye(len(lower))
        return np.unique(best_row(lower, upper, np.concatenate([each, -each])), axis=0)
    return Box(lower, upper).vertices()


OFF: Final = 32 * UNIT


@final
@dataclass(frozen=True, eq=False)
class Boxes:
    """first (2, k): lower and upper ends of the first record's probabilities; rows (m, 2, k, k): those of the distinct
    transitions, by rows; which (n - 1,): the one of each step. Every row of every step may be any in its box."""

    first: Array
    rows: Array
    which: IntArray

    def __len__(self) -> int:
        return len(self.which) + 1

    @property
    def size(self) -> int:
        """How many values a record has."""
        return int(self.first.shape[1])

    @cached_property
    def priors(self) -> Array:
        """Boxes that hold every record's law (n, 2, k)."""
        found = np.empty((len(self), 2, self.size))
        found[0] = self.first
        for place, which in enumerate(self.which):
            low, high = found[place]
            if place and self.which[place - 1] == which and (found[place] == found[place - 1]).all():
                found[place + 1] = found[place]
                continue
            rows = self.rows[which]
            least = smallest_mean(low, high, rows[0].T) * (1 - OFF)
            most = largest_mean(low, high, rows[1].T) * (1 + OFF)
            found[place + 1] = tightened(np.maximum(least, 0.0), np.minimum(most, 1.0))
        return found

    @property
    def middle_first(self) -> Array:
        """A law of the first record inside its box (k,)."""
        return inside(self.first[0], self.first[1])


def inside(low: Array, high: Array) -> Array:
    """Rows (..., k) amid their boxes, in which all is possible that is in some row: the mean of those that prefer each
    value."""
    each = [best_row(low, high, preferred) for preferred in np.eye(low.shape[-1])]
    return np.asarray(np.mean(each, axis=0))
