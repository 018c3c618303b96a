"""The distance of a rule's output from the exact answer, and where the exact answer lies, given an output."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, nan
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.sums import Sums
from dalenius.noise.error_law import ErrorLaw, accepted, answers_listed, largest_chance, missed, rounded_outward
from dalenius.noise.rule import Output, RuleRows


@final
@dataclass(frozen=True)
class RuleError(ErrorLaw):
    """The distance of a rule's output from the answer, on a lattice of that step."""

    rule: RuleRows
    step: Fraction

    @property
    def expected(self) -> float:
        """The worst E|output - answer| over the answers, in the query's unit; nan where an output is a word."""
        if self.rule.word is not None:
            return nan
        return max(float(self._mean(index)) for index in self._different)

    def mean_moves(self, indices: IntArray) -> Array:
        if self.rule.word is not None:
            return np.full(len(indices), nan)
        own, which = np.unique(self.rule.canonical(indices, self.step), return_inverse=True)
        return np.array([float(self._mean(int(index)) / self.step) for index in own])[which]

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        """Returns the range of the answers that a test of `output` at `confidence` leaves."""
        rest = missed(confidence)
        # The case of a word that is none of the rule's.
        if isinstance(output, str) and output != self.rule.word:
            return None
        near = Fraction(0) if isinstance(output, str) else output
        candidates = list(self._around(near, isinstance(output, str)))
        tails = [self._tails(index, output) for index in candidates]
        at_most, at_least = np.array(tails, dtype=np.float64).reshape(-1, 2).T
        if not np.minimum(at_most, at_least).any():
            return None
        left = [candidates[place] for place in accepted(at_most, at_least, rest, 8 * UNIT)]
        return rounded_outward(min(left) * self.step, max(left) * self.step)

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        if self.rule.word is not None:
            return None
        known = answers_listed(answers)
        indices: Iterable[int] = self._different
        if known is not None:
            indices = np.unique(self.rule.canonical(known, self.step)).tolist()
        chances = [
            float(sum(chance for move, chance in self._moves(index) if abs(move) >= distance)) for index in indices
        ]
        return largest_chance(np.array(chances), 8 * UNIT)

    @property
    def _different(self) -> range:
        """The answers of at least 0 whose rows differ by more than a shift, in lattice steps."""
        start, period = self.rule.first_repeated(self.step)
        return range(max(start, 0) + period)

    def _around(self, near: Fraction, word: bool) -> range:
        """The answers that may have an output near this number, or the word, in lattice steps."""
        if word:
            return range(self._different.stop)
        low = floor((near - self.rule.farthest) / self.step)
        return range(low, ceil((near + self.rule.farthest) / self.step) + 1)

    def _mean(self, index: int) -> Fraction:
        return sum((abs(move) * chance for move, chance in self._moves(index)), Fraction(0))

    def _moves(self, index: int) -> list[tuple[Fraction, Fraction]]:
        """How far each output of an answer is from it, in the query's unit, and how likely that is."""
        answer = index * self.step
        row = self.rule.row(answer).items()
        return [(output - answer, chance) for output, chance in row if not isinstance(output, str)]

    def _tails(self, index: int, output: Output) -> tuple[float, float]:
        """The probabilities that the output of an answer is at most, and at least, this one; a word is below all."""
        at_most = at_least = Fraction(0)
        for each, chance in self.rule.row(index * self.step).items():
            below = isinstance(each, str) or (not isinstance(output, str) and each <= output)
            at_most += chance if below else 0
            at_least += chance if each == output or not below else 0
        # The case of the word, which is at most itself, and at least itself.
        if isinstance(output, str):
            at_least = Fraction(1)
        return float(at_most), float(at_least)
