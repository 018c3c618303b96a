"""Records in a row whose laws lie in boxes: what any pipeline leaks of each, from above (Result 21.27).

As in `rows`; every message is the largest over what two values of a record can say of its neighbour, at the corners of
what that can be: it is linear in either law.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias

import numpy as np

from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.rows import UP, RowBound, after, grid, kinds_of_place, pair_message, side, still
from dalenius.laws.law import Array
from dalenius.ratios.intervals.trees.boxes import LISTED, Boxes, corners, tightened

Laws: TypeAlias = Callable[[int, int], list[tuple[Array, Array]]]
"""By two values of a record, pairs of laws of its neighbour (k,), of which all others are mixtures."""

ERROR: Final = 1e-13
MANY: Final = 40
GRAIN: Final = 1e-6
"""To which the laws of more records are widened, so that most of them are the same."""
MOST_PAIRS: Final = 144
"""Of corners; beyond, a neighbour's law may be any."""


def bound_of(boxes: Boxes, profile: PrivacyProfile, steps: int, reach: float) -> RowBound:
    """For ε up to `reach`, where changing a record is so many steps."""
    epsilons, k = grid(reach), boxes.size
    once = np.minimum(profile.delta_at(epsilons) * UP, 1.0)
    own = once if steps == 1 else after(once, once, epsilons)
    onward = boxes.which[::-1]
    ahead = {int(which): laws_after(boxes.rows[which]) for which in np.unique(onward)}
    priors = _grained(boxes.priors) if len(boxes) > MANY else boxes.priors
    keys = [(int(which), priors[i].tobytes()) for i, which in enumerate(boxes.which)]
    kinds = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    behind = [laws_before(np.frombuffer(prior).reshape(2, k), boxes.rows[which]) for which, prior in kinds]
    backward = np.array([kinds[key] for key in keys], dtype=np.int64)
    here = still(k, epsilons)
    right = side(onward, lambda which, beyond: largest(ahead[which], beyond, epsilons), here, own, epsilons)
    left = side(backward, lambda which, beyond: largest(behind[which], beyond, epsilons), here, own, epsilons)
    return RowBound(epsilons, own, left, right, kinds_of_place(len(boxes), len(left) - 1, len(right) - 1))


def _grained(priors: Array) -> Array:
    low, high = np.floor(priors[:, 0] / GRAIN) * GRAIN, np.ceil(priors[:, 1] / GRAIN) * GRAIN
    return np.stack([np.clip(low, 0.0, priors[:, 0]), np.clip(high, priors[:, 1], 1.0)], axis=1)


def largest(laws: Laws, beyond: Array, epsilons: Array, k: int | None = None) -> Array:
    """The message (k, k, points) to a record of k values, by default as many as its neighbour has."""
    k = len(beyond) if k is None else k
    found = still(k, epsilons)
    for one, other in product(range(k), repeat=2):
        for gain, cost in laws(one, other) if one != other else ():
            found[one, other] = np.maximum(found[one, other], pair_message(gain, cost, ERROR, beyond, epsilons))
    return found


def laws_after(rows: Array) -> Laws:
    """Of the next record: each row is any in its box (2, k, k)."""
    own = [_corners(rows[0, value], rows[1, value]) for value in range(rows.shape[1])]
    return lru_cache(maxsize=None)(lambda one, other: _pairs(own[one], own[other]))


def laws_before(prior: Array, rows: Array) -> Laws:
    """Of the record before, of a law in a box (2, k), by Bayes' rule; its rows (2, k, values of the next)."""
    low, high = prior[0][:, None] * rows[0], prior[1][:, None] * rows[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        least = low / (low + high.sum(axis=0) - high)
        most = high / (high + low.sum(axis=0) - low)
    least, most = np.nan_to_num(least, nan=0.0), np.nan_to_num(most, nan=1.0)
    own = [_corners(*tightened(least[:, value], most[:, value])) for value in range(low.shape[1])]
    return lru_cache(maxsize=None)(lambda one, other: _pairs(own[one], own[other]))


def _corners(low: Array, high: Array) -> Array:
    """Laws of which all in the box are mixtures."""
    return corners(low, high) if (high > low).sum() <= LISTED else np.eye(len(low))


def _pairs(one: Array, other: Array) -> list[tuple[Array, Array]]:
    if len(one) * len(other) > MOST_PAIRS:
        one = other = np.eye(one.shape[1])
    return list(product(one, other))
