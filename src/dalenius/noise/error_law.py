"""The distance of one coordinate's output from its exact answer, and where the exact answer lies, given an output.

Laplace noise of scale 2 is off by 2 on average, and at least by 6 with probability e^-3. The exact answer lies within
6 of an output with 95 %:

>>> from dalenius import Laplace
>>> error = Laplace(scale=2.0).error(Fraction(1))
>>> far, where = error.beyond(Fraction(6), None), error.interval(Fraction(10), 0.95)
>>> error.expected, round(far.middle, 6), round(where.lower, 3), round(where.upper, 3)
(2.0, -3.0, 4.009, 15.991)

A test of the answer a at level 1 - c rejects it where the output is among the lowest or the highest (1-c)/2 of what a
gives. The answers that it does not reject hold the true one with probability at least c, whatever that is (Neyman
1937). For symmetric noise that is added, these are the answers within its quantile at c. Probabilities are logs, as
enclosures, also those of the absolute errors of several independent coordinates together.

A test of the answer a at level 1 - c rejects it where the output is among the lowest or the highest (1-c)/2 of the
outputs of a. The answers that it does not reject hold the true one with probability at least c, whatever that is
(Neyman 1937). For symmetric noise that is added, these are the answers within its quantile at c. Probabilities are
logs, as enclosures, also those of the absolute errors of several independent coordinates together.
"""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, inf, log, log1p, nan
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure, around, float_up
from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import log_sum
from dalenius.laws.limits import MOST_LISTED
from dalenius.laws.sums import Sums
from dalenius.noise.limits import MOST_ERROR_TERMS
from dalenius.noise.sampling import FINENESS, fine_parts
from dalenius.special_functions import gammaln, log_ndtr, ndtri

_CLOSE: Final = 2.0**-40
"""Relative error of a Gaussian quantile, or of the log of a Gaussian tail, far above their rounding in doubles."""
SURE: Final = Enclosure(0.0, 0.0)
NEVER: Final = Enclosure(-inf, -inf)
ROUNDED: Final = 1 / (2 * FINENESS)
"""Largest distance, in scales, of the rounded output from the real number."""


class ErrorLaw(abc.ABC):
    """The law of |output - answer|, on a lattice on which the noise is known."""

    @property
    def expected(self) -> float:
        """The mean E|output - answer|, in the query's unit; the worst, or nan, by default, where it varies."""
        return nan

    @abc.abstractmethod
    def mean_moves(self, indices: IntArray) -> Array:
        """Returns E|output - answer| for answers `indices`, both in lattice steps; nan where outputs are words."""

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        """Returns an interval that holds the exact answer, in the query's unit, given its `output`.

        Whatever the answer, the output is one whose interval holds it with at least the probability `confidence`. An
        end is infinite where no output could tell. None where the noise has no such interval: by default. InputError
        for a confidence that is none.
        """
        return None

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        """Returns log Pr[|output - answer| >= distance], at the exact answer for which it is largest.

        The distance is above 0, in the query's unit. `answers` are in lattice steps; None stands for any. None where
        outputs are words, or the tail is unknown: by default.
        """
        return None


@final
@dataclass(frozen=True)
class AddedError(ErrorLaw):
    """Error law of symmetric noise that does not depend on the answer.

    Attributes:
        step: The step of the lattice, in the query's unit.
        mean: The mean of the absolute error, in the query's unit, as all distances.
        reach: The distance that the error exceeds with at most a given probability.
        tail: The log of the probability that the error is at least a given distance.
    """

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


def missed(confidence: float, key: str = "confidence") -> Fraction:
    """Returns 1 - confidence, for the decimal as written. InputError, under `key`, unless within (0, 1)."""
    if not 0 < confidence < 1:
        raise InputError(key, confidence, "a number above 0 and below 1")
    return 1 - Fraction(str(confidence))


