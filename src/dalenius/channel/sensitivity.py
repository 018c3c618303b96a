"""The distance that one record, or one group of them, can move the answer, for any values of the remaining records.

A sum moves by the record's own change. A maximum moves only above the greatest of all others: the least value of that
is found. Two maxima at once, and another record that is (0, 3) or (2, 0): either maximum may be low, not both.

>>> floors([np.array([[0, 3], [2, 0]])], np.array([0, 0])).tolist()
[[0, 3], [2, 0]]
>>> floors([np.array([[1], [5]]), np.array([[2], [9]])], np.array([0])).tolist()  # one maximum: of others 1 and 2
[[2]]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.channel.limits import MOST_EXTREME_WAYS
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.joints import Joint, Stratum, factor_strata
from dalenius.joints.joint import Inclusion
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Combine, extreme_axes, upwards
from dalenius.queries import Scores


def floors(choices: Sequence[IntArray], least: IntArray) -> IntArray:
    """Returns the minimal vectors (floors, axes) among all coordinatewise maxima of the remaining records' scores.

    With one axis there is one floor; with several, a low maximum on one may force a high one on another. TooLarge
    where there are too many.

    Args:
        choices: Per class of remaining records, the scores (values, axes) that each can take.
        least: A lower bound of all scores (axes,).
    """
    found = least[None]
    # Because a second record at the same value raises nothing, one of each class is enough. So is one of equal classes.
    distinct = {rows.tobytes(): rows for rows in (_minimal(own) for own in choices)}
    for rows in distinct.values():
        if (ways := len(found) * len(rows)) > MOST_EXTREME_WAYS:
            size = f"{ways:,} ways to set the extremes"
            raise TooLarge("the sensitivity", size, "ask fewer at once", MOST_EXTREME_WAYS)
        found = _minimal(np.maximum(found[:, None], rows[None]).reshape(-1, len(least)))
    return found


def _minimal(rows: IntArray) -> IntArray:
    """Returns the minimal rows, equal ones once: no other row is less or equal in every coordinate."""
    rows = np.unique(rows, axis=0)
    # The case of a single maximum or minimum, as in nearly all such queries.
    if rows.shape[1] == 1:
        return rows[:1]
    if rows.shape[1] == 2:
        # Because a row is minimal if, in the order of the first coordinate, its second falls below all before it.
        lowest = np.minimum.accumulate(rows[:, 1])
        falls = np.concatenate([[True], rows[1:, 1] < lowest[:-1]])
        return np.asarray(rows[falls])
    kept = rows[:1]
    for row in rows[1:]:
        if not np.any(np.all(kept <= row, axis=1)):
            kept = np.vstack([kept, row])
    return kept


def _furthest(points: IntArray, weights: Sequence[int]) -> tuple[int, int]:
    """Returns two of the points (points, axes) whose weighted L1 distance is greatest.

    Where they differ in one coordinate only, the upper comes first.
    """
    moving = [int(axis) for axis in np.flatnonzero(np.any(points != points[0], axis=0))]
    # The case of scores that are all the same: an answer that nobody of this stratum moves.
    if not moving:
        return 0, 0
    # So that distances do not overflow, as for incomes in cents times steps brought to one unit.
    heavy = int(np.max(np.abs(points))) * max(weights) * 2 * points.shape[1] >= 2**62
    # Because 64 bits may not hold the distances, they are Python's own integers there.
    kind = np.dtype(object if heavy else np.int64)
    scaled = points[:, moving].astype(kind) * np.array([weights[axis] for axis in moving], dtype=kind)
    # The case of many coordinates and few values, a histogram of a record's category: pairs are fewer than signs.
    if 2 ** (len(moving) - 1) > len(points):
        return _by_pairs(scaled)
    best = 0, 0, 0
    for signs in range(2 ** (len(moving) - 1)):
        # Because the distance is the greatest over all signs of the coordinates, of which the first may be held.
        turned = np.array([-1 if signs >> axis & 1 else 1 for axis in range(len(moving))])[::-1]
        along = (scaled * turned).sum(axis=1)
        high, low = int(np.argmax(along)), int(np.argmin(along))
        best = max(best, (int(along[high] - along[low]), high, low), key=lambda each: each[0])
    return best[1], best[2]


def _by_pairs(scaled: IntArray) -> tuple[int, int]:
    """Finds the two furthest points by comparing every pair."""
    best = 0, 0, 0
    for high in range(len(scaled)):
        distances_from_high = np.abs(scaled - scaled[high]).sum(axis=1)
        low = int(np.argmax(distances_from_high))
        best = max(best, (int(distances_from_high[low]), high, low), key=lambda each: each[0])
    return best[1], best[2]


@final
@dataclass(frozen=True)
class Spread:
    """The change of one record that can move the answer most.

    All are in the query's unit, exactly: 0.1 is a tenth.

    Args:
        values: The two values of the record between which the answer moves most (L1).
        distances: How far each coordinate moves under that change.
        reach: The most that any change moves each coordinate.
        neighbours: The pairs of answers that differ by this record.
        sampled: Whether the record may not be drawn into the sample that is asked: losses are then at most those.
        inclusion: The way in which it is drawn, where that is simple; None elsewhere.
    """

    values: tuple[RecordValue, RecordValue]
    distances: tuple[Fraction, ...]
    reach: tuple[Fraction, ...]
    neighbours: Neighbours | None = None
    sampled: bool = False
    inclusion: Inclusion | None = None

    @property
    def total(self) -> Fraction:
        return sum(self.distances, Fraction(0))


def spread_in(joint: Joint, scores: Scores, stratum: int) -> Spread:
    """Returns `spread_of` a record of a stratum of a law, with whether only a sample is asked.

    Args:
        joint: The joint law of the records.
        scores: The query's scores.
        stratum: The index of the record's stratum, from 0.
    """
    found = spread_of(joint.strata(), scores, stratum)
    return replace(found, sampled=joint.sampling_rate is not None, inclusion=joint.inclusion(stratum))


def spread_of(strata: Sequence[Stratum], scores: Scores, stratum: int) -> Spread:
    """Returns the spread of a record, over its whole universe and all values of the remaining records.

    Args:
        strata: The strata of the records.
        scores: The query's scores.
        stratum: The index of the record's stratum.
    """
    first = sum(len(each.values) for each in strata[:stratum])
    values = strata[stratum].values
    # Because a sum moves by the record's own change, whatever the others are.
    if scores.additive:
        found = _widest(values, scores.exact[first : first + len(values)])
    else:
        found = _Question(tuple(strata), scores.exact, scores.combine, scores.lattice).spread(stratum)
    return replace(found, neighbours=_neighbours(found, strata, scores, stratum))


def _neighbours(found: Spread, strata: Sequence[Stratum], scores: Scores, stratum: int) -> Neighbours:
    """Returns the possible differences of data sets that differ in one such record, which the noise reads."""
    parts = np.split(scores.indices, np.cumsum([len(each.values) for each in strata])[:-1])
    others = tuple(
        (part, each.people - (i == stratum)) for i, (part, each) in enumerate(zip(parts, strata, strict=True))
    )
    return Neighbours(found.distances, found.reach, parts[stratum], others, scores.combine)


@lru_cache(maxsize=4096)
def _widest(values: tuple[RecordValue, ...], exact: tuple[tuple[Fraction, ...], ...]) -> Spread:
    """Returns the spread of a sum: the two values of a record that are furthest apart over all coordinates (L1)."""
    axes = range(len(exact[0]))
    moving = [axis for axis in axes if len({row[axis] for row in exact}) > 1]
    # The case of one answer that this record can move: the values of least and greatest score.
    if len(moving) <= 1:
        axis = moving[0] if moving else 0
        low = min(range(len(values)), key=lambda i: exact[i][axis])
        high = max(range(len(values)), key=lambda i: exact[i][axis])
        distances = _distances(exact[high], exact[low])
        return Spread((values[high], values[low]), distances, distances)
    pairs = ((i, j) for i in range(len(values)) for j in range(i))
    high, low = max(pairs, key=lambda pair: sum(_distances(exact[pair[0]], exact[pair[1]])))
    reach = tuple(max(column) - min(column) for column in zip(*exact, strict=True))
    return Spread((values[high], values[low]), _distances(exact[high], exact[low]), reach)


def _distances(one: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(abs(a - b) for a, b in zip(one, other, strict=True))


@final
@dataclass(frozen=True)
class _Question:
    """Scores with extremes among their coordinates, on these strata."""

    strata: tuple[Stratum, ...]
    exact: tuple[tuple[Fraction, ...], ...]
    combine: tuple[Combine, ...]
    lattice: Lattice

    @lru_cache(maxsize=4096)  # noqa: B019 (a frozen value, of which a release asks the same for each person)
    def spread(self, stratum: int) -> Spread:
        """Returns the spread of a record of `stratum`, jointly over the coordinates.

        It is the worst over all values of the remaining records, by the extremes' floors.
        """
        own = self._scores()[stratum]
        members = np.zeros(len(self.strata), dtype=np.int64)
        members[stratum] = 1
        found, widest = [], []
        for floor in self._floors(members):
            reached = own.copy()
            reached[:, self._extremes] = np.maximum(own[:, self._extremes], floor)
            high, low = _furthest(reached, self._weights)
            moves = np.abs(reached[high] - reached[low])
            distances = tuple(int(n) * step for n, step in zip(moves, self.lattice.steps, strict=True))
            values = self.strata[stratum].values
            widest.append(reached.max(axis=0) - reached.min(axis=0))
            found.append(Spread((values[high], values[low]), distances, distances))
        steps = zip(np.max(widest, axis=0), self.lattice.steps, strict=True)
        return replace(max(found, key=lambda each: each.total), reach=tuple(int(n) * step for n, step in steps))

    def group_bound(self, members: IntArray) -> Fraction:
        """Bounds how far these `members` (strata,) together can move the answer; exact where it is one extreme."""
        one_by_one = sum((int(n) * self.spread(s).total for s, n in enumerate(members) if n), Fraction(0))
        added, highest, lowest = Fraction(0), [], []
        for stratum, rows in enumerate(self._scores()):
            # Because strata without a member stay as they are.
            if members[stratum]:
                sums = rows.copy()
                sums[:, self._extremes] = 0
                high, low = _furthest(sums, self._weights)
                added += int(members[stratum]) * self._distance(sums[high] - sums[low])
                highest.append(rows[:, self._extremes].max(axis=0))
                lowest.append(rows[:, self._extremes].min(axis=0))
        top, bottom = np.max(highest, axis=0), np.max(lowest, axis=0)
        moves = np.zeros(len(self.combine), dtype=np.int64)
        together = Fraction(0)
        for floor in self._floors(members):
            moves[self._extremes] = np.maximum(top, floor) - np.maximum(bottom, floor)
            together = max(together, added + self._distance(moves))
        # Because both are bounds, the smaller counts: one record after the other, or all under a common floor.
        return min(one_by_one, together)

    @property
    def _extremes(self) -> list[int]:
        return extreme_axes(self.combine)

    @property
    def _weights(self) -> list[int]:
        """The steps of the coordinates, in a common unit."""
        denominator = lcm(*(step.denominator for step in self.lattice.steps))
        return [int(step * denominator) for step in self.lattice.steps]

    def _distance(self, moves: IntArray) -> Fraction:
        pairs = zip(moves, self.lattice.steps, strict=True)
        return sum((abs(int(n)) * step for n, step in pairs), Fraction(0))

    def _scores(self) -> list[IntArray]:
        """Returns the scores by stratum (values, axes), in steps, every extreme as a maximum."""
        turned = upwards(self.lattice.indices(self.exact), self.combine)
        return np.split(turned, np.cumsum([len(stratum.values) for stratum in self.strata])[:-1])

    def _floors(self, members: IntArray) -> IntArray:
        """Returns the minimal maxima of all records but these members (see `floors`)."""
        rows = [own[:, self._extremes] for own in self._scores()]
        # Because a stratum whose people are all members has nobody left to set a floor.
        others = [own for own, stratum, n in zip(rows, self.strata, members, strict=True) if stratum.people > n]
        return floors(others, np.min([own.min(axis=0) for own in rows], axis=0))


def moved_by(strata: Sequence[Stratum], scores: Scores, groups: Sequence[IntArray]) -> tuple[Fraction, int]:
    """Returns the most one of the groups can move the answer, and the largest group's size k.

    All records of the group change. For sums of records with one Δ the first is kΔ (Theory §5, method `group`). With
    several coordinates it is a bound: each is taken at its own worst, given a common floor of the remaining records.

    Args:
        strata: The strata of the records.
        scores: The query's scores.
        groups: For each group, how many records of each stratum it has (strata,).
    """
    largest = max(int(group.sum()) for group in groups)
    if not scores.additive:
        question = _Question(tuple(strata), scores.exact, scores.combine, scores.lattice)
        return max(question.group_bound(group) for group in groups), largest
    spreads = _spreads(strata, scores)
    moves = [sum((int(n) * each for n, each in zip(g, spreads, strict=True)), Fraction(0)) for g in groups]
    return max(moves), largest


def _spreads(strata: Sequence[Stratum], scores: Scores) -> list[Fraction]:
    return [spread_of(strata, scores, i).total for i in range(len(strata))]


def axes_of(joint: Joint, scores: Scores) -> list[frozenset[int]]:
    """Returns the coordinates of `scores` that the groups of each factor of `joint` can move."""
    moved = touched(joint, scores)
    return [frozenset(np.flatnonzero(moved[list(group)].any(axis=0)).tolist()) for group in factor_strata(joint)]


def linked_coordinates(sets: Sequence[frozenset[int]], axes: int) -> list[frozenset[int]]:
    """Returns the coordinates, from 0 up to `axes`, in sets: those that some of `sets` links are together.

    >>> linked_coordinates([frozenset([0, 2])], 3) == [frozenset([0, 2]), frozenset([1])]
    True
    """
    found = [frozenset([axis]) for axis in range(axes)]
    for linked in set(sets):
        # Because two coordinates that one household moves depend on each other, they stay together.
        if len(linked) > 1:
            together = [each for each in found if each & linked]
            found = [each for each in found if not each & linked] + [frozenset().union(*together)]
    return sorted(found, key=min)


def touched(joint: Joint, scores: Scores) -> NDArray[np.bool_]:
    """Returns, per stratum of `joint` and axis of `scores`, whether any score can move the answer.

    A score moves it that is not 0, or not the least (of a maximum).
    """
    turned = upwards(scores.indices, scores.combine)
    idle = np.zeros(scores.lattice.axes, dtype=np.int64)
    # Because the least score of a maximum moves nothing, as 0 of a sum.
    for axis in extreme_axes(scores.combine):
        idle[axis] = turned[:, axis].min()
    return np.array([np.any(own != idle, axis=0) for own in _by_stratum(joint, turned)])


def stratum_ranges(joint: Joint, indices: IntArray) -> IntArray:
    """Returns the largest score less the least per stratum of `joint` and axis, from `indices` (slots, axes)."""
    return np.array([own.max(axis=0) - own.min(axis=0) for own in _by_stratum(joint, indices)])


def _by_stratum(joint: Joint, indices: IntArray) -> Iterator[IntArray]:
    """Yields the rows of each stratum's slots."""
    first = 0
    for stratum in joint.strata():
        yield indices[first : first + len(stratum.values)]
        first += len(stratum.values)
