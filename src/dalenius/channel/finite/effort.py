"""The cost of computing the laws of an answer, by a dry run of the model's own products."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, final

import numpy as np

from dalenius.joints import Joint
from dalenius.laws.law import Array, IntArray
from dalenius.laws.sumsets import extreme_axes
from dalenius.laws.transform import Transform
from dalenius.laws.transforms.characteristic import Cumulants
from dalenius.laws.transforms.ranges import Extent, Extents
from dalenius.laws.transforms.tilting import REACH, STRIDE
from dalenius.queries import Scores

# Seconds on an ordinary core of today; only their proportions matter.
CALL: Final = 2e-5  # any operation on arrays, however short
PASS: Final = 5e-9  # one number times one term, exponents and all
BLOCK: Final = 3e-10  # one product within a block of plain doubles
WIDE: Final = 5e-8  # one entry of a law with extremes
WAVE: Final = 2e-8  # one frequency of one tilted transform
ROOM: Final = 400.0  # points in a block, about


@final
@dataclass(frozen=True)
class _Size:
    """The size of a grid: its box, and at most how many of its points are not 0."""

    extent: Extent
    terms: float

    @property
    def points(self) -> float:
        return float(self.extent.points)


@final
class Effort(Transform[_Size]):
    """A dry run of the positive convolution: `seconds` is its total time, `calls` its number of array operations.

    scores: of the coordinates that are sums; cells: how many entries each point of their box has (1 without extremes);
    `largest`: the most entries of one element.
    """

    def __init__(self, scores: IntArray, cells: float = 1.0) -> None:
        self._extents = Extents(scores)
        self._line = scores.shape[1] == 1 and cells == 1
        self._cells = cells
        self.seconds = 0.0
        self.calls = 0
        self.largest = 0.0

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> _Size:
        terms = float(np.count_nonzero(log_weights > -np.inf))
        self._spend(CALL + PASS * terms * self._cells)
        extent = self._extents.mean(log_weights, slots, counts)
        return _Size(extent, terms if self._cells == 1 else min(terms, float(extent.points)))

    def product(self, elements: Sequence[_Size], powers: Sequence[int]) -> _Size:
        running = _Size(self._extents.product([], []), 1.0)
        for element, power in sorted(zip(elements, powers, strict=True), key=lambda pair: pair[0].points):
            if power > 0:
                running = self._times_power(running, element, power)
        self.largest = max(self.largest, self._cells * running.points)
        return running

    def mix(self, log_weights: Array, elements: Sequence[_Size]) -> _Size:
        extent = self._extents.mix(log_weights, [element.extent for element in elements])
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        entry = 4 * PASS if self._cells == 1 else 4 * WIDE * self._cells
        self._spend(2 * CALL + entry * sum(element.points for element in used))
        return _Size(extent, min(float(extent.points), sum(element.terms for element in used)))

    def _times_power(self, running: _Size, element: _Size, power: int) -> _Size:
        """As the positive convolution does it: several axes one factor after another, where that is quicker."""
        raised = float(self._extents.product([element.extent], [power]).points)
        sparse = min(raised, running.terms)
        if self._line or self._cells > 1 or min(element.points, running.points) == 1 or power * element.terms >= sparse:
            return self._times(running, self._power(element, power))
        extent = self._extents.product([running.extent, element.extent], [1, power])
        points = float(extent.points)
        self._spend(power * (CALL + self._entry * element.terms * points))
        return _Size(extent, points)

    def _power(self, element: _Size, power: int) -> _Size:
        if power == 1:
            return element
        extent = self._extents.product([element.extent], [power])
        points = float(extent.points)
        if self._line or element.points == 1:
            # By squaring: the last product costs as much as all before it together.
            self._spend(power.bit_length() * CALL + 2 * self._convolution(points / 2, points / 2, points / 2))
        else:
            self._spend(power * (CALL + self._entry * element.terms * points / 2))
        return _Size(extent, min(points, min(element.terms, 1e6) ** min(power, 40)))

    def _times(self, one: _Size, other: _Size) -> _Size:
        extent = self._extents.product([one.extent, other.extent], [1, 1])
        sparse = min(one.terms, other.terms)
        self._spend(CALL + self._convolution(one.points, other.points, sparse))
        return _Size(extent, min(float(extent.points), one.terms * other.terms))

    @property
    def _entry(self) -> float:
        return PASS if self._cells == 1 else WIDE * self._cells

    def _convolution(self, one: float, other: float, sparse: float) -> float:
        by_terms = self._entry * sparse * (one + other)
        if not self._line:
            return by_terms
        pairs = (1 + one / ROOM) * (1 + other / ROOM)
        return min(by_terms, BLOCK * one * other + 3 * CALL * pairs)

    def _spend(self, seconds: float) -> None:
        self.seconds += seconds
        self.calls += 1


def effort_of(joint: Joint, scores: Scores) -> Effort:
    """The cost of the positive convolution of every subject's laws."""
    extreme = extreme_axes(scores.combine)
    # Per extreme axis three products for each of its ranks.
    cells = float(np.prod([3.0 * len(np.unique(scores.indices[:, axis])) for axis in extreme]))
    effort = Effort(np.delete(scores.indices, extreme, axis=1), cells)
    for _ in joint.mean_product(effort):
        pass
    return effort


def tilting_seconds(joint: Joint, scores: Scores, extent: Extent, calls: int) -> float:
    """The seconds of a sweep of tilted transforms, for one sum; calls: array operations for one tilt."""
    deviation = sqrt(max(joint.total(Cumulants(scores.indices[:, 0], 0.0)).variance, 1.0))
    tilts = 3 + 1.6 * extent.points / (STRIDE * deviation)
    points = 2.5 * REACH * deviation + 64
    laws = sum(len(subject.secrets) for subject in joint.subjects())
    # Each tilt is found by several cumulants, each as many operations on short arrays.
    return tilts * (calls * (4 * CALL + WAVE * points) + laws * (4 * CALL + 3 * WAVE * points))
