"""Rules of statistics offices: noise that turns each exact answer into one of a few listed outputs.

A rule is a stochastic matrix whose rows are known for every answer, and repeat from some answer on: the row of
answer + period is the row of answer, all its numbers moved by the period. So nothing is listed per answer.

Rounding to a multiple of 3, the mean kept, turns 4 into 3 twice out of three times, and 7 into 6:

>>> from dalenius.noise.rounding import Rounding
>>> rule = Rounding(base=3)
>>> {str(output): str(chance) for output, chance in rule.row(Fraction(4)).items()}
{'3': '2/3', '6': '1/3'}
>>> rule.canonical(np.array([0, 4, 7, 3_000_001]), Fraction(1)).tolist()
[0, 1, 1, 1]
"""

import abc
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, gcd, inf, lcm
from typing import NamedTuple, TypeAlias

import numpy as np

from dalenius.arrays import IntArray
from dalenius.laws.lattice import Lattice
from dalenius.laws.limits import LARGEST_INDEX
from dalenius.noise.noise import Noise
from dalenius.noise.sampling import drawn_place
from dalenius.noise.shape import Shape

Output: TypeAlias = Fraction | str
"""A number in the query's unit, or the word that stands for a suppressed answer."""
OutputChances: TypeAlias = Mapping[Output, Fraction]
"""The outputs of one exact answer, with their probabilities, which sum to 1 exactly."""


class Repeats(NamedTuple):
    """Says from where on the rows of a rule repeat.

    Attributes:
        start: The answer from which on they repeat, in the query's unit.
        period: By how much, in the query's unit.
    """

    start: Fraction
    period: Fraction


class RuleRows(abc.ABC):
    """The rows of a rule: the outputs of each exact answer, and from where on they repeat."""

    @abc.abstractmethod
    def row(self, answer: Fraction) -> OutputChances:
        """Returns the outputs of an exact answer, with their probabilities.

        Args:
            answer: The exact answer, in the query's unit.
        """

    @abc.abstractmethod
    def repeats(self, step: Fraction) -> Repeats:
        """Says from which answer on rows repeat, and with which period.

        Args:
            step: The step of the lattice of answers, in the query's unit.
        """

    @abc.abstractmethod
    def unit(self, step: Fraction) -> Fraction:
        """Returns a number that divides every numeric output, in the query's unit.

        Args:
            step: The step of the lattice of answers, in the query's unit.
        """

    @property
    @abc.abstractmethod
    def farthest(self) -> Fraction:
        """The most that a numeric output is away from an exact answer of at least 0, in the query's unit."""

    @property
    def draws(self) -> bool:
        """Whether an answer may have several outputs; by default it may."""
        return True

    @property
    def word(self) -> str | None:
        """The output that is no number, and stands for small answers; None where all outputs are numbers."""
        return None

    def drawn(self, answer: Fraction) -> Output:
        """Draws the output of one exact answer.

        Args:
            answer: The exact answer, in the query's unit.
        """
        row = self.row(answer)
        return list(row)[drawn_place(list(row.values()))]

    def canonical(self, indices: IntArray, step: Fraction) -> IntArray:
        """Returns, for each answer, the first one whose row is the same but for a shift.

        Args:
            indices: The answers, in lattice steps.
            step: The step of the lattice of answers, in the query's unit.
        """
        start, period = self.first_repeated(step)
        # The case of a threshold or a base beyond all answers that 64 bits tell apart: no row repeats.
        if start > LARGEST_INDEX or period > LARGEST_INDEX:
            return indices
        return np.where(indices < start, indices, start + (indices - start) % period)

    def first_repeated(self, step: Fraction) -> tuple[int, int]:
        """Returns the first answer from which on rows repeat, and the period, both in lattice steps.

        Args:
            step: The step of the lattice of answers, in the query's unit.
        """
        start, period = self.repeats(step)
        # Because a period of 3 on a lattice of halves is 6 steps, and one of 1/2 on whole numbers is 1 step.
        return ceil(start / step), (period / step).numerator


class Rule(Noise, RuleRows, abc.ABC):
    """Noise whose outputs are listed for each exact answer, whatever the answer is; each coordinate on its own.

    Some answers have one output only, so that a value of a record may be ruled out: the log-ratios are infinite then.
    """

    @property
    def shape(self) -> Shape:
        return Shape(scaled=False, near=True, outcome="answer after the rule")

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Returns infinity wherever something moves: an output may rule an answer out.

        Args:
            distances: The most that each coordinate moves, in the query's unit.

        Returns:
            Nats.
        """
        return inf if any(distances) else 0.0

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Output, ...]:
        """Draws one release, exactly: a random whole number picks the output.

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One output for each coordinate, in the query's unit, or a word.
        """
        return tuple(self.drawn(index * step) for index, step in zip(answer, lattice.steps, strict=True))


def common_unit(*units: Fraction) -> Fraction:
    """Returns the largest number that divides all `units`.

    >>> str(common_unit(Fraction(3, 2), Fraction(1)))
    '1/2'
    """
    denominator = lcm(*(unit.denominator for unit in units))
    return Fraction(gcd(*(int(unit * denominator) for unit in units)), denominator)


def common_period(*periods: Fraction) -> Fraction:
    """Returns the least number that is a multiple of all `periods`.

    >>> str(common_period(Fraction(3, 2), Fraction(1)))
    '3'
    """
    denominator = lcm(*(period.denominator for period in periods))
    return Fraction(lcm(*(int(period * denominator) for period in periods)), denominator)