def rounded_outward(lower: Fraction, upper: Fraction) -> Enclosure:
    """Returns the doubles next to `lower` and `upper`, outside."""
    return Enclosure(0.0 - float_up(-lower), float_up(upper))


def around_output(output: Fraction | str, half: Fraction) -> Enclosure | None:
    """Returns the interval from `half` below `output` to `half` above, in the query's unit; None for a word."""
    return None if isinstance(output, str) else rounded_outward(output - half, output + half)


def geometric_reach(scale: float, missed: Fraction) -> int:
    """Returns the least m with Pr[|k| > m] <= missed, for integers k of mass proportional to e^{-|k|/scale}.

    With a = e^{-1/scale} that probability is 2a^{m+1}/(1+a). One more where rounding leaves it open.

    >>> geometric_reach(1.0, Fraction(1, 20)), float(laplace_reach(Fraction(1), 1.0, Fraction(1, 20)))
    (3, 2.995732273553994)
    """
    deep = -log(missed)
    depth = log(2) + deep - log1p(exp(-1 / scale))
    return max(ceil(scale * (depth + 16 * UNIT * (2 + deep))) - 1, 0)


def laplace_reach(step: Fraction, scale: float, missed: Fraction) -> Fraction:
    """Returns a distance that Laplace noise exceeds with at most the probability `missed`, on the reals or rounded.

    It is in the unit of `step` and `scale`, and a whole number of the steps that the noise is rounded to, so that
    rounding takes nothing beyond it.
    """
    fine, drawn = _drawn_with(step, scale)
    return ceil(drawn * -log(missed) * (1 + 8 * UNIT)) * fine


def gaussian_reach(step: Fraction, scale: float, missed: Fraction) -> Fraction:
    """Returns a distance that Gaussian noise of deviation `scale` exceeds with at most the probability `missed`.

    It is rounded to the fine steps of `step`, as by `laplace_reach`.
    """
    fine, drawn = _drawn_with(step, scale)
    quantile = -ndtri(float(missed / 2)) * (1 + _CLOSE) + _CLOSE
    return ceil(drawn * quantile) * fine


def accepted(at_most: Array, at_least: Array, missed: Fraction, error: float) -> IntArray:
    """Returns which answers a test leaves, as indices.

    Where the test rejects all answers, the likeliest to give such an output remain.

    Args:
        at_most: Pr[output <= this one] by answer (answers,).
        at_least: Pr[output >= this one] by answer (answers,).
        missed: One minus the confidence.
        error: The relative error of each probability.
    """
    nearer = np.minimum(at_most, at_least)
    # Because an output that every answer gives rarely rejects all of them: the likeliest remain, so that no interval is
    # empty.
    kept = nearer * (1 + error) > float(missed / 2)
    return np.flatnonzero(kept if kept.any() else nearer * (1 + error) >= nearer.max())


def _drawn_with(step: Fraction, scale: float) -> tuple[Fraction, float]:
    """Returns the step of the lattice that noise of the reals is rounded to, and its scale in those steps."""
    fine = step / fine_parts(step, scale)
    return fine, float_up(Fraction(scale) / fine)


def laplace_beyond(distance: Fraction, scale: float) -> Enclosure:
    """Encloses the log of e^{-distance/scale}, on the reals, and rounded to the lattice that goes out."""
    depth = float(distance / Fraction(scale))
    return around(-depth, 2 * UNIT * depth + ROUNDED)


def geometric_beyond(steps: int, decay: Fraction) -> Enclosure:
    """Encloses log Pr[|k| >= steps], steps > 0, of integers k of mass proportional to a^|k|, a = e^{-decay}.

    The probability is 2a^steps/(1+a).
    """
    deep, near = float(steps * decay), float(decay)
    found = log(2) - deep - log1p(exp(-near))
    return around(found, 8 * UNIT * (1 + deep))


