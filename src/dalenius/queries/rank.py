"""Queries by rank: maximum, minimum, median.

Four people have 1, 2, 4 and 9. The median of the other three is 4 if 1 or 2 is absent, and 2 if 4 or 9 is. Over all
tables of eleven people with numbers from 0 to 100, the absent person can move the median by 50:

>>> from dalenius.queries import Universe
>>> from dalenius.tally import tally_of_people
>>> found = Median().left_out(tally_of_people([1, 2, 4, 9]))
>>> found.base, found.offsets.tolist(), found.people.tolist()
(Fraction(2, 1), [0.0, 2.0], [2, 2])
>>> Median().worst_case(Universe(n=11, lower=0, upper=100)).identifiability
Fraction(50, 1)
"""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.exact_integers import IntegerArray, size, widened
from dalenius.laws.sums import Combine
from dalenius.left_out import LeftOut
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import (
    Column,
    Kind,
    by_label,
)
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.tally import Tally


class RankQuery(NumericQuery, abc.ABC):
    """The value of a rank among everybody who is asked, or the mean of those of two ranks."""

    @abc.abstractmethod
    def _ranks(self, people: int) -> tuple[int, ...]:
        """Of so many people, from 1 for the least; as many whatever their number is."""

    def left_out(self, tally: Tally) -> LeftOut:
        """Without somebody of rank r the k-th value is the k-th of all where r > k, else the one after it."""
        clipped = self._clipped_tally(tally).at_least(2, self.kind)
        values, below = clipped.ordered()
        # The means of two ranks are left as sums, in a unit half as large: twice a value must fit.
        values = widened(values, 2 * size(values))
        last = below[np.minimum(np.searchsorted(values, clipped.shifted), len(below) - 1)]
        ranks = self._ranks(clipped.people - 1)
        # Whoever stands at or below rank k moves every later value up by one place.
        levels = sum(_valued(values, below, k + (last <= k)) for k in ranks)
        everybody = sum(_valued(values, below, np.array([k])) for k in self._ranks(clipped.people))
        answers = np.where(clipped.who, levels, everybody)
        return clipped.answers(answers, clipped.unit / len(ranks), clipped.origin * clipped.unit)


def _valued(values: IntegerArray, below: IntArray, ranks: IntArray) -> Any:
    """The values of these ranks; below: how many people are at or below each value (distinct values,)."""
    return values[np.searchsorted(below, ranks)]


class Extreme(RankQuery, abc.ABC):
    """The greatest value, or the least.

    Its scores are combined by a maximum or a minimum, so that it has a law as a sum has; of one record's change it may
    move by the whole range.
    """

    how: ClassVar[Combine]

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value), self.how)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities(high - low, high - low)


@final
class Max(Extreme):
    """The greatest value of anybody who is asked."""

    how: ClassVar[Combine] = "max"
    kind: Literal["max"] = "max"

    def _ranks(self, people: int) -> tuple[int, ...]:
        return (people,)


@final
class Min(Extreme):
    """The least value of anybody who is asked."""

    how: ClassVar[Combine] = "min"
    kind: Literal["min"] = "min"

    def _ranks(self, people: int) -> tuple[int, ...]:
        return (1,)


@final
class Median(RankQuery):
    """The value in the middle of everybody's who is asked and is there; of an even number, the mean of the middle two.

    No score per record makes it: it is asked only where the secret is who is absent.
    """

    kind: Literal["median"] = "median"

    def _ranks(self, people: int) -> tuple[int, ...]:
        return (people + 1) // 2, people // 2 + 1

    def worst_case(self, universe: Universe) -> Sensitivities:
        """An odd number of people can be split between the ends with one who decides; of an even number the middle two
        are averaged."""
        low, high = self._ends(universe)
        return Sensitivities((high - low) / (1 if universe.n % 2 == 0 else 2), (high - low) / 2)
