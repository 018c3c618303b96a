"""The transform whose elements are ranges: the least and largest value a sum can take, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

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
    """scores: (slots, axes), in lattice steps."""

    def __init__(self, scores: IntArray) -> None:
        self.scores = scores

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Extent:
        points = (counts @ self.scores[slots])[log_weights > -np.inf]
        return Extent(tuple(int(i) for i in points.min(axis=0)), tuple(int(i) for i in points.max(axis=0)))

    def product(self, elements: Sequence[Extent], powers: Sequence[int]) -> Extent:
        pairs = list(zip(elements, powers, strict=True))
        axes = range(self.scores.shape[1])
        return Extent(
            tuple(sum(power * element.low[axis] for element, power in pairs) for axis in axes),
            tuple(sum(power * element.high[axis] for element, power in pairs) for axis in axes),
        )

    def mix(self, log_weights: Array, elements: Sequence[Extent]) -> Extent:
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        axes = range(self.scores.shape[1])
        return Extent(
            tuple(min(element.low[axis] for element in used) for axis in axes),
            tuple(max(element.high[axis] for element in used) for axis in axes),
        )
