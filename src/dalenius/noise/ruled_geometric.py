"""Rules of statistics offices after geometric noise: the mechanism, and how far off the output is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, inf, log, log1p, nan
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.fields import RecordValue
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.laplace_smoothing import smoothed
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.noise.error_law import ErrorLaw, around_output, geometric_reach, largest_chance, missed
from dalenius.noise.exponential import Geometric, exact_decay
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.losses_between_neighbours import of_widest
from dalenius.noise.place_of_given_output import Answer
from dalenius.noise.rule import RuleRows
from dalenius.noise.rule_mechanism import RuleMechanism, as_law, columns, pushed


@final
@dataclass(frozen=True)
class RuledGeometricMechanism(FiniteMechanism):
    """Mechanism of rules that follow geometric noise.

    Beyond the exact answers, and a few periods of the rules, all outputs say the same: the outermost output on either
    side stands for all beyond.
    """

    before: Geometric
    inner: RuleMechanism

    def likelihood(self, law: Law) -> Law:
        decays = [exact_decay(self.before, step) for step in self.lattice.steps]
        found = smoothed(law, decays)
        logs, starts, roundings = found.log_mass(), [], 0.0
        for axis, (first, decay, step) in enumerate(zip(law.start, decays, self.lattice.steps, strict=True), 1):
            rate, rule = float(decay), self.inner.rule
            # Because geometric noise is a normalised e^{-rate·|k|}, of sum (1 + e^-rate)/(1 - e^-rate).
            moved = np.moveaxis(logs, axis, -1) + log(-expm1(-rate)) - log1p(exp(-rate))
            flat = moved.reshape(-1, moved.shape[-1])
            beyond = self._beyond(step)
            rows = columns(rule, first - beyond, flat.shape[1] + 2 * beyond, step)
            start, flat, more = pushed(_with_tails(flat, beyond, rate), rows)
            logs = np.moveaxis(flat.reshape(*moved.shape[:-1], flat.shape[1]), -1, axis)
            starts.append(start)
            roundings += more + 8 + 4 * rate * beyond
        return as_law(starts, logs, found, roundings)

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        return self.inner.at(likelihood, output)

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        return self.inner.sides(likelihood, output, log_prior)

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        return self.inner.output(index)

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        return self.inner.index(output)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the loss: that of the geometric noise, which an output beyond all answers attains.

        Args:
            neighbours: The changes of one record, with the distances by which the answer moves.
        """
        return of_widest(self.before.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return False

    def _beyond(self, step: Fraction) -> int:
        """How many lattice points beyond the answers are told apart, before all that follow are alike."""
        rule = self.inner.rule
        start, period = rule.repeats(step)
        return 2 * ceil((start + 2 * period + 2 * rule.farthest) / step) + 2


def _with_tails(logs: Array, beyond: int, rate: float) -> Array:
    """Adds so many points at either end of `logs` (laws, points), the last of which has all of the tail's mass."""
    falls = -rate * np.arange(1, beyond + 1)
    # Because the tail from there on is a geometric series.
    falls[-1] -= log(-expm1(-rate))
    return np.concatenate([logs[:, :1] + falls[::-1], logs, logs[:, -1:] + falls], axis=1)


@final
@dataclass(frozen=True)
class RuledGeometricError(ErrorLaw):
    """The distance of the output from the answer, where rules follow geometric noise, on a lattice of that step."""

    before: Geometric
    rule: RuleRows
    step: Fraction

    @property
    def expected(self) -> float:
        """The worst E|output - answer| over the answers, in the query's unit; nan where an output is a word."""
        if self.rule.word is not None:
            return nan
        start, period = self.rule.first_repeated(self.step)
        return float(np.max(self.mean_moves(np.arange(max(start, 0) + period)))) * float(self.step)

    def mean_moves(self, indices: IntArray) -> Array:
        if self.rule.word is not None:
            return np.full(len(indices), nan)
        return self._sums(indices, self._reach, lambda moves: moves)

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        """Returns the answers within the rules' farthest move and the noise's reach of a number; None for a word.

        Args:
            output: The output: a number in the query's unit, or the word.
            confidence: The probability with which the noise moves an answer no further than its reach.
        """
        own = geometric_reach(float(Fraction(self.before.known_scale()) / self.step), missed(confidence)) * self.step
        return around_output(output, own + self.rule.farthest)

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        if self.rule.word is not None:
            return None
        # Because draws so far out decide nothing of a chance that is e^45 times as large.
        reach = self._reach + ceil((distance + self.rule.farthest) / self.step)
        start, period = self.rule.first_repeated(self.step)
        away = float(distance / self.step) * (1 - 4 * UNIT)
        chances = self._sums(np.arange(max(start, 0) + period), reach, lambda moves: np.where(moves >= away, 1.0, 0.0))
        # The case of a chance below every double.
        if np.max(chances) < 1e-280:
            return Enclosure(-inf, log(1e-270))
        return largest_chance(chances, (4 * reach + 64) * UNIT)

    @property
    def _reach(self) -> int:
        """How many lattice steps the noise moves an answer, but for a chance of e^-45."""
        return ceil(45 * Fraction(self.before.known_scale()) / self.step)

    def _sums(self, indices: IntArray, reach: int, value: Callable[[Array], Array]) -> Array:
        """Returns the mean, over the noise and the rules, of a function of |output - answer| in lattice steps."""
        rate = float(exact_decay(self.before, self.step))
        draws = np.arange(-reach, reach + 1)
        weights = np.exp(-rate * np.abs(draws)) * (-expm1(-rate) / (1 + exp(-rate)))
        first = int(indices.min()) - reach
        rows = columns(self.rule, first, int(indices.max()) + reach - first + 1, self.step)
        unit = float(self.rule.unit(self.step) / self.step)
        outputs, chances = rows.places * unit, np.exp(rows.logs)
        found = np.zeros(len(indices))
        for place, index in enumerate(indices.tolist()):
            here = slice(index - reach - first, index + reach - first + 1)
            moved = value(np.abs(outputs[here] - index))
            found[place] = float(np.sum(weights[:, None] * chances[here] * moved))
        return found
