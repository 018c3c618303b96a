"""Averages of products of per-record factors, in whichever algebra the caller wants (Theory §4).

E[ prod_j z^{w_j(X_j)} ] is one object with several faces: its coefficients in z are the law of the answer, its values
on a circle give that law by FFT, its logarithm's derivatives give moments. A model builds it once, from three
operations; a transform says what they mean.
"""

import abc
from collections.abc import Sequence
from typing import Generic, TypeVar, final

from dalenius.laws.law import Array, IntArray

Element = TypeVar("Element")


class Transform(abc.ABC, Generic[Element]):
    """The algebra of generating functions of an answer.

    A *slot* is one value of one stratum of records; the transform knows each slot's score in lattice steps.
    """

    @abc.abstractmethod
    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Element:
        """sum_r exp(log_weights[r]) prod_k factor(slots[k])^counts[r, k]; counts has shape (rows, len(slots))."""

    @abc.abstractmethod
    def product(self, elements: Sequence[Element], powers: Sequence[int]) -> Element:
        """prod_i elements[i]^powers[i], powers >= 0; at least one element."""

    @abc.abstractmethod
    def mix(self, log_weights: Array, elements: Sequence[Element]) -> Element:
        """sum_i exp(log_weights[i]) elements[i]."""


@final
class Renamed(Transform[Element], Generic[Element]):
    """A transform addressed by the slot numbers of another law; slots: the transform's, by the other's."""

    def __init__(self, whole: Transform[Element], slots: IntArray) -> None:
        self._whole = whole
        self._slots = slots

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Element:
        return self._whole.mean(log_weights, self._slots[slots], counts)

    def product(self, elements: Sequence[Element], powers: Sequence[int]) -> Element:
        return self._whole.product(elements, powers)

    def mix(self, log_weights: Array, elements: Sequence[Element]) -> Element:
        return self._whole.mix(log_weights, elements)


def leave_one_out(transform: Transform[Element], elements: Sequence[Element], powers: Sequence[int]) -> list[Element]:
    """For each i, the product of all elements with one factor i fewer; powers >= 1.

    Divide and conquer: len(elements)·log2(len(elements)) products, and no division, so that a zero stays a zero.
    """
    if not elements:
        return []
    shared = transform.product(elements, [power - 1 for power in powers])
    return _without_each(transform, shared, elements)


def _without_each(transform: Transform[Element], outer: Element, elements: Sequence[Element]) -> list[Element]:
    if len(elements) == 1:
        return [outer]
    half = len(elements) // 2
    left, right = elements[:half], elements[half:]
    around_left = transform.product([outer, *right], [1] * (1 + len(right)))
    around_right = transform.product([outer, *left], [1] * (1 + len(left)))
    return _without_each(transform, around_left, left) + _without_each(transform, around_right, right)
