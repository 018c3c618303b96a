"""What is counted of the degrees of a graph, how far one edge or one person moves it, and what is inferred of a noised
count (Hay, Li, Miklau and Jensen 2009; Theory §18).

Every statistic is a vector of whole numbers. What it must satisfy (order, totals) is public, and the answer nearest to
the noised one that satisfies it is post-processing.
"""

import abc
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray


class DegreeStatistic(abc.ABC):
    """people: how many, which is public; most: the largest degree that is counted, D."""

    name: str

    @abc.abstractmethod
    def counted(self, degrees: IntArray, most: int) -> IntArray:
        """Of degrees (people,) between 0 and `most`."""

    @abc.abstractmethod
    def by_edge(self) -> int:
        """How far (L1) one edge more or less moves it at the most (Result 18.1)."""

    @abc.abstractmethod
    def by_person(self, most: int) -> int:
        """How far (L1) it moves at the most where all edges of one person change and the graph is projected to degrees
        of at most `most` (Result 18.3)."""

    @abc.abstractmethod
    def inferred(self, noised: IntArray, people: int, most: int) -> IntArray:
        """Degrees (people,), ascending, between 0 and `most`: those whose statistic is near the noised one."""


@final
class Sequence(DegreeStatistic):
    """All degrees in ascending order."""

    name: Final = "sequence"

    def counted(self, degrees: IntArray, most: int) -> IntArray:
        return np.sort(degrees)

    def by_edge(self) -> int:
        return 2

    def by_person(self, most: int) -> int:
        return 2 * most

    def inferred(self, noised: IntArray, people: int, most: int) -> IntArray:
        return whole(np.clip(increasing(noised), 0, most))


@final
class Cumulative(DegreeStatistic):
    """How many people have at most 0, 1, .., D - 1 edges; at most D have all. It moves as far as the sorted sequence:
    the area between two of these staircases is the same along either axis."""

    name: Final = "cumulative"

    def counted(self, degrees: IntArray, most: int) -> IntArray:
        return np.cumsum(np.bincount(degrees, minlength=most + 1))[:most]

    def by_edge(self) -> int:
        return 2

    def by_person(self, most: int) -> int:
        return 2 * most

    def inferred(self, noised: IntArray, people: int, most: int) -> IntArray:
        at_most = whole(np.clip(increasing(noised), 0, people)) if most else np.zeros(0, dtype=np.int64)
        counts = np.diff(np.concatenate([[0], at_most, [people]]))
        return np.repeat(np.arange(most + 1), counts)


@final
class Histogram(DegreeStatistic):
    """How many people have 0, 1, .., D edges."""

    name: Final = "histogram"

    def counted(self, degrees: IntArray, most: int) -> IntArray:
        return np.bincount(degrees, minlength=most + 1)

    def by_edge(self) -> int:
        return 4

    def by_person(self, most: int) -> int:
        return 4 * most + 2

    def inferred(self, noised: IntArray, people: int, most: int) -> IntArray:
        return np.repeat(np.arange(most + 1), shares(noised, people))


STATISTICS: Final[dict[str, DegreeStatistic]] = {each.name: each for each in (Sequence(), Cumulative(), Histogram())}


def increasing(noised: IntArray) -> Array:
    """The nearest (L2) sequence that does not fall: isotonic regression, by pooling adjacent violators."""
    from scipy.optimize import isotonic_regression

    if len(noised) == 0:
        return np.zeros(0)
    return np.asarray(isotonic_regression(noised.astype(np.float64)).x, dtype=np.float64)


def shares(noised: IntArray, total: int) -> IntArray:
    """The nearest (L2) numbers of at least 0 with that sum, rounded to whole ones with that sum: all less the same
    amount, and 0 where that is below 0; then the largest remainders are rounded up, the first of equal ones first."""
    falling = np.sort(noised)[::-1].astype(np.float64)
    excess = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    kept = int(np.flatnonzero(falling > excess)[-1]) if total else 0
    exact = np.maximum(noised - excess[kept], 0.0) if total else np.zeros(len(noised))
    found = np.floor(exact).astype(np.int64)
    left = total - int(found.sum())
    found[np.argsort(found - exact, kind="stable")[:left]] += 1
    return found


def whole(values: Array) -> IntArray:
    """The nearest whole numbers, halves upwards."""
    return np.floor(values + 0.5).astype(np.int64)
