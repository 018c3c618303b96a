"""How far the output of one coordinate is from its exact answer.

Laplace noise of scale 2 is off by 2 on average, and at least by 6 with probability e^-3; the exact answer lies within 6
of an output with 95 %:

>>> from dalenius import Laplace
>>> error = Laplace(scale=2.0).error(Fraction(1))
>>> far, where = error.beyond(Fraction(6), None), error.interval(Fraction(10), 0.95)
>>> error.expected, round(far.middle, 6), round(where.lower, 3), round(where.upper, 3)
(2.0, -3.0, 4.009, 15.991)
"""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.laws.lattice import Sums
from dalenius.laws.law import Array, IntArray
from dalenius.noise.answer_intervals import around_output, missed


class ErrorLaw(abc.ABC):
    """Of |output - answer|, on a lattice on which the noise is known."""

    @property
    def expected(self) -> float:
        """E|output - answer|, in the query's unit; where it depends on the answer the worst, or nan: by default."""
        return nan

    @abc.abstractmethod
    def mean_moves(self, indices: IntArray) -> Array:
        """E|output - answer| given each of these answers, both in lattice steps; nan where outputs are words."""

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        """Where the exact answer lies, in the query's unit, given its output: whatever the answer, the output is one
        whose interval holds it with at least that probability. An end is infinite where no output could tell. None
        where the noise does not say: by default. InputError for a confidence that is none."""
        return None

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        """log Pr[|output - answer| >= distance], distance > 0 in the query's unit, given the exact answer for which it
        is largest: one of these, in lattice steps; None: of any. None where outputs are words, or the noise does not
        say: by default."""
        return None


@final
@dataclass(frozen=True)
class AddedError(ErrorLaw):
    """Of symmetric noise that does not depend on the answer. mean: of its absolute value, in the query's unit, as all
    distances; step: of the lattice; reach: what it exceeds with at most a given probability; tail: the log of the
    probability that it is at least so far."""

    step: Fraction
    mean: float
    reach: Callable[[Fraction], Fraction]
    tail: Callable[[Fraction], Enclosure]

    @property
    def expected(self) -> float:
        return self.mean

    def mean_moves(self, indices: IntArray) -> Array:
        return np.full(len(indices), self.mean / float(self.step))

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        return around_output(output, self.reach(missed(confidence)))

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        return self.tail(distance)
