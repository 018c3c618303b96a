"""The lattice of a query's answers: exact steps, and the index of each answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from typing import final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.limits import LARGEST_INDEX


@final
@dataclass(frozen=True)
class Lattice:
    """The points that an answer can take: one step per coordinate, in the query's own unit."""

    steps: tuple[Fraction, ...]

    @property
    def axes(self) -> int:
        return len(self.steps)

    def indices(self, scores: Sequence[Sequence[Fraction]]) -> np.ndarray:
        """Returns `scores` (rows, axes), in the query's unit, as whole numbers of steps.

        InputError where a score is off the lattice or past 2^52.
        """
        rows = [[_index(score, step) for score, step in zip(row, self.steps, strict=True)] for row in scores]
        return np.array(rows, dtype=np.int64).reshape(len(rows), self.axes)

    def point(self, index: Sequence[int]) -> tuple[float, ...]:
        """Returns the answer at an `index` (axes,), in the query's own unit."""
        return tuple(float(int(i) * step) for i, step in zip(index, self.steps, strict=True))

    def restricted(self, axes: Sequence[int]) -> "Lattice":
        """Returns the lattice of some coordinates only, in the order of `axes`."""
        return Lattice(tuple(self.steps[axis] for axis in axes))


def lattice_of(scores: Sequence[Sequence[Fraction]]) -> Lattice:
    """Returns the coarsest lattice through 0 that holds every score; integers stay on the integer lattice.

    >>> lattice_of([[Fraction(1, 2)], [Fraction(1, 3)]])
    Lattice(steps=(Fraction(1, 6),))

    Args:
        scores: The scores (rows, axes), exact, in the query's unit.
    """
    return Lattice(tuple(_step(column) for column in zip(*scores, strict=True)))


def index_of(value: float, step: Fraction) -> int | None:
    """Returns the lattice index of a `value` in the query's unit, for lattice step `step`; None off the lattice.

    The value is taken as the decimal it is written as. Where no decimal is exact, as for 1/3, it is taken as the
    double next to a lattice point.
    """
    # Because a user types 0.1 and means one tenth, not the double beside it.
    exact = Fraction(str(value))
    index = round(exact / step)
    return index if index * step == exact or float(index * step) == value else None


def _step(scores: Sequence[Fraction]) -> Fraction:
    """Returns the lattice step of one coordinate's scores, in the query's unit."""
    # Because users read outputs as counts, and asked for geometric noise of that lattice, whole scores stay on the
    # whole numbers even where all are even.
    if all(score.denominator == 1 for score in scores):
        return Fraction(1)
    # Because the gcd of fractions a_i/b_i is gcd(a_i)/lcm(b_i) in lowest terms.
    return Fraction(reduce(gcd, (s.numerator for s in scores)), reduce(lcm, (s.denominator for s in scores)))


def _index(score: Fraction, step: Fraction) -> int:
    # The case of a score beyond a double's whole numbers, such as an identifier that was summed by mistake.
    ratio = score / step
    if ratio.denominator != 1 or abs(ratio.numerator) > LARGEST_INDEX:
        wanted = f"a score that is at most 2^52 whole steps of {step} (limit {LARGEST_INDEX.name})"
        raise InputError("query", str(score), wanted)
    return ratio.numerator
