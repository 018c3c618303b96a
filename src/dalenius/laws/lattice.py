"""Lattices of answers in the query's unit; and the sums that records' scores can make on one."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import gcd, lcm
from typing import Final, Literal, TypeAlias, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import IntArray

# Up to 2^53 every whole number is a double, and so is the difference of two indices of 2^52.
LARGEST_INDEX = 2**52


@final
@dataclass(frozen=True)
class Lattice:
    """One step per coordinate of the answer, in the query's own unit."""

    steps: tuple[Fraction, ...]

    @property
    def axes(self) -> int:
        return len(self.steps)

    def indices(self, scores: Sequence[Sequence[Fraction]]) -> np.ndarray:
        """Scores (rows, axes) as integer numbers of steps. InputError where a score is off the lattice or past 2^52."""
        rows = [[_index(score, step) for score, step in zip(row, self.steps, strict=True)] for row in scores]
        return np.array(rows, dtype=np.int64).reshape(len(rows), self.axes)

    def point(self, index: Sequence[int]) -> tuple[float, ...]:
        """The answer at an index, in the query's own unit."""
        return tuple(float(int(i) * step) for i, step in zip(index, self.steps, strict=True))

    def restricted(self, axes: Sequence[int]) -> "Lattice":
        """The lattice of some coordinates only, in the order of `axes`."""
        return Lattice(tuple(self.steps[axis] for axis in axes))


def lattice_of(scores: Sequence[Sequence[Fraction]]) -> Lattice:
    """The coarsest lattice through 0 that holds every score (rows, axes); integers stay on the integer lattice.

    >>> lattice_of([[Fraction(1, 2)], [Fraction(1, 3)]])
    Lattice(steps=(Fraction(1, 6),))
    """
    return Lattice(tuple(_step(column) for column in zip(*scores, strict=True)))


def index_of(value: float, step: Fraction) -> int | None:
    """The lattice index of a number in the query's unit, taken as the decimal it is written as or, where no decimal is
    exact, as for 1/3, as the double next to a lattice point. None off the lattice."""
    # A user types 0.1 and means one tenth, not the double beside it.
    exact = Fraction(str(value))
    index = round(exact / step)
    return index if index * step == exact or float(index * step) == value else None


def _step(scores: Sequence[Fraction]) -> Fraction:
    """The lattice step of one coordinate's scores, in the query's unit."""
    # Whole scores stay on the whole numbers even where all are even: users read outputs as counts, and geometric
    # noise of that lattice is what they asked for.
    if all(score.denominator == 1 for score in scores):
        return Fraction(1)
    # gcd of fractions a_i/b_i is gcd(a_i)/lcm(b_i) in lowest terms.
    return Fraction(reduce(gcd, (s.numerator for s in scores)), reduce(lcm, (s.denominator for s in scores)))


def _index(score: Fraction, step: Fraction) -> int:
    # A score beyond a double's whole numbers, such as an identifier that was summed by mistake, is refused here.
    ratio = score / step
    if ratio.denominator != 1 or abs(ratio.numerator) > LARGEST_INDEX:
        raise InputError("query", str(score), f"a score that is at most 2^52 whole steps of {step}")
    return ratio.numerator


MOST_LISTED: Final = 2**22

Combine: TypeAlias = Literal["sum", "max", "min"]
Sums: TypeAlias = range | IntArray
"""An arithmetic progression, however long, or all numbers in ascending order."""


def neutral(combine: Combine, scores: Collection[Fraction]) -> Fraction:
    """A score for records outside the query: with a record that has one of these scores, it leaves the answer as is."""
    if combine == "sum":
        return Fraction(0)
    return min(scores) if combine == "max" else max(scores)


