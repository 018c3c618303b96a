"""Answers without each person, rounded to a lattice on which geometric noise is drawn exactly.

The law that is promised is then the law that is drawn: an integer of steps is added to an integer of steps. Whole
numbers keep their lattice. Other answers are rounded to a power of ten that is a thousandth of Θ or less. The lattice
depends on everybody's records and not on who is absent, so that it tells this adversary nothing.

Means without each of three people, 2.5, 2 and 7/3, are .5 apart, and become multiples of .0001:

>>> from dalenius.left_out import left_out_of
>>> found = rounded(left_out_of([2.5, 2.0, Fraction(7, 3)]))
>>> found.step, found.steps.base, found.steps.offsets.tolist()
(Fraction(1, 10000), Fraction(20000, 1), [0.0, 3333.0, 5000.0])
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.bounds import float_up
from dalenius.laws.lattice import Lattice
from dalenius.laws.limits import LARGEST_INDEX
from dalenius.left_out import LeftOut, of_levels

FINEST: Final = 1000
"""Least number of steps in Θ, where answers are no whole numbers."""


@final
@dataclass(frozen=True)
class RoundedAnswers:
    """The answers without each candidate, as whole numbers of steps.

    Attributes:
        step: The size of a step, in the query's unit.
        steps: The answers in steps, with the class of each candidate.
        exact: Whether no answer was moved by the rounding.
    """

    step: Fraction
    steps: LeftOut
    exact: bool

    @property
    def lattice(self) -> Lattice:
        """The lattice on which noise is drawn."""
        return Lattice((self.step,))

    def index_of(self, candidate: int) -> int:
        """Returns the answer without a `candidate`, counted from 0, in steps."""
        assert self.steps.whose is not None
        return int(self.steps.base) + int(self.steps.offsets[self.steps.whose[candidate]])

    def drawn_scale(self, scale: float) -> float:
        """Returns the scale, in steps, of the noise that is drawn for a `scale` in the query's unit.

        It is the next double, which the sampler takes.
        """
        return float_up(Fraction(scale) / self.step)


def rounded(left_out: LeftOut) -> RoundedAnswers:
    """Rounds answers to the nearest lattice points.

    Args:
        left_out: The answers without each candidate, with the class of each.
    """
    theta = Fraction(left_out.sensitivity)
    whole = left_out.base.denominator == 1 and np.array_equal(left_out.offsets, np.rint(left_out.offsets))
    if whole and theta < LARGEST_INDEX:
        step = Fraction(1)
    # Because an answer that does not depend on who is absent goes out as it is.
    elif not theta:
        step = Fraction(1, left_out.base.denominator)
    else:
        step = _power_of_ten(theta / FINEST)
    # Because most answers are decimals, which doubles are next to.
    exactly = [(left_out.base + Fraction(repr(offset))) / step for offset in left_out.offsets.tolist()]
    indices = [floor(each + Fraction(1, 2)) for each in exactly]
    lowest = indices[0]
    levels: IntArray = np.array([index - lowest for index in indices], dtype=np.int64)
    steps = of_levels(levels, Fraction(1), Fraction(lowest), left_out.people, left_out.whose)
    return RoundedAnswers(step, steps, all(each == index for each, index in zip(exactly, indices, strict=True)))


def _power_of_ten(most: Fraction) -> Fraction:
    """Returns the largest power of ten that is not above `most`."""
    power = Fraction(1)
    while power > most:
        power /= 10
    while power * 10 <= most:
        power *= 10
    return power
