"""Averages of products of per-record factors, in whichever algebra the caller wants (Theory §4).

E[ prod_j z^{w_j(X_j)} ] is one object with several faces: its coefficients in z are the law of the answer, its values
on a circle give that law by FFT, its logarithm's derivatives give moments. A model builds it once, from three
operations; a transform says what they mean. The simplest one says which values an answer can take: from the least to
the largest, exactly.
"""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.law_on_lattice import Array, Combine, IntArray

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

    def __init__(self, transform: Transform[Element], slots: IntArray) -> None:
        self._transform = transform
        self._slots = slots

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Element:
        return self._transform.mean(log_weights, self._slots[slots], counts)

    def product(self, elements: Sequence[Element], powers: Sequence[int]) -> Element:
        return self._transform.product(elements, powers)

    def mix(self, log_weights: Array, elements: Sequence[Element]) -> Element:
        return self._transform.mix(log_weights, elements)


def leave_one_out(transform: Transform[Element], elements: Sequence[Element], powers: Sequence[int]) -> list[Element]:
    """For each i, the product of all elements with one factor i fewer; powers >= 1.

    Divide and conquer: len(elements)·log2(len(elements)) products, and no division, so that a zero stays a zero.

    >>> scores = np.array([[0], [1], [0], [10]])
    >>> extents = Extents(scores)
    >>> one, ten = (extents.mean(np.zeros(2), np.array([slot, slot + 1]), np.eye(2, dtype=np.int64)) for slot in (0, 2))
    >>> [each.high for each in leave_one_out(extents, [one, ten], [3, 1])]
    [(12,), (3,)]
    """
    if not elements:
        return []
    # A household model has few kinds of group but many of each: what all answers have in common is multiplied once,
    # and only one group of each kind, the subject's, is left to be taken out.
    shared = transform.product(elements, [power - 1 for power in powers])
    return _without_each(transform, shared, elements)


def _without_each(transform: Transform[Element], outer: Element, elements: Sequence[Element]) -> list[Element]:
    """For each i, outer times all elements but i."""
    if len(elements) == 1:
        return [outer]
    half = len(elements) // 2
    left, right = elements[:half], elements[half:]
    around_left = transform.product([outer, *right], [1] * (1 + len(right)))
    around_right = transform.product([outer, *left], [1] * (1 + len(left)))
    return _without_each(transform, around_left, left) + _without_each(transform, around_right, right)


@final
@dataclass(frozen=True)
class Extent:
    """low and high: lattice indices, one per axis, both attained."""

    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def points(self) -> int:
        """Lattice points in the box; a Python integer, so that it cannot overflow."""
        size = 1
        for low, high in zip(self.low, self.high, strict=True):
            size *= high - low + 1
        return size


@final
class Extents(Transform[Extent]):
    """scores: (slots, axes), in lattice steps; combine: how each axis is made, by sums where None."""

    # A dry run: before any law is computed it says how long the answer's range is, by which an engine is chosen.
    def __init__(self, scores: IntArray, combine: Sequence[Combine] | None = None) -> None:
        self.scores = scores
        self.combine: tuple[Combine, ...] = ("sum",) * scores.shape[1] if combine is None else tuple(combine)

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Extent:
        """From the least to the largest answer of one group's rows; rows of weight 0 do not count."""
        scores = self.scores[slots]
        counts = counts[log_weights > -np.inf]
        # A maximum or minimum has no multiplicity: ten records of one value make the same extreme as one.
        points, present = counts @ scores, counts > 0
        for axis, how in enumerate(self.combine):
            if how != "sum":
                points[:, axis] = _extreme(present, scores[:, axis], how)
        return Extent(tuple(int(i) for i in points.min(axis=0)), tuple(int(i) for i in points.max(axis=0)))

    def product(self, elements: Sequence[Extent], powers: Sequence[int]) -> Extent:
        pairs = list(zip(elements, powers, strict=True))
        axes = list(enumerate(self.combine))
        return Extent(
            tuple(_together(how, [(element.low[axis], power) for element, power in pairs]) for axis, how in axes),
            tuple(_together(how, [(element.high[axis], power) for element, power in pairs]) for axis, how in axes),
        )

    def mix(self, log_weights: Array, elements: Sequence[Extent]) -> Extent:
        # What cannot occur must not widen the box: `impossible` is a weight of -inf, never a small one.
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        axes = range(self.scores.shape[1])
        return Extent(
            tuple(min(element.low[axis] for element in used) for axis in axes),
            tuple(max(element.high[axis] for element in used) for axis in axes),
        )


def _extreme(present: NDArray[np.bool_], scores: IntArray, how: Combine) -> IntArray:
    """Per row, the greatest or the least score of the slots present in it."""
    ends = np.iinfo(np.int64)
    if how == "max":
        return np.asarray(np.where(present, scores, ends.min).max(axis=1))
    return np.asarray(np.where(present, scores, ends.max).min(axis=1))


def _together(how: Combine, ends: Sequence[tuple[int, int]]) -> int:
    """The combined value of records or groups, given as (value, power)."""
    if how == "sum":
        return sum(power * end for end, power in ends)
    # A kind of group of which none is left, its only one being the subject's, has power 0 and no extreme.
    used = [end for end, power in ends if power > 0]
    return max(used) if how == "max" else min(used)
