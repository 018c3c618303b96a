"""The log-ratios of Gaussian noise on an answer that is moved by a random amount.

A household of k members in DP-SGD moves a sum of clipped gradients by the number of its members in the batch, at most:
a binomial number of k trials (arXiv:2310.15526, and dp-accounting's `MixtureOfGaussiansDpEvent`). Then P is the
mixture of N(c, σ²) over the moves c, Q is N(0, σ²), and ℓ(y) = log Σ p_c e^{(cy - c²/2)/σ²} rises in y.
"""

from collections.abc import Sequence
from math import comb
from typing import Final

import numpy as np

from dalenius.arrays import Array
from dalenius.conversion.answer_losses import DEEP, TAILS, Ratios, normal_between

_NODES: Final = 20_001
_STEPS: Final = 5
"""Newton's steps from a node, which is a hundredth of a deviation away at most: they double the digits."""


def mixture(deviation: float, moves: Sequence[float], chances: Sequence[float]) -> Ratios:
    """Returns the log-ratios of the mixture over N(0, deviation²).

    Args:
        deviation: σ, in the unit of the moves.
        moves: How far the answer may be moved, none negative.
        chances: The probability of each move; they sum to 1.
    """
    kept = [(move / deviation, chance) for move, chance in zip(moves, chances, strict=True) if chance > 0]
    means, logs = np.array([move for move, _ in kept]), np.log([chance for _, chance in kept])

    def ratio(y: Array) -> tuple[Array, Array]:
        """Returns ℓ and its slope at each output `y`, in deviations."""
        terms = logs + np.multiply.outer(y, means) - np.square(means) / 2
        top = terms.max(axis=-1)
        weights = np.exp(terms - top[..., None])
        total = weights.sum(axis=-1)
        return top + np.log(total), weights @ means / total

    nodes = np.linspace(-DEEP, float(means.max()) + DEEP, _NODES)
    known = ratio(nodes)[0]
    bottom, top, limits = float(nodes[0]), float(nodes[-1]), (float(known[0]), float(known[-1]))

    def cells(ends: Array) -> tuple[Array, Array]:
        right = np.clip(np.searchsorted(known, ends), 1, len(nodes) - 1)
        low, high = nodes[right - 1], nodes[right]
        places = high
        # Because ℓ is convex and rises, Newton's steps from the right fall to the place, and never below it.
        for _ in range(_STEPS):
            value, slope = ratio(places)
            with np.errstate(divide="ignore", invalid="ignore"):
                further = places - (value - ends) / slope
            places = np.clip(np.where(np.isfinite(further), further, places), low, high)
        # Because an end of ℓ is an end of y, up to neighbouring doubles.
        places = np.where(ends <= limits[0], bottom, np.where(ends >= limits[1], top, places))
        moved = np.exp(logs) @ np.array([normal_between(places - mean) for mean in means])
        return moved, normal_between(places)

    return Ratios((), cells, *limits, 2 * TAILS, lopsided=True)


def members_in_batch(size: int, rate: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Returns the numbers of a group's members who can be in a batch, and the probability of each.

    Args:
        size: How many members the group has.
        rate: The probability with which each member is in the batch.

    >>> members_in_batch(2, 0.5)
    ((0.0, 1.0, 2.0), (0.25, 0.5, 0.25))
    """
    chances = [comb(size, k) * rate**k * (1 - rate) ** (size - k) for k in range(size + 1)]
    return tuple(float(k) for k in range(size + 1)), tuple(chances)
