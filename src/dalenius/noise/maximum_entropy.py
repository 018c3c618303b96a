"""The law of greatest entropy on listed moves, of mean 0 and at most a given variance: a row of a perturbation table.

It is what the R package ptable makes (Giessing 2016): the probabilities of negative moves do not fall towards 0, and
none is below 10^-8. By duality p is e^{a·v + b·v²} with b at most 0, but for these two constraints. The first replaces
the exponents of moves up to 0 by their isotonic regression, the second clips.

A count of 1 that moves by -1 to 2, with variance 1 at most: the package prints 0.3665, 0.3665, 0.1676, 0.0995.

>>> row = maximum_entropy((-1, 0, 1, 2), 1.0)
>>> [round(float(chance), 4) for chance in row.chances], round(row.variance, 3)
([0.3665, 0.3665, 0.1676, 0.0995], 0.932)
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from dalenius.arrays import Array
from dalenius.special_functions import brentq

_LEAST: Final = 1e-8
"""The least probability of a move that is allowed: the published tables have none below."""
_DIGITS: Final = 10**8
"""Published tables have eight digits, of the running sums of a row."""
_STEEPEST: Final = 700.0
"""The most nats by which the exponents of two neighbouring moves are told apart."""


class EntropyRow(NamedTuple):
    """A row of a perturbation table.

    Attributes:
        chances: The probability of each move, in order; they sum to 1 exactly.
        variance: Its variance, before it is rounded.
    """

    chances: tuple[Fraction, ...]
    variance: float


def maximum_entropy(moves: Sequence[int], variance: float) -> EntropyRow | None:
    """Finds the law of greatest entropy; None where these moves have no law of mean 0 and so small a variance.

    Args:
        moves: The moves that are allowed, rising.
        variance: The most variance.
    """
    given = np.array(moves, dtype=np.float64)
    if not given[0] <= 0 <= given[-1]:
        return None

    def law(square: float) -> Array:
        """Returns the law of mean 0 whose exponent has this factor before the square of the move."""

        def mean(slope: float) -> float:
            return float(_law(given, slope, square) @ given)

        steep = _STEEPEST + 2 * abs(square) * float(np.max(np.abs(given)))
        return _law(given, brentq(mean, -steep, steep, xtol=1e-14), square)

    def spread(square: float) -> float:
        return float(law(square) @ given**2)

    # Because every move but those at the ends has a positive probability, a mean of 0 is had inside only.
    if given[0] == 0 or given[-1] == 0:
        return None
    free = spread(0.0)
    if free <= variance:
        return _rounded(law(0.0), free)
    if spread(-_STEEPEST) > variance:
        return None
    found = law(brentq(lambda square: spread(square) - variance, -_STEEPEST, 0.0, xtol=1e-14))
    return _rounded(found, float(found @ given**2))


def _law(moves: Array, slope: float, square: float) -> Array:
    """Returns the probabilities for these two factors: of those that keep both constraints the nearest."""
    logs = slope * moves + square * moves**2
    # The case of a move of 0 that is not allowed: then the package asks for no order.
    if 0.0 in moves:
        logs[moves <= 0] = _rising(logs[moves <= 0])
    weights, clipped = np.exp(logs - np.max(logs)), np.zeros(len(logs), dtype=np.bool_)
    while True:
        share = (1 - _LEAST * np.count_nonzero(clipped)) / float(np.sum(weights[~clipped]))
        found = np.where(clipped, _LEAST, share * weights)
        if not np.any(more := found < _LEAST):
            return np.asarray(found)
        clipped |= more


def _rising(logs: Array) -> Array:
    """Returns the isotonic regression: the nearest numbers that do not fall, by pooling neighbours that do."""
    pools: list[tuple[float, int]] = []
    for log in logs.tolist():
        total, count = log, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before, width = pools.pop()
            total, count = total + before, count + width
        pools.append((total, count))
    return np.repeat([total / count for total, count in pools], [count for _, count in pools])


def _rounded(law: Array, variance: float) -> EntropyRow:
    """Rounds as the published tables are: the running sums have eight digits."""
    sums = [round(each * _DIGITS) for each in np.cumsum(law)[:-1].tolist()]
    ends = [0, *sums, _DIGITS]
    return EntropyRow(tuple(Fraction(b - a, _DIGITS) for a, b in pairwise(ends)), variance)
