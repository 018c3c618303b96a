"""Data sets that differ in one record, and the pairs of exact answers that such a change makes.

A noise that is given as a matrix of probabilities reads its worst ratio from these pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.laws.folded_sums import folded, folded_choices
from dalenius.laws.limits import MOST_COMPARED_VALUES, MOST_LISTED
from dalenius.laws.sums import Combine, Sums, attainable_sums, differences, sums_within, upwards

ANYWHERE: Final = 2**62


@final
@dataclass(frozen=True)
class Neighbours:
    """The changes of one record that move the answer most.

    A bit among two others, so that the answers are a count up to 3: two neighbouring data sets have counts next to
    each other. For a maximum of scores 0 and 5 only one pair differs: all others' scores are 0.

    >>> bits, fives = np.array([[0], [1]]), np.array([[0], [5]])
    >>> Neighbours((Fraction(1),), (Fraction(1),), bits, ((bits, 2),), ("sum",)).pairs(0).tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> Neighbours((Fraction(5),), (Fraction(5),), fives, ((fives, 2),), ("max",)).pairs(0).tolist()
    [[0, 5]]

    Args:
        distances: How far each coordinate moves under the change of the record that moves the answer most (L1), in
            the query's unit.
        reach: The most that any change moves each coordinate, in the query's unit.
        own: The record's scores (values, axes), in lattice steps.
        others: By stratum of the remaining records, their scores (values, axes), in lattice steps, and how many there
            are.
        combine: How each coordinate is made.
    """

    distances: tuple[Fraction, ...]
    reach: tuple[Fraction, ...]
    own: IntArray
    others: tuple[tuple[IntArray, int], ...]
    combine: tuple[Combine, ...]

    def on(self, axes: Sequence[int], steps: Sequence[Fraction]) -> "Neighbours":
        """Returns the neighbours of the coordinates `axes` only, whose lattice steps are `steps`.

        For records with many values, and for extremes, the distances are the most that each coordinate moves.
        """
        chosen = list(axes)
        reach = tuple(self.reach[axis] for axis in chosen)
        return Neighbours(
            self._furthest(chosen, steps) or reach,
            reach,
            self.own[:, chosen],
            tuple((rows[:, chosen], people) for rows, people in self.others),
            tuple(self.combine[axis] for axis in chosen),
        )

    def pairs(
        self, axis: int, low: int = -ANYWHERE, high: int = ANYWHERE, period: int | None = None
    ) -> IntArray | None:
        """Returns the exact answers (pairs, 2) of data sets that differ in this record, in lattice steps.

        The two differ. None where there are too many, or they are not known.

        Args:
            axis: The number of the answer's coordinate, from 0.
            low: Pairs that lie below it may be missing, in lattice steps.
            high: Pairs that lie above it may be missing, in lattice steps.
            period: Where given, pairs beyond are not missing: the nearest that lie a multiple of it away stand for
                them, in lattice steps.
        """
        own = upwards(self.own, self.combine)[:, axis]
        values = differences(own)
        there = self._others_within(axis, low - int(own.max()), high - int(own.min()), period)
        # The case of incomes to the cent of a thousand people: too many answers; the caller bounds any so far apart.
        if there is None or len(there) * len(values) > MOST_LISTED:
            return None
        found = [self._answer_pairs(np.asarray(there), pair, axis) for pair in values]
        return np.unique(np.concatenate([np.empty((0, 2), dtype=np.int64), *found]), axis=0)

    def _furthest(self, axes: list[int], steps: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Returns how far each coordinate moves under the change of this record that moves them most (L1).

        In the query's unit; empty where the pairs are not compared.
        """
        if len(self.own) > MOST_COMPARED_VALUES or any(self.combine[axis] != "sum" for axis in axes):
            return ()
        rows = [
            tuple(int(score) * step for score, step in zip(row, steps, strict=True))
            for row in self.own[:, axes].tolist()
        ]
        moves = (tuple(abs(a - b) for a, b in zip(one, other, strict=True)) for one in rows for other in rows)
        return max(moves, key=sum)

    def _answer_pairs(self, there: IntArray, pair: tuple[int, int], axis: int) -> IntArray:
        """Returns the two answers (answers, 2) of one record's two values, for each answer of the others.

        For an extreme only answers in which the others leave it the last word: equal answers are dropped.
        """
        if self.combine[axis] == "sum":
            return np.stack([there + pair[0], there + pair[1]], axis=1)
        made = np.stack([np.maximum(there, pair[0]), np.maximum(there, pair[1])], axis=1)
        made = made[made[:, 0] < made[:, 1]]
        return made if self.combine[axis] == "max" else -made

    def _others_within(self, axis: int, low: int, high: int, period: int | None) -> Sums | None:
        """Returns what the others make of a coordinate within a window, with what stands for all beyond."""
        sums = self._left[axis]
        if self.combine[axis] != "sum" or period is None:
            return sums if sums is None or self.combine[axis] != "sum" else sums_within(sums, low, high)
        if sums is None:
            return folded_choices([(rows[:, axis], people) for rows, people in self.others], high, period)
        return folded(sums, low, high, period)

    @cached_property
    def _left(self) -> list[Sums | None]:
        """The values of each coordinate that the remaining records can attain."""
        turned = [(upwards(rows, self.combine), people) for rows, people in self.others]
        return [
            attainable_sums([(rows[:, axis], people) for rows, people in turned], how, -ANYWHERE)
            for axis, how in enumerate(self.combine)
        ]
