"""The answers of a table if one person were left out (DI), for the rooms that ask who is absent.

People whose absence gives the same answer are one class, so that a million people are a few numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.exact_integers import IntegerArray, exact, in_doubles, in_steps, least_of


@final
@dataclass(frozen=True)
class LeftOut:
    """The answers of a table without one person, by class of people whose absence gives the same answer.

    Answers whose offsets are the same double are one class.

    Args:
        base: The exact answer of the class with offset 0, in the query's unit.
        offsets: The answers less `base` (m,), ascending and distinct, each to full relative accuracy. Means over 10^6
            people differ in the 7th digit between classes: subtracting them would cancel.
        people: How many people each class has (m,).
        whose: The class of each person (n,), in the table's order; None where the table gives counts only.
    """

    base: Fraction
    offsets: Array
    people: IntArray
    whose: IntArray | None = None

    @property
    def total(self) -> int:
        """The number of people, the absent one included."""
        return int(self.people.sum())

    @property
    def sensitivity(self) -> float:
        """Θ = max |q(D∖i) - q(D∖j)|, the identifiability sensitivity of this table (DI Def 5)."""
        return float(self.offsets[-1] - self.offsets[0])


def left_out_of(answers: Sequence[float | Fraction | int]) -> LeftOut:
    """Makes the classes from the answer without each person.

    Of three people two leave 4, one leaves 3.5:

    >>> found = left_out_of([4.0, 3.5, 4.0])
    >>> found.base, found.offsets.tolist(), found.people.tolist(), found.sensitivity
    (Fraction(7, 2), [0.0, 0.5], [1, 2], 0.5)

    Args:
        answers: One answer for each person, in the query's unit. A float is taken as the decimal it is written as.

    Raises:
        InputError: For fewer than two people, or for an answer that is no finite number.
    """
    if len(answers) < 2:
        raise InputError("answers", list(answers), "the answer without each person, for two people or more")
    if all(isinstance(answer, int | float) and abs(answer) < 2**53 for answer in answers):  # NaN is not
        distinct, whose = np.unique(np.array(answers, dtype=np.float64), return_inverse=True)
        levels, unit = in_steps(distinct, "answers")
        return of_levels(levels, unit, Fraction(0), np.bincount(whose), whose)
    given = list(dict.fromkeys(answers))
    place = {answer: index for index, answer in enumerate(given)}
    whose = np.fromiter((place[answer] for answer in answers), dtype=np.int64, count=len(answers))
    numbers = [exact(answer, "answers") for answer in given]
    lowest = min(numbers)
    offsets = np.array([float(number - lowest) for number in numbers])
    return of_kinds(lowest, offsets, np.bincount(whose, minlength=len(given)), whose)


def of_levels(
    levels: IntegerArray, unit: Fraction, start: Fraction, counts: IntArray, whose: IntArray | None = None
) -> LeftOut:
    """Makes the classes from the answers start + levels·unit without a person of each kind.

    Args:
        levels: Whole numbers of units (kinds,).
        unit: The size of a level, in the query's unit.
        start: The answer at level 0, in the query's unit.
        counts: How many people each kind has (kinds,).
        whose: The kind of each person (n,), in the table's order; None where the table gives counts only.
    """
    lowest = least_of(levels)
    return of_kinds(start + lowest * unit, in_doubles(levels - lowest, unit), counts, whose)


def of_kinds(base: Fraction, offsets: Array, counts: IntArray, whose: IntArray | None = None) -> LeftOut:
    """Makes the classes from kinds of people in any order: kinds of one offset become one class.

    Args:
        base: The answer at offset 0, in the query's unit.
        offsets: How far the answer without a person of each kind is above `base` (kinds,).
        counts: How many people each kind has (kinds,).
        whose: The kind of each person (n,), in the table's order; None where the table gives counts only.
    """
    distinct, place = np.unique(offsets, return_inverse=True)
    people = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(people, place, counts)
    return LeftOut(base, distinct, people, None if whose is None else place[whose])
