"""Lattices on which sums lie: every answer is `start` plus a multiple of `step`.

Households in which nobody or both are ill add an even number. Given one person's bit beside them, a count is even or
odd, whatever the households are: an answer of the other parity cannot occur. A transform knows it to a rounding of
its peak only. Noise that is small beside such a rounding would make it a leak.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.laws.generating_function_algebra import Transform


@final
@dataclass(frozen=True)
class Progression:
    """The numbers start + k·step; of step 0, `start` alone."""

    start: int
    step: int

    def holds(self, points: IntArray) -> np.ndarray:
        """Returns which of the `points` are among its numbers.

        >>> Progression(1, 2).holds(np.arange(4)).tolist(), Progression(1, 0).holds(np.arange(4)).tolist()
        ([False, True, False, True], [False, True, False, False])
        """
        away = points - self.start
        return np.asarray(away == 0 if self.step == 0 else away % self.step == 0)


@final
class Progressions(Transform[Progression]):
    """The algebra of the coarsest progressions that hold every possible sum; scores (slots,) are in lattice steps.

    A couple of which both are ill or none, three times, beside one person:

    >>> scores = Progressions(np.array([0, 1]))
    >>> pair = scores.mean(np.log([0.5, 0.5]), np.array([0, 1]), np.array([[2, 0], [0, 2]]))
    >>> person = scores.mean(np.log([0.5, 0.5]), np.array([0, 1]), np.eye(2, dtype=np.int64))
    >>> scores.product([pair], [3]), scores.product([pair, person], [3, 1])
    (Progression(start=0, step=2), Progression(start=0, step=1))
    """

    def __init__(self, scores: IntArray) -> None:
        self.scores = scores

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Progression:
        """Returns the progression of one group's rows; rows of weight 0 do not count.

        `log_weights` (rows,), `slots` and `counts` (rows, slots) are as in `Transform.mean`.
        """
        points = [int(each) for each in (counts @ self.scores[slots])[log_weights > -np.inf]]
        return Progression(points[0], gcd(*(each - points[0] for each in points)))

    def product(self, elements: Sequence[Progression], powers: Sequence[int]) -> Progression:
        used = [(element, power) for element, power in zip(elements, powers, strict=True) if power > 0]
        return Progression(
            sum(power * element.start for element, power in used), gcd(*(element.step for element, _ in used))
        )

    def mix(self, log_weights: Array, elements: Sequence[Progression]) -> Progression:
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        first = used[0].start
        return Progression(first, gcd(*(each.step for each in used), *(each.start - first for each in used)))
