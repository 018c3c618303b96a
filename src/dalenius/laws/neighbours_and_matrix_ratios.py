"""Data sets that differ in one record, and what a matrix of probabilities tells of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, log
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law_on_lattice import (
    MOST_LISTED,
    Array,
    Combine,
    IntArray,
    Law,
    Sums,
    attainable_sums,
    differences,
    sums_within,
    upwards,
    without_floor,
)

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
        # Values of a record whose pairs are compared one by one.
        if len(self.own) > 64 or any(self.combine[axis] != "sum" for axis in axes):
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


# Numbers of one band are within a factor 2^400 of each other: products of two bands are ordinary doubles.
_WIDTH: Final = 400
_BAND: Final = _WIDTH * log(2.0)


def pushed(law: Law, matrices: Sequence[Array]) -> Law:
    """Each axis of the answer through its matrix (length of the box, outputs). Unresolved mass is counted in `error`:
    infinite where a mass of 0 may be positive. The box found starts at 0: its points are the matrices' columns."""
    logs = law.log_mass()
    if law.floor is not None:
        logs = np.concatenate([logs, (law.base + law.floor)[None]])
    roundings = 0.0
    for axis, matrix in enumerate(matrices, 1):
        moved = np.moveaxis(logs, axis, -1)
        flat, more = through(moved.reshape(-1, moved.shape[-1]), matrix)
        logs = np.moveaxis(flat.reshape(*moved.shape[:-1], matrix.shape[1]), -1, axis)
        roundings += more
    floor = None
    if law.floor is not None:
        logs, floor = logs[:-1], logs[-1]
    box = logs.shape[1:]
    return without_floor(Law((0,) * len(box), np.zeros(box), logs, law.error + roundings * UNIT, floor))


def through(logs: Array, matrix: Array) -> tuple[Array, float]:
    """logs (rows, n) times matrix (n, outputs), in logs, and how many roundings lie behind any entry.

    Band by band of the logs and of the matrix: a double's range of each at a time.

    >>> through(np.array([[-1000.0, -1001.0]]), np.array([[0.75, 0.25], [0.25, 0.75]]))[0].round(4).tolist()
    [[-1000.172, -1000.6426]]
    """
    depth = float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))
    there = logs > -inf
    if np.all(np.count_nonzero(there, axis=1) <= 1):  # every row is a point mass: rows of the matrix, no sums
        only = np.argmax(there, axis=1)
        with np.errstate(divide="ignore"):
            return np.log(matrix)[only] + logs[np.arange(len(logs)), only, None], 4 * depth + 32
    top = np.max(logs, axis=1)
    # A row without any mass (a secret that is impossible) keeps logs of -inf.
    top = np.where(top > -inf, top, 0.0)
    with np.errstate(invalid="ignore"):
        bands = np.floor(np.where(there, (top[:, None] - logs) / _BAND, -1.0)).astype(np.int64)
    total = np.full((len(logs), matrix.shape[1]), -inf)
    parts = list(_bands(matrix))
    deepest = int(bands.max()) + max((lowered for lowered, _ in parts), default=0)
    for band in range(int(bands.max()) + 1):
        here = bands == band
        rows = np.flatnonzero(here.any(axis=1))
        exponents = np.where(here[rows], logs[rows] - top[rows, None] + band * _BAND, -inf)
        masses = np.exp(exponents)
        for lowered, part in parts:
            with np.errstate(divide="ignore"):
                found = np.log(masses @ part) + (top[rows, None] - (band + lowered) * _BAND)
            total[rows] = found if band == lowered == 0 else np.logaddexp(total[rows], found)
    return total, len(matrix) + 4 * depth + 4.0 * _BAND * deepest + 32


def _bands(matrix: Array) -> Iterator[tuple[int, Array]]:
    """(k, the entries in (2^-(k+1)·WIDTH, 2^-k·WIDTH], times 2^k·WIDTH): exactly, entry by entry."""
    _, exponents = np.frexp(matrix)
    place = np.where(matrix > 0, -exponents // _WIDTH, -1)
    place = np.where(matrix > 0, np.maximum(place, 0), -1)
    for band in range(int(place.max()) + 1):
        here = place == band
        if here.any():
            yield band, np.ldexp(np.where(here, matrix, 0.0), band * _WIDTH)


def widest_ratio(answers: Sequence[Fraction], matrix: Array, distance: Fraction) -> float:
    """The worst log-ratio in a column over two rows whose answers are at most `distance` apart; infinite where a zero
    meets a non-zero.

    >>> noise = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])  # of answers 0, 1 and 2
    >>> round(widest_ratio([Fraction(0), Fraction(1), Fraction(2)], noise, Fraction(1)), 4)  # log(.6/.2)
    1.0986
    """
    order = sorted(range(len(answers)), key=answers.__getitem__)
    reach = _reach([answers[i] for i in order], distance)
    with np.errstate(divide="ignore"):
        logs = np.log(matrix[order])
    most, least = _ahead(logs, reach, np.maximum), _ahead(logs, reach, np.minimum)
    with np.errstate(invalid="ignore"):
        above = np.where(most > -inf, most - logs, 0.0)
        below = np.where(logs > -inf, logs - least, 0.0)
    return float(np.max(np.maximum(above, below), initial=0.0))


def ratio_between(matrix: Array, pairs: IntArray) -> float | None:
    """The worst log-ratio in a column over these pairs of rows (pairs, 2), infinite where a zero meets a non-zero; None
    where no two of them differ."""
    # Of pairs of rows that are equal throughout nothing can be told: a query that leaves the record out.
    found = None
    for some in np.array_split(pairs, 1 + len(pairs) * matrix.shape[1] // 2**21):
        one, other = matrix[some[:, 0]], matrix[some[:, 1]]
        differ = one != other
        if differ.any():
            with np.errstate(divide="ignore"):
                gaps = np.abs(np.log(one[differ]) - np.log(other[differ]))
            found = max(found or 0.0, float(np.max(gaps)))
    return found


def _reach(answers: Sequence[Fraction], distance: Fraction) -> IntArray:
    """For each answer, in order, the last one within the distance."""
    within = distance + abs(distance) / 10**12  # an answer like 1/3 is written to a double's digits only
    last, found = 0, []
    for answer in answers:
        while last + 1 < len(answers) and answers[last + 1] - answer <= within:
            last += 1
        found.append(last)
    return np.array(found, dtype=np.int64)


def _ahead(logs: Array, reach: IntArray, extreme: np.ufunc) -> Array:
    """The extreme over rows i..reach[i], for every i: from windows of powers of two."""
    windows = [logs]
    while 2 ** len(windows) <= len(logs):
        half = 2 ** (len(windows) - 1)
        windows.append(extreme(windows[-1][:-half], windows[-1][half:]))
    found = np.empty_like(logs)
    length = reach - np.arange(len(logs)) + 1
    level = np.frexp(length)[1] - 1
    for rows, first in ((np.flatnonzero(level == k), k) for k in range(len(windows))):
        found[rows] = extreme(windows[first][rows], windows[first][reach[rows] - 2**first + 1])
    return found


def settled_after(matrix: Array) -> int:
    """The first row from which on none has, in any column, more than twice what any row between that one and it has."""
    most = np.maximum.accumulate(matrix[::-1], axis=0)[::-1]
    risen = np.flatnonzero((most > 2 * matrix).any(axis=1))
    return int(risen[-1]) + 1 if len(risen) else 0
