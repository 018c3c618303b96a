"""The mechanism of a rule: likelihoods of its outputs, of as many answers as a law has.

Each answer has a few outputs, so that a law of a million answers is pushed through a table of a few columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log
from typing import Final, NamedTuple, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, ZERO, Enclosure, around
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law, without_floor
from dalenius.laws.limits import LARGEST_INDEX
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.limits import Limit
from dalenius.memory_budget import allowed
from dalenius.noise.error_law import answers_listed
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.limits import MOST_RULE_OUTPUTS
from dalenius.noise.losses_between_neighbours import of_pairs
from dalenius.noise.place_of_given_output import Answer, at_point, cannot_occur, sides_of_point
from dalenius.noise.rule import Output, OutputChances, RuleRows

_WORD: Final = -1
"""The place of the word among the outputs: all numbers are at least 0 where there is one."""


class Columns(NamedTuple):
    """The rows of consecutive answers: which outputs each has, and how likely they are.

    Attributes:
        places: Output numbers, in units (answers, width).
        logs: Logs of the probabilities (answers, width); -inf in places that are not needed.
    """

    places: IntArray
    logs: Array


def columns(rule: RuleRows, first: int, count: int, step: Fraction) -> Columns:
    """Lists the rows that a `rule` has for `count` answers from `first` on, in lattice steps of size `step`."""
    _, period = rule.first_repeated(step)
    unit = rule.unit(step)
    indices = np.arange(first, first + count)
    own = rule.canonical(indices, step)
    listed, which = _distinct(own)
    rows = [list(rule.row(int(index) * step).items()) for index in listed]
    width = max(map(len, rows))
    places, chances = np.zeros((len(rows), width), dtype=np.int64), np.zeros((len(rows), width))
    for at, row in enumerate(rows):
        found = [place_of(output, unit) for output, _ in row]
        _check_span(max(map(abs, found)), LARGEST_INDEX)
        places[at, : len(row)] = found
        places[at, len(row) :] = places[at, 0]
        chances[at, : len(row)] = [float(chance) for _, chance in row]
    periods, moved = (indices - own) // min(period, LARGEST_INDEX), int(period * step / unit)
    _check_span(int(periods.max()) * moved, LARGEST_INDEX)
    shifts = periods * (moved if periods.any() else 0)
    with np.errstate(divide="ignore"):
        return Columns(places[which] + shifts[:, None], np.log(chances)[which])


def _distinct(values: IntArray) -> tuple[IntArray, IntArray]:
    """Returns the distinct whole numbers, rising, and the place of each value among them."""
    # Because the rows of a million answers are a few numbers next to each other, nothing is sorted.
    first = int(values.min())
    seen = np.zeros(int(values.max()) - first + 1, dtype=np.bool_)
    seen[values - first] = True
    return np.flatnonzero(seen) + first, (np.cumsum(seen) - 1)[values - first]


def _check_span(size: int, limit: Limit) -> None:
    """Raises TooLarge if outputs are so far apart that no array holds all numbers between."""
    if size > (allowed(limit) if limit.memory else limit):
        remedy = "choose a rule whose outputs are near its answers, or coarser answers"
        raise TooLarge("the outputs of the rule", f"{size:,} numbers in a row", remedy, limit)


def place_of(output: Output, unit: Fraction) -> int:
    """Returns the place of an output among all: a number in multiples of `unit`, or -1 for the word."""
    return _WORD if isinstance(output, str) else int(output / unit)


def pushed(logs: Array, rows: Columns) -> tuple[int, Array, float]:
    """Pushes log-probabilities (laws, answers) through rows.

    Returns the first place, the logs (laws, places from there on), and the number of roundings behind any entry. A
    place that no answer reaches has -inf, and nothing else has.
    """
    order = np.argsort(rows.places, axis=None, kind="stable")
    places = rows.places.ravel()[order]
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 1))
    there = places[starts]
    terms = (logs[:, :, None] + rows.logs).reshape(len(logs), -1)[:, order]
    first = int(there[0])
    _check_span(len(logs) * (int(there[-1]) - first + 1), MOST_RULE_OUTPUTS)
    found = np.full((len(logs), int(there[-1]) - first + 1), -inf)
    found[:, there - first] = np.logaddexp.reduceat(terms, starts, axis=1)
    depth = float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))
    most = int(np.max(np.diff(np.append(starts, terms.shape[1]))))
    return first, found, (4 * depth + 32) * (1 + np.log2(most)) + 4 * most


@final
@dataclass(frozen=True)
class RuleMechanism(FiniteMechanism):
    """Mechanism of a rule, coordinate by coordinate."""

    rule: RuleRows

    def likelihood(self, law: Law) -> Law:
        logs = law.log_mass()
        if law.floor is not None:
            logs = np.concatenate([logs, (law.base + law.floor)[None]])
        starts, roundings = [], 0.0
        for axis, (first, length, step) in enumerate(zip(law.start, law.box, self.lattice.steps, strict=True), 1):
            moved = np.moveaxis(logs, axis, -1)
            rows = columns(self.rule, first, length, step)
            start, flat, more = pushed(moved.reshape(-1, length), rows)
            logs = np.moveaxis(flat.reshape(*moved.shape[:-1], flat.shape[1]), -1, axis)
            starts.append(start)
            roundings += more
        return as_law(starts, logs, law, roundings)

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        try:
            return at_point(likelihood, self.outputs, self.numbers(output))
        except InputError as error:
            raise self._cannot_occur(likelihood, output) from error

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        return sides_of_point(likelihood, self.outputs, self.numbers(output), log_prior)

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        word = self.rule.word
        return tuple(
            word if word is not None and at == _WORD else number
            for at, number in zip(index, self.outputs.point(index), strict=True)
        )

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        return tuple(
            float(_WORD) if isinstance(each, str) else float(each) / float(unit)
            for each, unit in zip(output, self.outputs.steps, strict=True)
        )

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the loss over the pairs of answers that one record's change makes, as `neighbours` lists them."""
        reach = max(neighbours.reach, default=Fraction(0))

        def window(step: Fraction) -> tuple[int, int, int]:
            # Because rows repeat, pairs of answers beyond a few periods lose what pairs of the same remainders lose.
            start, period = self.rule.first_repeated(step)
            farthest = start + 2 * period + int(reach / step)
            return -farthest, farthest, period

        return of_pairs(neighbours, self.lattice, self._pair_loss, self.noise.privacy_loss(neighbours.reach), window)

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says whether one of the `answers` has a single output, unless all of them have that one."""
        step = self.lattice.steps[0]
        known = answers_listed(answers)
        start, period = self.rule.first_repeated(step)
        indices = np.arange(0, start + 2 * period) if known is None else known
        rows = [self.rule.row(int(index) * step) for index in indices[: start + 2 * period]]
        sure = [next(iter(row)) for row in rows if len(row) == 1]
        return bool(sure) and not (len(sure) == len(rows) and len(set(sure)) == 1)

    @property
    def outputs(self) -> Lattice:
        """The lattice of the outputs that are numbers."""
        return Lattice(tuple(self.rule.unit(step) for step in self.lattice.steps))

    def numbers(self, output: Sequence[Answer]) -> tuple[Answer, ...]:
        """Returns an output with the number that stands for the word."""
        return tuple(
            _WORD * unit if each == self.rule.word and isinstance(each, str) else each
            for each, unit in zip(output, self.outputs.steps, strict=True)
        )

    def _cannot_occur(self, law: Law, output: Sequence[Answer]) -> InputError:
        """Makes the error for an output that no answer has, with the nearest that can occur."""
        try:
            given = [float(Fraction(str(each))) for each in self.numbers(output)]
        except ValueError:
            return InputError("answers", str(output[0]), self._wanted)
        possible = np.argwhere(np.max(law.relative, axis=0) > -inf) + np.array(law.start)
        units = np.array([float(unit) for unit in self.outputs.steps])
        nearest = possible[int(np.argmin(np.sum(np.abs(possible * units - np.array(given)), axis=1)))]
        return cannot_occur(output, self.output(nearest.tolist()))

    @property
    def _wanted(self) -> str:
        return "a number" if self.rule.word is None else f"a number, or {self.rule.word}"

    def _pair_loss(self, pairs: IntArray, step: Fraction) -> Enclosure:
        """Encloses the largest log-ratio of one output over the pairs of answers, in lattice steps."""
        shift = pairs[:, :1] - self.rule.canonical(pairs[:, :1], step)
        # Because both rows of a pair move together only where both repeat.
        both = (pairs >= self.rule.first_repeated(step)[0]).all(axis=1, keepdims=True)
        found = ZERO
        for one, other in np.unique(np.where(both, pairs - shift, pairs), axis=0).tolist():
            loss = loss_between(self.rule.row(one * step), self.rule.row(other * step))
            found = Enclosure(max(found.lower, loss.lower), max(found.upper, loss.upper))
        return found


def as_law(starts: Sequence[int], logs: Array, law: Law, roundings: float) -> Law:
    """Makes the law of the outputs.

    Args:
        starts: The place of the first output along each axis.
        logs: Log-likelihoods (secrets, *box); the last row is the floor where `law` has one.
        law: The law of the answers.
        roundings: How many roundings of a double are behind each entry of `logs`, at most.
    """
    floor = None
    if law.floor is not None:
        logs, floor = logs[:-1], logs[-1]
    # Because only differences between secrets count, the part that all share is kept apart.
    base = np.max(logs, axis=0)
    base = np.where(base > -inf, base, 0.0)
    found = Law(tuple(starts), base, logs - base, law.error + roundings * UNIT)
    return without_floor(found if floor is None else replace(found, floor=floor - base))


def loss_between(one: OutputChances, other: OutputChances) -> Enclosure:
    """Encloses the largest log-ratio of an output between rows `one` and `other`; infinite where only one has it."""
    if one.keys() != other.keys():
        return Enclosure(inf, inf)
    most = max(max(one[output] / other[output], other[output] / one[output]) for output in one)
    return ZERO if most == 1 else around(log(most), 4 * UNIT * (1 + log(most)))
