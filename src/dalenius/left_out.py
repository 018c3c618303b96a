"""What answers would be if one person were left out (DI)."""

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

    base: the exact answer of the class with offset 0; offsets (m,): the answers less `base`, ascending, distinct, each
    to full relative accuracy (means over 10^6 people differ in the 7th digit between classes: subtracting them would
    cancel); people (m,): how many of each class; whose (n,) or None: the class of each person, in the table's order
    (None where the table gives counts only). Answers whose offsets are the same double are one class.
    """

    base: Fraction
    offsets: Array
    people: IntArray
    whose: IntArray | None = None

    @property
    def total(self) -> int:
        """How many people there are, the absent one included."""
        return int(self.people.sum())

    @property
    def sensitivity(self) -> float:
        """Θ = max |q(D∖i) - q(D∖j)|, the identifiability sensitivity of this table (DI Def 5)."""
        return float(self.offsets[-1] - self.offsets[0])


def left_out_of(answers: Sequence[float | Fraction | int]) -> LeftOut:
    """From the answer without each person, one per person, a float taken as the decimal it is written as.

    InputError for fewer than two people, or for an answer that is no finite number.

    Of three people two leave 4, one leaves 3.5:

    >>> found = left_out_of([4.0, 3.5, 4.0])
    >>> found.base, found.offsets.tolist(), found.people.tolist(), found.sensitivity
    (Fraction(7, 2), [0.0, 0.5], [1, 2], 0.5)
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
    """From the answers start + levels·unit without a person of each kind (kinds,); counts, whose: as in a tally."""
    lowest = least_of(levels)
    return of_kinds(start + lowest * unit, in_doubles(levels - lowest, unit), counts, whose)


def of_kinds(base: Fraction, offsets: Array, counts: IntArray, whose: IntArray | None = None) -> LeftOut:
    """From the offset of each kind of people (kinds,), in any order: kinds of one offset become one class."""
    distinct, place = np.unique(offsets, return_inverse=True)
    people = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(people, place, counts)
    return LeftOut(base, distinct, people, None if whose is None else place[whose])
