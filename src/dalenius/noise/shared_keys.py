"""Noise that belongs to a set of people: answers about the same people share one draw of it (Theory §23).

A count of street A, and the total of A and B. Nobody of B is ill: both answers are about the same people, and are
equal after the noise, too. With one ill in B each has a draw of its own:

>>> from dalenius.noise.cell_key import CellKey
>>> rule, lattice = CellKey(d=1, v=0.5), Lattice((Fraction(1), Fraction(1)))
>>> sets = SetsAtPoints(counts=np.array([[1, 1], [1, 2]]), same=np.array([[0, 0], [0, 1]]))
>>> law = Law((0,), np.zeros(2), np.array([[0.0, -np.inf], [-np.inf, 0.0]]), 0.0)
>>> mechanism = SharedKeysMechanism(rule, lattice, rule, sets)
>>> alike, apart = np.exp(mechanism.likelihood(law).log_mass()).round(6)
>>> {mechanism.output([place]): float(alike[place]) for place in np.flatnonzero(alike)}
{(0.0, 0.0): 0.25, (1.0, 1.0): 0.5, (2.0, 2.0): 0.25}
>>> int(np.count_nonzero(apart))
9
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, prod
from typing import NamedTuple, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import Enclosure
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.limits import LARGEST_INDEX
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.memory_budget import allowed
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.limits import MOST_SHARED_DRAWS
from dalenius.noise.place_of_given_output import Answer, at_index, cannot_occur, is_possible
from dalenius.noise.rule import RuleRows
from dalenius.noise.rule_mechanism import Columns, RuleMechanism, as_law, columns


@final
class SetsAtPoints(NamedTuple):
    """The sets of people that answers count, at some points of a law.

    Attributes:
        counts: How many people each answer counts (points, answers).
        same: For each answer, the place of the first one that counts the same people (points, answers).
    """

    counts: IntArray
    same: IntArray


class _Draws(NamedTuple):
    """All that may be drawn at all points.

    points, places: the point of the law and the place of the output of each draw. logs: of its probability. outputs:
    the outputs (places, answers), each answer in units of the rule.
    """

    points: IntArray
    places: IntArray
    logs: Array
    outputs: IntArray


@final
@dataclass(frozen=True, eq=False)
class SharedKeysMechanism(FiniteMechanism):
    """Mechanism of several answers; those about the same people are moved alike.

    Outputs are listed. InputError where likelihoods are asked for and the sets of people are not known.

    Attributes:
        rule: The rule that moves each set of people.
        sets: The sets at the points of the law, one after another, at which some mass may be; None for unknown.
    """

    rule: RuleRows
    sets: SetsAtPoints | None = None

    @cached_property
    def _draws(self) -> _Draws:
        if self.sets is None:
            wanted = "one answer, or counts of people with a joint law"
            raise InputError("noise.kind", f"{self.noise.kind} for {self.lattice.axes} answers", wanted)
        counts, same = self.sets
        rows = columns(self.rule, 0, int(counts.max(initial=0)) + 1, Fraction(1))
        widths = np.count_nonzero(rows.logs > -inf, axis=1)
        first = same == np.arange(same.shape[1])
        # The case of a large table with all its totals: every distinct set may be moved in several ways.
        draws = float(np.sum(np.prod(np.where(first, widths[counts], 1), axis=1, dtype=np.float64)))
        if draws > allowed(MOST_SHARED_DRAWS):
            size = f"{draws:,.0f} ways to draw the keys of their people"
            raise TooLarge("the joint law of answers with cell keys", size, "ask fewer at once", MOST_SHARED_DRAWS)
        # Because points with the same equal sets are drawn alike, they are listed together.
        patterns, which = np.unique(same, axis=0, return_inverse=True)
        found = [
            _drawn(rows, counts, np.flatnonzero(which.reshape(-1) == place), pattern.tolist())
            for place, pattern in enumerate(patterns)
        ]
        points, logs, moved = (np.concatenate(each) for each in zip(*found, strict=True))
        outputs, places = _listed(moved)
        return _Draws(points, places, logs, outputs)

    def likelihood(self, law: Law) -> Law:
        logs = law.log_mass().reshape(law.secrets, -1)
        if law.floor is not None:
            logs = np.concatenate([logs, (law.base + law.floor).reshape(1, -1)])
        draws, there = self._draws, logs[:, points_with_mass(law)]
        order = np.argsort(draws.places, kind="stable")
        starts = np.flatnonzero(np.diff(draws.places[order], prepend=-1))
        terms = there[:, draws.points[order]] + draws.logs[order]
        found = np.logaddexp.reduceat(terms, starts, axis=1)
        depth = float(np.max(np.abs(there), where=np.isfinite(there), initial=0.0))
        most = int(np.max(np.diff(np.append(starts, terms.shape[1]))))
        # Because a log of a draw is a sum of as many as there are answers, each rounded.
        roundings = (4 * depth + 32 + 8 * self.lattice.axes) * (1 + np.log2(most)) + 4 * most
        return as_law([0], found, law, roundings)

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        place = self._place(output)
        if place is not None:
            there = at_index(likelihood, [place])
            if is_possible(there):
                return there
        possible = np.flatnonzero(np.max(likelihood.relative, axis=0) > -inf)
        raise cannot_occur(output, self.output([int(possible[0])]))

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        # Because the law is of whole outputs, in no order of any single answer.
        return (None,) * len(output)

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        given, word = self._draws.outputs[int(index[0])], self.rule.word
        pairs = zip(given.tolist(), self._units, strict=True)
        return tuple(word if word is not None and each == -1 else float(each * unit) for each, unit in pairs)

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        return (float(self._place(output) or 0),)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the loss: at least that of each single answer, as `neighbours` lists them."""
        single = [
            RuleMechanism(self.noise, Lattice((step,)), self.rule).neighbour_loss(neighbours.on([axis], [step])).lower
            for axis, step in enumerate(self.lattice.steps)
        ]
        return Enclosure(max(single), self.noise.privacy_loss(neighbours.reach))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return RuleMechanism(self.noise, Lattice(self.lattice.steps[:1]), self.rule).leaves_exact(answers)

    @property
    def _units(self) -> list[Fraction]:
        return [self.rule.unit(step) for step in self.lattice.steps]

    def _place(self, output: Sequence[Answer | RecordValue]) -> int | None:
        """Returns the place of an output among those listed; None where it is none of them."""
        wanted = []
        for each, unit in zip(output, self._units, strict=True):
            try:
                place = Fraction(-1) if each == self.rule.word else Fraction(str(each)) / unit
            except ValueError:
                return None
            if place.denominator != 1:
                return None
            wanted.append(int(place))
        found = np.flatnonzero((self._draws.outputs == np.array(wanted)).all(axis=1))
        return int(found[0]) if len(found) else None


