"""The attainable sums, maxima and minima of scores, exactly.

Noises, releases and windows ask which answers can occur. Evenly spaced scores make a range, however many records
there are; others are listed up to a limit.
"""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Literal, TypeAlias

import numpy as np

from dalenius.arrays import IntArray
from dalenius.laws.limits import MOST_LISTED

Combine: TypeAlias = Literal["sum", "max", "min"]
Sums: TypeAlias = range | IntArray
"""The attainable numbers: an arithmetic progression, however long, or all of them in ascending order."""


def neutral(combine: Combine, scores: Collection[Fraction]) -> Fraction:
    """Returns a score for records outside the query: with a record of one of `scores`, it leaves the answer as it is.

    `combine` says how the answer is made.
    """
    if combine == "sum":
        return Fraction(0)
    return min(scores) if combine == "max" else max(scores)


def combined(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """Returns the answers (rows, axes) of `scores` (rows, records, axes), made axis by axis as `combine` says."""
    return np.stack([_one(scores[:, :, axis], how) for axis, how in enumerate(combine)], axis=1)


def _one(scores: IntArray, how: Combine) -> IntArray:
    if how == "sum":
        return np.asarray(scores.sum(axis=1))
    return np.asarray(scores.max(axis=1) if how == "max" else scores.min(axis=1))


def extreme_axes(combine: Sequence[Combine]) -> list[int]:
    """Returns the axes that are not sums; `combine` says how each axis is made."""
    return [axis for axis, how in enumerate(combine) if how != "sum"]


def upwards(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """Returns `scores` (slots, axes) with those of minima negated, as min x = -max -x: all are maxima.

    `combine` says how each axis is made.
    """
    return scores * np.array([-1 if how == "min" else 1 for how in combine], dtype=np.int64)


def attainable_sums(choices: Sequence[tuple[IntArray, int]], combine: Combine, least: int | None = None) -> Sums | None:
    """Returns the values that an answer can attain; None where there are too many to list.

    Extremes are maxima here (see `upwards`).

    Three records of 0 or 5, and one of 0 or 2:

    >>> attainable_sums([(np.array([0, 5]), 3), (np.array([0, 2]), 1)], "sum").tolist()
    [0, 2, 5, 7, 10, 12, 15, 17]

    Args:
        choices: Sets of numbers, each with how many times a number is taken from it.
        combine: How the answer is made.
        least: The answer over no records, for extremes.
    """
    if combine == "sum":
        return _sums_of(choices)
    # Because repetition does not matter for extremes: ten thousand records attain the maxima that one of each set does,
    # but none below the largest of the sets' least scores.
    listed = [np.unique(numbers) for numbers, times in choices if times]
    floor = max((int(numbers[0]) for numbers in listed), default=least)
    found = np.unique(np.concatenate([*listed, np.array([] if floor is None else [floor], dtype=np.int64)]))
    return found if floor is None else found[found >= floor]


def _sums_of(choices: Iterable[tuple[IntArray, int]]) -> Sums | None:
    """Returns all sums of so many numbers of each set; None where there are too many to list."""
    found: Sums = range(1)
    # Because a set that fills the gaps of a wider one leaves a progression, narrow steps come first.
    for each in sorted((_repeated(numbers, times) for numbers, times in choices if times), key=_order):
        made = None if each is None else _added(found, each)
        if made is None:
            return None
        found = made
    return found


def sums_within(sums: Sums, low: int, high: int) -> IntArray | None:
    """Returns the numbers of `sums` from `low` to `high`; None where there are too many to list."""
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
    """Returns the sums of `times` numbers of one set; None where there are too many to list."""
    distinct = [int(number) for number in np.unique(numbers)]
    least, widest = distinct[0], distinct[-1] - distinct[0]
    step = gcd(*(number - least for number in distinct)) or 1
    # The case of evenly spaced scores, as bits and ratings are: their sums are evenly spaced, without gaps.
    if widest == step * (len(distinct) - 1):
        return range(times * least, times * distinct[-1] + 1, step)
    # The case of scores with gaps, such as prices of 1, 2 and 10: sums near either end have gaps too, and are listed.
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
    """Returns all sums of a number of each; None where there are too many to list."""
    if isinstance(one, range) and isinstance(other, range):
        # So that 3·10⁸ people cost no list: equal records make a progression of as many sums, kept as a range.
        for fine, coarse in ((one, other), (other, one)):
            if len(coarse) == 1 or (coarse.step % fine.step == 0 and coarse.step <= fine.step * len(fine)):
                return range(fine.start + coarse.start, fine[-1] + coarse[-1] + 1, fine.step)
    # The case of scores with no common structure (incomes to the cent): the sums are as good as all lattice points, and
    # the caller bounds.
    if len(one) * len(other) > MOST_LISTED:
        return None
    return np.unique(np.add.outer(np.array(one, dtype=np.int64), np.array(other, dtype=np.int64)))


def differences(numbers: IntArray) -> list[tuple[int, int]]:
    """Returns all pairs of different `numbers`, each once, the lesser first."""
    return list(combinations([int(number) for number in np.unique(numbers)], 2))
