"""Averages over a random sample: a record that is not drawn adds nothing to the answer.

If a record is drawn with probability q, its factor φ becomes (1 - q) + q·φ. If a whole group is drawn or not, the
average of the group's product becomes that. Two twins are always alike and are drawn alone with q = 1/2. The sample has
none, one or both of them with probabilities 1/4, 1/2 and 1/4:

>>> from dalenius.laws.convolution import Coefficients
>>> thinned = Thinned(Coefficients(np.array([[0], [1]])), np.array([0.5, 0.5]), lambda element: element)
>>> both_ill = thinned.mean(np.zeros(1), np.array([1]), np.array([[2]]))
>>> both_ill.mantissa.round(3).tolist()
[0.25, 0.5, 0.25]
"""

from collections.abc import Callable
from math import log, log1p
from typing import Generic, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.laws.generating_function_algebra import ByRecords, Element, Transform


def nobody(transform: Transform[Element]) -> Element:
    """Returns 1, the average of the product of no record's factor, in the algebra of `transform`."""
    return transform.mean(np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros((1, 1), dtype=np.int64))


def drawn_or_not(transform: Transform[Element], chance: float, drawn: Element) -> Element:
    """Returns (1 - chance)·1 + chance·drawn.

    Args:
        transform: The algebra.
        chance: The probability of being drawn, above 0 and at most 1.
        drawn: The average of what is drawn or not.
    """
    # So that a sample of everybody is the population, to the last digit.
    if chance == 1:
        return drawn
    return transform.mix(np.array([log1p(-chance), log(chance)]), [nobody(transform), drawn])


@final
class Thinned(ByRecords[Element], Generic[Element]):
    """The averages of another transform where each record is drawn independently of all others.

    Args:
        transform: The transform of the answer.
        chances: The probability that a record is drawn, by slot (slots,).
        drawn: Marks the average of a record that was drawn, where draws are counted.
    """

    def __init__(self, transform: Transform[Element], chances: Array, drawn: Callable[[Element], Element]) -> None:
        super().__init__(transform)
        self._chances, self._drawn = chances, drawn
        self._factors: dict[int, Element] = {}

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Element:
        # Because a row's records are drawn one by one, its element is a product of theirs, and no monomial any more.
        there = log_weights > -np.inf
        factors = [nobody(self._transform), *map(self._factor, slots.tolist())]
        rows = [self._transform.product(factors, [1, *row]) for row in counts[there].tolist()]
        # Because a row that is certain needs no average.
        return (
            rows[0] if len(rows) == 1 and log_weights[there][0] == 0 else self._transform.mix(log_weights[there], rows)
        )

    def _factor(self, slot: int) -> Element:
        """Returns the average of a record in this slot, which is drawn or not."""
        if slot not in self._factors:
            one = self._transform.mean(np.zeros(1), np.array([slot]), np.ones((1, 1), dtype=np.int64))
            self._factors[slot] = drawn_or_not(self._transform, float(self._chances[slot]), self._drawn(one))
        return self._factors[slot]
