"""Rows of probabilities within a box: lower <= p <= upper, and p sums to 1."""

import numpy as np

from dalenius.laws.law import Array


def tightened(lower: Array, upper: Array) -> tuple[Array, Array]:
    """The same rows (..., k) with ends that some row attains; a row has to exist."""
    low = np.maximum(lower, 1 - (upper.sum(axis=-1, keepdims=True) - upper))
    high = np.minimum(upper, 1 - (lower.sum(axis=-1, keepdims=True) - lower))
    # Decimals such as 0.85 and 0.15 leave a rounding between what is in fact one point.
    return np.minimum(low, high), np.maximum(low, high)


def best_row(lower: Array, upper: Array, weights: Array) -> Array:
    """The row that makes p·weights largest (..., k), the first values first where weights are equal: what is free goes
    to the largest weights."""
    lower, upper, weights = np.broadcast_arrays(lower, upper, weights)
    if lower.shape[-1] == 2:
        return _best_of_two(lower, upper, weights)
    order = np.argsort(-weights, axis=-1, kind="stable")
    low, high = np.take_along_axis(lower, order, -1), np.take_along_axis(upper, order, -1)
    room = high - low
    before = np.cumsum(room, axis=-1) - room
    free = 1 - low.sum(axis=-1, keepdims=True)
    given = low + np.clip(free - before, 0.0, room)
    found = np.empty_like(given)
    np.put_along_axis(found, order, given, -1)
    return np.asarray(found)


def _best_of_two(lower: Array, upper: Array, weights: Array) -> Array:
    """The same of two values, without sorting."""
    room, free = upper - lower, 1 - lower.sum(axis=-1, keepdims=True)
    first = weights >= weights[..., ::-1]
    first[..., 1] = ~first[..., 0]
    return np.asarray(lower + np.minimum(np.maximum(np.where(first, free, free - room[..., ::-1]), 0.0), room))


def largest_mean(lower: Array, upper: Array, weights: Array) -> Array:
    """The largest p·weights (...)."""
    return np.asarray((best_row(lower, upper, weights) * weights).sum(axis=-1))


def smallest_mean(lower: Array, upper: Array, weights: Array) -> Array:
    """The smallest p·weights (...)."""
    return np.asarray((best_row(lower, upper, -np.asarray(weights)) * weights).sum(axis=-1))


def corners(lower: Array, upper: Array) -> Array:
    """The vertices of one box (v, k): all values at an end but at most one."""
    k = len(lower)
    found = set()
    for free in range(k):
        for ends in range(2 ** (k - 1)):
            row = np.empty(k)
            others = [i for i in range(k) if i != free]
            for bit, i in enumerate(others):
                row[i] = upper[i] if ends >> bit & 1 else lower[i]
            row[free] = 1 - row[others].sum()
            if lower[free] - 1e-15 <= row[free] <= upper[free] + 1e-15:
                found.add(tuple(np.maximum(row, 0.0).tolist()))
    return np.array(sorted(found))