def gaussian_beyond(distance: Fraction, deviation: float) -> Enclosure:
    """Encloses the log of the tail of normal noise of this `deviation` at `distance`, and counts rounding.

    It falls by at most 1 + depth a deviation.
    """
    depth = float(distance / Fraction(deviation))
    found = log(2) + log_ndtr(-depth)
    return around(found, _CLOSE * (1 + abs(found)) + ROUNDED * (1 + depth + ROUNDED))


def one_side(both: Enclosure) -> Enclosure:
    """Halves a probability of both sides, a log, for symmetric noise."""
    return Enclosure(*(around(end - log(2), 2 * UNIT * (1 + abs(end)))[side] for side, end in enumerate(both)))


def steps_up_to(distance: Fraction, step: Fraction) -> int:
    """Returns the least number of steps of size `step` that is not below the distance."""
    return ceil(distance / step)


def largest_chance(chances: Array, error: float) -> Enclosure:
    """Encloses the log of the largest of `chances`, each known to a relative `error`."""
    most = float(np.max(chances, initial=0.0))
    # The case of a distance that no answer is ever off.
    if most == 0:
        return NEVER
    found = around(log(most), error + 2 * UNIT * (1 + abs(log(most))))
    return Enclosure(found.lower, min(found.upper, 0.0))


def answers_listed(answers: Sums | None) -> IntArray | None:
    """Lists these answers one by one; None where there are too many, or any may be one."""
    # The case of a sum over a census: as many answers as people.
    if answers is None or len(answers) > MOST_LISTED:
        return None
    return np.asarray(answers, dtype=np.int64)


def gamma_tail(count: int, depth: float) -> Enclosure:
    """Encloses the log of the tail of the sum of `count` Laplace draws' absolute values, at `depth` scales.

    It is the tail of a gamma law, e^{-x} Σ_{k<count} x^k/k!.
    """
    k = np.arange(count, dtype=np.float64)
    terms = k * log(depth) - gammaln(k + 1) if depth > 0 else np.where(k == 0, 0.0, -inf)
    size = depth + count + float(np.max(np.abs(terms[terms > -inf])))
    return _at_most_one(around(log_sum(terms) - depth, 16 * UNIT * (1 + size)))


def geometric_tail(count: int, steps: int, decay: float) -> Enclosure:
    """Encloses the log of the tail, at `steps`, of the sum of `count` integers' absolute values.

    The integers k have mass proportional to a^|k|, a = e^{-decay}. The sum is a binomial variable of `count` trials
    with chance a/(1+a) plus an independent negative binomial one, as the generating function of |k| is (1-a)/(1+a) ·
    (1+az)/(1-az).
    """
    # The case of no distance at all, or a negative one: certainly.
    if steps <= 0:
        return Enclosure(0.0, 0.0)
    # The case of a histogram of 10,000 bins, all errors together: the sum below has that many terms.
    if count * min(count, steps) > MOST_ERROR_TERMS:
        raise TooLarge("the error of the sum", f"{count:,} answers", "ask for that of the largest", MOST_ERROR_TERMS)
    heads = np.arange(count + 1.0)
    choose = gammaln(count + 1.0) - gammaln(heads + 1) - gammaln(count - heads + 1)
    weights = choose - heads * decay - count * np.log1p(np.exp(-decay))
    k = np.arange(count, dtype=np.float64)
    terms = []
    for each in range(min(count + 1, steps)):
        trials = float(steps - each + count - 1)  # fewer than `count` of them end a run
        chosen = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
        terms.append(weights[each] + chosen + k * log(-np.expm1(-decay)) - (trials - k) * decay)
    terms.append(weights[heads >= steps])
    logs = np.concatenate(terms)
    size = (steps + 2 * count) * (1 + decay + abs(log(-np.expm1(-decay)))) + float(gammaln(steps + count + 1.0))
    return _at_most_one(around(log_sum(logs), 64 * UNIT * (1 + size)))


def _at_most_one(logs: Enclosure) -> Enclosure:
    return Enclosure(min(logs.lower, 0.0), min(logs.upper, 0.0))
