"""Data sets that differ in one record, and what a matrix of probabilities tells of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.laws.limits import MOST_COMPARED_VALUES, MOST_LISTED
from dalenius.laws.sums import Combine, Sums, attainable_sums, differences, sums_within, upwards

ANYWHERE: Final = 2**62


@final
@dataclass(frozen=True)
class Neighbours:
    """distances: how far each coordinate moves under the change of the record that moves the answer most (L1);
    reach: the most that any change moves each coordinate; both in the query's unit.

    own: the record's scores (values, axes); others: by stratum of the remaining records, their scores (values, axes)
    and how many there are; all in lattice steps.

    A bit among two others, so that the answers are a count up to 3: two neighbouring data sets have counts next to each
    other. Of a maximum of scores 0 and 5 only one pair differs: all others' scores are 0.

    >>> bits, fives = np.array([[0], [1]]), np.array([[0], [5]])
    >>> Neighbours((Fraction(1),), (Fraction(1),), bits, ((bits, 2),), ("sum",)).pairs(0).tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> Neighbours((Fraction(5),), (Fraction(5),), fives, ((fives, 2),), ("max",)).pairs(0).tolist()
    [[0, 5]]
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
        # Incomes to the cent of a thousand people: too many answers; the caller has a bound over any so far apart.
        if sums is None:
            return None
        there = sums_within(sums, low - int(own.max()), high - int(own.min())) if self.combine[axis] == "sum" else sums
        if there is None or len(there) * len(values) > MOST_LISTED:
            return None
        found = [self._answer_pairs(np.asarray(there), pair, axis) for pair in values]
        return np.unique(np.concatenate([np.empty((0, 2), dtype=np.int64), *found]), axis=0)

    def _furthest(self, axes: list[int], steps: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """How far each coordinate moves under the one change of this record that moves them most together (L1), in the
        query's unit; empty where no pair is looked at."""
        if len(self.own) > MOST_COMPARED_VALUES or any(self.combine[axis] != "sum" for axis in axes):
            return ()
        rows = [
            tuple(int(score) * step for score, step in zip(row, steps, strict=True))
            for row in self.own[:, axes].tolist()
        ]
        moves = (tuple(abs(a - b) for a, b in zip(one, other, strict=True)) for one in rows for other in rows)
        return max(moves, key=sum)

    def _answer_pairs(self, there: IntArray, pair: tuple[int, int], axis: int) -> IntArray:
        """The two answers (answers, 2) for each one that the others make, where this record has one value or the other.
        Of an extreme only those in which the others leave it the last word: equal answers are dropped."""
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
            attainable_sums([(rows[:, axis], people) for rows, people in turned], how, -ANYWHERE)
            for axis, how in enumerate(self.combine)
        ]