def points_with_mass(law: Law) -> IntArray:
    """Returns the flat places of the box of `law` at which some secret has, or may have, mass."""
    there = np.max(law.relative, axis=0) > -inf
    if law.floor is not None:
        there |= law.floor > -inf
    return np.flatnonzero(there)


def _drawn(rows: Columns, counts: IntArray, points: IntArray, same: Sequence[int]) -> tuple[IntArray, Array, IntArray]:
    """Lists the draws at some points whose equal sets are the same ones.

    Returns the point of each draw, its log-probability, and its output (draws, answers).

    Args:
        rows: The outputs of each count, from 0 on.
        counts: How many people each answer counts (points, answers), at all points.
        points: The points that are listed.
        same: For each answer, the place of the first one that counts the same people.
    """
    firsts, width = sorted(set(same)), rows.logs.shape[1]
    left, logs, chosen = points, np.zeros(len(points)), np.zeros((len(points), 0), dtype=np.int64)
    for first in firsts:
        each = np.repeat(np.arange(len(left)), width)
        own = counts[left, first]
        more = rows.logs[own].ravel()
        # Because a row may have fewer outputs than the widest, places that are not needed are passed over.
        there = np.flatnonzero(more > -inf)
        each = each[there]
        left, logs = left[each], logs[each] + more[there]
        chosen = np.concatenate([chosen[each], rows.places[own].ravel()[there][:, None]], axis=1)
    return left, logs, chosen[:, [firsts.index(each) for each in same]]


def _listed(outputs: IntArray) -> tuple[IntArray, IntArray]:
    """Returns the distinct rows of `outputs`, in order, and the place of each row among them."""
    lowest = outputs.min(axis=0)
    widths = (outputs.max(axis=0) - lowest + 1).tolist()
    # The case of so many answers that a whole number of 64 bits does not tell their outputs apart.
    if prod(widths) > LARGEST_INDEX:
        found, places = np.unique(outputs, axis=0, return_inverse=True)
        return found, places.reshape(-1)
    keys = np.zeros(len(outputs), dtype=np.int64)
    for axis, width in enumerate(widths):
        keys = keys * width + (outputs[:, axis] - lowest[axis])
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    return outputs[first], places
