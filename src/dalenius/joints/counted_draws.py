"""Averages over a sample of a given size: a generating function in a second variable that counts who is drawn.

Let each of n people be drawn with probability q, independently. Given that m are drawn, each set of m is equally
likely, whatever q is: that is a simple random sample without replacement. So an element is a polynomial in u, where
the coefficient of u^m is the probability that m are drawn, times the average given that. Coefficients are made when
they are asked for, and only those that the wanted one needs.

Five alike people, two of them drawn, and each of these ill for certain: the count is 2.

>>> from dalenius.laws.convolution import Coefficients
>>> inner = Coefficients(np.array([[0], [1]]))
>>> draws = CountedDraws(inner, 2)
>>> ill = draws.mean(np.zeros(1), np.array([1]), np.array([[1]]))
>>> well_or_ill = draws.mix(np.log([0.6, 0.4]), [nobody(draws), draws.drawn(ill)])
>>> found = draws.product([well_or_ill], [5]).at(2)
>>> round(float(np.exp(found.log_weight)), 4), found.average.start  # 10 · .6³ · .4²
(0.3456, (2,))
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import exp, inf, lgamma, log
from typing import Final, Generic, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.joints.limits import MOST_DRAWN_TERMS
from dalenius.joints.thinned_records import nobody
from dalenius.laws.generating_function_algebra import Element, Transform


@final
@dataclass(frozen=True)
class DrawnTerm(Generic[Element]):
    """One coefficient of a polynomial that counts who is drawn.

    Attributes:
        log_weight: The log of the probability that so many are drawn.
        average: The average given that, an element of the inner transform.
        error: By how many nats, at most, weights that lead to `average` may be off.
    """

    log_weight: float
    average: Element
    error: float


@final
class Draws(Generic[Element]):
    """A polynomial in the number of draws, whose terms are made once each, when they are asked for.

    Args:
        low: The least number of draws that is possible.
        high: The greatest number that is possible.
        made: Makes the term of a number between these; None where it is impossible.
    """

    def __init__(self, low: int, high: int, made: Callable[[int], DrawnTerm[Element] | None]) -> None:
        self.low, self.high, self._made = low, high, made
        self._kept: dict[int, DrawnTerm[Element] | None] = {}

    def at(self, draws: int) -> DrawnTerm[Element] | None:
        """Returns the term of so many `draws`; None where that is impossible."""
        if not self.low <= draws <= self.high:
            return None
        if draws not in self._kept:
            self._kept[draws] = self._made(draws)
        return self._kept[draws]

    @property
    def numbers(self) -> range:
        """All numbers of draws that may be possible."""
        return range(self.low, self.high + 1)


@final
class CountedDraws(Transform[Draws[Element]], Generic[Element]):
    """The averages of another transform, by how many are drawn.

    Args:
        transform: The transform of the answer.
        most: The size of the sample: terms of more draws are not needed.
    """

    def __init__(self, transform: Transform[Element], most: int) -> None:
        self._transform, self._most = transform, most
        self._spent = 0

    def drawn(self, element: Draws[Element]) -> Draws[Element]:
        """Returns the `element` with one more draw."""
        return Draws(element.low + 1, min(element.high + 1, self._most), lambda draws: element.at(draws - 1))

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Draws[Element]:
        own = self._transform.mean(log_weights, slots, counts)
        return Draws(0, 0, lambda _: DrawnTerm(0.0, own, 0.0))

    def mix(self, log_weights: Array, elements: Sequence[Draws[Element]]) -> Draws[Element]:
        used = [(log, each) for log, each in zip(log_weights.tolist(), elements, strict=True) if log > -inf]
        low, high = min(each.low for _, each in used), max(each.high for _, each in used)
        found = Draws(
            low, min(high, self._most), lambda draws: self._mixed([(log, each.at(draws)) for log, each in used])
        )
        # Because a chain mixes at each of its records: its terms are made now, and not in one deep recursion.
        for draws in found.numbers:
            found.at(draws)
        return found

    def product(self, elements: Sequence[Draws[Element]], powers: Sequence[int]) -> Draws[Element]:
        raised = [self._power(each, power) for each, power in zip(elements, powers, strict=True) if power > 0]
        # So that the terms of short factors are asked for last, and those of long ones only near the wanted number.
        ordered = sorted(raised, key=lambda each: each.high - each.low)
        return reduce(self._times, ordered) if ordered else self._one

    @property
    def _one(self) -> Draws[Element]:
        return nobody(self)

    def _times(self, first: Draws[Element], second: Draws[Element]) -> Draws[Element]:
        """Returns the product of two polynomials."""

        def made(draws: int) -> DrawnTerm[Element] | None:
            low, high = max(first.low, draws - second.high), min(first.high, draws - second.low)
            pairs = [(first.at(own), second.at(draws - own)) for own in range(low, high + 1)]
            return self._mixed([(0.0, self._joined(one, other)) for one, other in pairs])

        return Draws(first.low + second.low, min(first.high + second.high, self._most), made)

    def _power(self, element: Draws[Element], power: int) -> Draws[Element]:
        """Returns the power of a polynomial: in closed form where it has two terms, else by squaring."""
        if power == 1:
            return element
        if element.high - element.low <= 1:
            return self._power_of_two_terms(element, power)
        half = self._power(element, power // 2)
        whole = self._times(half, half)
        return self._times(whole, element) if power % 2 else whole

    def _power_of_two_terms(self, element: Draws[Element], power: int) -> Draws[Element]:
        """Returns the power of a·u^i + b·u^(i+1), whose terms are C(power, k)·a^(power - k)·b^k."""
        first = power * element.low

        def made(draws: int) -> DrawnTerm[Element] | None:
            upper = draws - first
            none, one = element.at(element.low), element.at(element.low + 1)
            if (upper > 0 and one is None) or (upper < power and none is None):
                return None
            terms = [
                (each, times) for each, times in ((none, power - upper), (one, upper)) if each is not None and times
            ]
            ways = lgamma(power + 1) - lgamma(upper + 1) - lgamma(power - upper + 1)
            weight = ways + sum(times * each.log_weight for each, times in terms)
            # Because each log of a factorial is rounded, in proportion to its size.
            rounded = 16 * UNIT * (8 + lgamma(power + 2) + sum(times * abs(each.log_weight) for each, times in terms))
            self._spend(1)
            average = self._transform.product([each.average for each, _ in terms], [times for _, times in terms])
            return DrawnTerm(weight, average, rounded + sum(times * each.error for each, times in terms))

        return Draws(first, min(first + power, self._most), made)

    def _joined(self, one: DrawnTerm[Element] | None, other: DrawnTerm[Element] | None) -> DrawnTerm[Element] | None:
        """Returns the product of two terms; None where one of them is impossible."""
        if one is None or other is None:
            return None
        self._spend(1)
        average = self._transform.product([one.average, other.average], [1, 1])
        return DrawnTerm(one.log_weight + other.log_weight, average, one.error + other.error)

    def _mixed(self, terms: Sequence[tuple[float, DrawnTerm[Element] | None]]) -> DrawnTerm[Element] | None:
        """Returns the sum of terms, each times the exponential of its log; None where all are impossible."""
        possible = [(log + each.log_weight, each) for log, each in terms if each is not None]
        if len(possible) < 2:
            return next((DrawnTerm(log, each.average, each.error) for log, each in possible), None)
        top = max(log for log, _ in possible)
        total = top + log(sum(exp(each - top) for each, _ in possible))
        logs = np.array([each - total for each, _ in possible])
        self._spend(len(possible))
        average = self._transform.mix(logs, [each.average for _, each in possible])
        deepest = max(abs(each) for each, _ in possible)
        rounded = 8 * UNIT * (len(possible) + 8 + deepest)
        return DrawnTerm(total, average, rounded + max(each.error for _, each in possible))

    def _spend(self, terms: int) -> None:
        """Counts the terms that were multiplied or added. TooLarge where they take too long."""
        self._spent += terms
        if self._spent > MOST_DRAWN_TERMS:
            size = f"a sample of {self._most:,} whose draws have more than {int(MOST_DRAWN_TERMS):,} terms"
            raise TooLarge("model.sample.size", size, _INSTEAD, MOST_DRAWN_TERMS)


_INSTEAD: Final = "give a rate, a smaller sample, or people of fewer kinds"


def size_reached(found: Draws[Element], size: int) -> DrawnTerm[Element]:
    """Returns the term of `found` for a sample of this `size`: a population of `size` people or more has one."""
    term = found.at(size)
    assert term is not None
    return term
