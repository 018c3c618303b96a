"""The pairs of exact answers of data sets that differ in one record: the neighbours of differential privacy."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.laws.law import IntArray
from dalenius.laws.sumsets import MOST, Combine, Sums, attained, differences, upwards, within

ANYWHERE: Final = 2**62
FEW: Final = 64
"""Values of a record whose pairs are compared one by one."""


@final
@dataclass(frozen=True)
class Neighbours:
    """distances: how far each coordinate moves under the change of the record that moves the answer most (L1);
    reach: the most that any change moves each coordinate; both in the query's unit.

    own: the record's scores (values, axes); others: by stratum of the remaining records, their scores (values, axes)
    and how many there are; all in lattice steps.
    """

    distances: tuple[Fraction, ...]
    reach: tuple[Fraction, ...]
    own: IntArray
    others: tuple[tuple[IntArray, int], ...]
    combine: tuple[Combine, ...]

    def on(self, axes: Sequence[int], steps: Sequence[Fraction]) -> "Neighbours":
        """The same of some coordinates, of these lattice steps; of many values, and of extremes, the distances are
        what each coordinate moves at the most."""
        chosen = list(axes)
        reach = tuple(self.reach[axis] for axis in chosen)
        return Neighbours(
            self._furthest(chosen, steps) or reach,
            reach,
            self.own[:, chosen],
            tuple((rows[:, chosen], people) for rows, people in self.others),
            tuple(self.combine[axis] for axis in chosen),
        )

    def pairs(self, axis: int, low: int = -ANYWHERE, high: int = ANYWHERE) -> IntArray | None:
        """The exact answers (pairs, 2) on one coordinate of data sets that differ in this record, in lattice steps,
        the two different; pairs that lie below `low`, or above `high`, may be missing. None where there are too many,
        or they are not known."""
        own = upwards(self.own, self.combine)[:, axis]
        sums = self._left[axis]
        values = differences(own)
        if sums is None:
            return None
        there = within(sums, low - int(own.max()), high - int(own.min())) if self.combine[axis] == "sum" else sums
        if there is None or len(there) * len(values) > MOST:
            return None
        found = [self._set_apart(np.asarray(there), pair, axis) for pair in values]
        return np.unique(np.concatenate([np.empty((0, 2), dtype=np.int64), *found]), axis=0)

    def _furthest(self, axes: list[int], steps: Sequence[Fraction]) -> tuple[Fraction, ...]:
        if len(self.own) > FEW or any(self.combine[axis] != "sum" for axis in axes):
            return ()
        rows = [
            tuple(int(score) * step for score, step in zip(row, steps, strict=True))
            for row in self.own[:, axes].tolist()
        ]
        moves = (tuple(abs(a - b) for a, b in zip(one, other, strict=True)) for one in rows for other in rows)
        return max(moves, key=sum)

    def _set_apart(self, there: IntArray, pair: tuple[int, int], axis: int) -> IntArray:
        if self.combine[axis] == "sum":
            return np.stack([there + pair[0], there + pair[1]], axis=1)
        made = np.stack([np.maximum(there, pair[0]), np.maximum(there, pair[1])], axis=1)
        made = made[made[:, 0] < made[:, 1]]
        return made if self.combine[axis] == "max" else -made

    @cached_property
    def _left(self) -> list[Sums | None]:
        """The values of each coordinate that the remaining records can attain."""
        turned = [(upwards(rows, self.combine), people) for rows, people in self.others]
        return [
            attained([(rows[:, axis], people) for rows, people in turned], how, -ANYWHERE)
            for axis, how in enumerate(self.combine)
        ]