def combined(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """The answers of records' scores: (rows, records, axes) -> (rows, axes)."""
    return np.stack([_one(scores[:, :, axis], how) for axis, how in enumerate(combine)], axis=1)


def _one(scores: IntArray, how: Combine) -> IntArray:
    if how == "sum":
        return np.asarray(scores.sum(axis=1))
    return np.asarray(scores.max(axis=1) if how == "max" else scores.min(axis=1))


def extreme_axes(combine: Sequence[Combine]) -> list[int]:
    """The axes that are not sums."""
    return [axis for axis, how in enumerate(combine) if how != "sum"]


def upwards(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """Scores (slots, axes) with the minima's turned round, since min x = -max -x: every extreme is a maximum."""
    return scores * np.array([-1 if how == "min" else 1 for how in combine], dtype=np.int64)


def attainable_sums(choices: Sequence[tuple[IntArray, int]], combine: Combine, least: int | None = None) -> Sums | None:
    """The attainable values, for choices of a set and how many times a number is taken from it. Extremes are maxima
    here (see `upwards`), `least` over no records. None where there are too many to list.

    Three records of 0 or 5, and one of 0 or 2:

    >>> attainable_sums([(np.array([0, 5]), 3), (np.array([0, 2]), 1)], "sum").tolist()
    [0, 2, 5, 7, 10, 12, 15, 17]
    """
    if combine == "sum":
        return _sums_of(choices)
    # Of extremes repetition does not matter: ten thousand records attain the maxima that one of each set does, but none
    # below the largest of the sets' least scores.
    listed = [np.unique(numbers) for numbers, times in choices if times]
    floor = max((int(numbers[0]) for numbers in listed), default=least)
    found = np.unique(np.concatenate([*listed, np.array([] if floor is None else [floor], dtype=np.int64)]))
    return found if floor is None else found[found >= floor]


def _sums_of(choices: Iterable[tuple[IntArray, int]]) -> Sums | None:
    """All sums of so many numbers of each set; None where there are too many to list."""
    found: Sums = range(1)
    # Narrow steps first: what fills the gaps of a wider one leaves a progression.
    for each in sorted((_repeated(numbers, times) for numbers, times in choices if times), key=_order):
        made = None if each is None else _added(found, each)
        if made is None:
            return None
        found = made
    return found


def sums_within(sums: Sums, low: int, high: int) -> IntArray | None:
    """The sums from low to high; None where there are too many to list."""
    if isinstance(sums, range):
        first = max(0, -((sums.start - low) // sums.step))
        last = min(len(sums) - 1, (high - sums.start) // sums.step)
        if last - first + 1 > MOST_LISTED:
            return None
        return np.arange(first, last + 1, dtype=np.int64) * sums.step + sums.start
    return sums[(sums >= low) & (sums <= high)]


def _order(sums: Sums | None) -> tuple[int, int]:
    return (0, sums.step) if isinstance(sums, range) else (1, 0)


def _repeated(numbers: IntArray, times: int) -> Sums | None:
    """The sums of so many numbers of one set, each taken as often as wanted; None where there are too many to list."""
    distinct = [int(number) for number in np.unique(numbers)]
    least, widest = distinct[0], distinct[-1] - distinct[0]
    step = gcd(*(number - least for number in distinct)) or 1
    # Evenly spaced scores, as bits and ratings are: their sums are evenly spaced, without gaps.
    if widest == step * (len(distinct) - 1):
        return range(times * least, times * distinct[-1] + 1, step)
    # Scores with gaps, such as prices of 1, 2 and 10: the sums near either end have gaps too, and are listed.
    found: Sums = np.zeros(1, dtype=np.int64)
    work = 0
    for _ in range(times):
        made = _added(found, np.array(distinct, dtype=np.int64))
        work += len(found) * len(distinct)
        if made is None or work > MOST_LISTED:
            return None
        found = made
    return found


def _added(one: Sums, other: Sums) -> Sums | None:
    """All sums of a number of each; None where there are too many to list."""
    if isinstance(one, range) and isinstance(other, range):
        # Ten thousand equal records make a progression of ten thousand sums: it is kept as a range, so that 3·10⁸
        # people cost no list.
        for fine, coarse in ((one, other), (other, one)):
            if len(coarse) == 1 or (coarse.step % fine.step == 0 and coarse.step <= fine.step * len(fine)):
                return range(fine.start + coarse.start, fine[-1] + coarse[-1] + 1, fine.step)
    # Scores with no common structure (incomes to the cent): the sums are as good as all lattice points, and the
    # caller bounds.
    if len(one) * len(other) > MOST_LISTED:
        return None
    return np.unique(np.add.outer(np.array(one, dtype=np.int64), np.array(other, dtype=np.int64)))


def differences(numbers: IntArray) -> list[tuple[int, int]]:
    """All pairs of different numbers, each once, the lesser first."""
    return list(combinations([int(number) for number in np.unique(numbers)], 2))
