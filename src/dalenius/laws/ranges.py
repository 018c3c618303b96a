"""The transform whose elements are ranges: the least and largest value an answer can take, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.lattice import Combine
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Transform


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

    def __init__(self, scores: IntArray, combine: Sequence[Combine] | None = None) -> None:
        self.scores = scores
        self.combine: tuple[Combine, ...] = ("sum",) * scores.shape[1] if combine is None else tuple(combine)

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Extent:
        scores = self.scores[slots]
        counts = counts[log_weights > -np.inf]
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
    used = [end for end, power in ends if power > 0]
    return max(used) if how == "max" else min(used)
