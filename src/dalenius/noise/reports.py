"""Noise before the answer: each record becomes a report on its own, and the query is asked about the reports.

A person who has 0 or 1 tells the truth three times out of four. Their report is a matrix of probabilities, and what
everybody reports leaves them noised already:

>>> from dalenius.noise.randomized_response import RandomizedResponse
>>> found = RandomizedResponse(keep=0.75).reports((0, 1))
>>> found.values, [[str(chance) for chance in row] for row in found.rows]
((0, 1), [['3/4', '1/4'], ['1/4', '3/4']])
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, log, nan
from typing import TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, ZERO, Enclosure, around
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.noise.error_law import ErrorLaw
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.sampling import drawn_place

Rows: TypeAlias = tuple[tuple[Fraction, ...], ...]
"""Probabilities of reports, exactly: a row for each value of a record."""


@final
@dataclass(frozen=True)
class Reports:
    """The reports that records of one universe become.

    Attributes:
        values: The values that a report can have.
        rows: The probability of each report given each value of the record (values, reports); rows sum to 1.
    """

    values: tuple[RecordValue, ...]
    rows: Rows

    @cached_property
    def logs(self) -> Array:
        """The log-probabilities (values, reports); -inf for a report that a value never becomes."""
        return np.array([[log(chance) if chance else -inf for chance in row] for row in self.rows])

    def drawn_place(self, place: int) -> int:
        """Draws the report of a record, exactly, and returns its place among the values of reports.

        Args:
            place: The place of the record's value in its universe, from 0.
        """
        return drawn_place(self.rows[place])


@final
@dataclass(frozen=True)
class ReportMechanism(FiniteMechanism):
    """Mechanism of noise before the answer: the answer is made of reports, and goes out as it is.

    chances: the probabilities of reports (values, reports) of records that can have so many reports.
    """

    chances: Callable[[int], Array]

    def likelihood(self, law: Law) -> Law:
        return law

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the loss over a record's values, whatever all other records are.

        Others' reports are independent of this one, so that the loss is at most that of the report's own score. It is
        attained at a score that some weights of the coordinates rank above all others: at the answer that these
        weights rank first, everybody reports what they rank first.

        Args:
            neighbours: The record's own scores, and how records are combined, by coordinate.
        """
        scores, which = np.unique(neighbours.own, axis=0, return_inverse=True)
        chances = self.chances(len(neighbours.own))
        joined = np.zeros((len(chances), len(scores)))
        np.add.at(joined.T, which.reshape(-1), chances.T)
        losses = [_loss(column) for column in joined.T]
        sums = all(how == "sum" for how in neighbours.combine)
        attained = [loss for loss, own in zip(losses, range(len(scores)), strict=True) if sums and _first(scores, own)]
        found = around(max(losses), 16 * UNIT * (1 + max(losses))) if max(losses) < inf else Enclosure(inf, inf)
        lower = max(attained, default=0.0)
        return ZERO if len(scores) == 1 else Enclosure(min(found.lower, max(lower * (1 - 32 * UNIT), 0.0)), found.upper)

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says whether records are reported as they are, where the answer may differ.

        Args:
            answers: All possible answers, in lattice steps; None for any. A single one says nothing.
        """
        return bool(np.all(np.count_nonzero(self.chances(2), axis=1) == 1)) and (answers is None or len(answers) > 1)


def _loss(column: Array) -> float:
    """Returns the log-ratio of the largest and the least of these probabilities; 0 where all are 0."""
    most, least = float(column.max()), float(column.min())
    return 0.0 if most == 0 else inf if least == 0 else log(most / least)


def _first(scores: IntArray, place: int) -> bool:
    """Says whether the score at `place` is ranked above all others by its weights from their mean."""
    weights = scores[place] * len(scores) - scores.sum(axis=0)
    ranked = scores.astype(object) @ weights.astype(object)
    return all(ranked[place] > other for at, other in enumerate(ranked.tolist()) if at != place)


@final
@dataclass(frozen=True)
class ReportError(ErrorLaw):
    """The error of an answer that is made of reports: it depends on every record, and is not stated here."""

    def mean_moves(self, indices: IntArray) -> Array:
        return np.full(len(indices), nan)


def no_draw(kind: str) -> InputError:
    """Makes the error for a draw from the answer alone, by noise of this `kind`: it needs every record."""
    return InputError("noise.kind", kind, "records to be noised one by one: the answer alone does not say them")


def rows_of(chances: Sequence[Sequence[float]]) -> Rows:
    """Returns the probabilities as the fractions that they are, over their sums, so that each row sums to 1.

    Args:
        chances: The probabilities (values, reports).
    """
    exact = [[Fraction(chance) for chance in row] for row in chances]
    return tuple(tuple(chance / sum(row) for chance in row) for row in exact)
