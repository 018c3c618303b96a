"""The greatest, the least and the middle of the records' values."""

from collections.abc import Sequence
from typing import Any, Literal, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import IntArray
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, Sensitivities, Universe, by_label
from dalenius.tallies import LeftOut, Tally, WholeArray, size, whole


@final
class Max(NumericQuery):
    """The greatest value of anybody who is asked."""

    kind: Literal["max"] = "max"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value), combine="max")

    def left_out(self, tally: Tally) -> LeftOut:
        asked = self._asked(tally).at_least(2, self.kind)
        values, below = asked.ordered()
        alone = len(values) > 1 and below[-2] == asked.people - 1
        place = np.where(asked.who & (asked.shifted == values[-1]) & alone, -2, -1)
        return asked.answers(values[place], asked.unit, asked.origin * asked.unit)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities(high - low, high - low)


@final
class Min(NumericQuery):
    """The least value of anybody who is asked."""

    kind: Literal["min"] = "min"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value), combine="min")

    def left_out(self, tally: Tally) -> LeftOut:
        asked = self._asked(tally).at_least(2, self.kind)
        values, below = asked.ordered()
        alone = below[0] == 1
        place = np.where(asked.who & (asked.shifted == values[0]) & alone, 1, 0)
        return asked.answers(values[place], asked.unit, asked.origin * asked.unit)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities(high - low, high - low)


@final
class Median(NumericQuery):
    """The value in the middle of everybody's who is asked and is there; of an even number, the mean of the middle two.

    No score per record makes it: it is asked only where the secret is who is absent.
    """

    kind: Literal["median"] = "median"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        raise InputError("query.kind", self.kind, "a sum, an extreme or a count, unless the secret is who is absent")

    def left_out(self, tally: Tally) -> LeftOut:
        """Without somebody of rank r the k-th value is the k-th of all where r > k, else the one after it."""
        asked = self._asked(tally).at_least(2, self.kind)
        values, below = asked.ordered()
        values = whole(values, 2 * size(values))
        last = below[np.minimum(np.searchsorted(values, asked.shifted), len(below) - 1)]
        levels = sum(_ranked(values, below, k + (last <= k)) for k in _middle(asked.people - 1))
        everybody = sum(_ranked(values, below, np.array([k])) for k in _middle(asked.people))
        answers = np.where(asked.who, levels, everybody)
        return asked.answers(answers, asked.unit / 2, asked.origin * asked.unit)

    def worst_case(self, universe: Universe) -> Sensitivities:
        """An odd number of people can be split between the ends with one who decides; of an even number the middle two
        are averaged."""
        low, high = self._ends(universe)
        return Sensitivities((high - low) / (1 if universe.n % 2 == 0 else 2), (high - low) / 2)


def _middle(people: int) -> tuple[int, int]:
    """The ranks, from 1, whose mean is the median."""
    return (people + 1) // 2, people // 2 + 1


def _ranked(values: WholeArray, below: IntArray, ranks: IntArray) -> Any:
    """The values of these ranks; below: how many people are at or below each value."""
    return values[np.searchsorted(below, ranks)]
