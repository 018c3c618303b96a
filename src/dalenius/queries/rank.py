"""Queries by rank: maximum, minimum, median."""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.exact_integers import IntegerArray, size, widened
from dalenius.laws.sums import Combine
from dalenius.left_out import LeftOut
from dalenius.queries.labels import by_label
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.tally import Tally


class RankQuery(NumericQuery, abc.ABC):
    """A query of the value of one rank among the people who are asked, or of the mean of two ranks.

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.
    """

    @abc.abstractmethod
    def _ranks(self, people: int) -> tuple[int, ...]:
        """Returns the ranks among so many people, from 1 for the least; equally many for any number of people."""

    def left_out(self, tally: Tally) -> LeftOut:
        # Because without somebody of rank r the k-th value is the k-th of all where r > k, else the one after it.
        clipped = self._clipped_tally(tally).at_least(2, self.kind)
        values, below = clipped.ordered()
        # Because the means of two ranks are left as sums, in a unit half as large: twice a value must fit.
        values = widened(values, 2 * size(values))
        last = below[np.minimum(np.searchsorted(values, clipped.shifted), len(below) - 1)]
        ranks = self._ranks(clipped.people - 1)
        # Because the absence of a person at or below rank k moves every later value up by one place.
        levels = sum(_valued(values, below, k + (last <= k)) for k in ranks)
        everybody = sum(_valued(values, below, np.array([k])) for k in self._ranks(clipped.people))
        answers = np.where(clipped.who, levels, everybody)
        return clipped.answers(answers, clipped.unit / len(ranks), clipped.origin * clipped.unit)


def _valued(values: IntegerArray, below: IntArray, ranks: IntArray) -> Any:
    """Returns the values of these ranks; below: how many people are at or below each distinct value."""
    return values[np.searchsorted(below, ranks)]


class Extreme(RankQuery, abc.ABC):
    """A query of the greatest value, or of the least.

    Its scores are combined by a maximum or a minimum, so that it has a law as a sum has. One record's change may move
    it by the whole range.

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.
    """

    how: ClassVar[Combine]

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value), self.how)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities(high - low, high - low)


@final
class Max(Extreme):
    """The greatest value of the people who are asked.

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.

    Example:
        Of three people who have 1, 4 and 9, the maximum falls by 5 if the last one is absent.

        >>> import dalenius as dl
        >>> from dalenius.tally import tally_of_people
        >>> dl.Max().left_out(tally_of_people([1, 4, 9])).offsets.tolist()
        [0.0, 5.0]
    """

    how: ClassVar[Combine] = "max"
    kind: Literal["max"] = "max"

    def _ranks(self, people: int) -> tuple[int, ...]:
        return (people,)


@final
class Min(Extreme):
    """The least value of the people who are asked.

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.

    Example:
        Of three people who have 1, 4 and 9, the minimum rises by 3 if the first one is absent.

        >>> import dalenius as dl
        >>> from dalenius.tally import tally_of_people
        >>> dl.Min().left_out(tally_of_people([1, 4, 9])).offsets.tolist()
        [0.0, 3.0]
    """

    how: ClassVar[Combine] = "min"
    kind: Literal["min"] = "min"

    def _ranks(self, people: int) -> tuple[int, ...]:
        return (1,)


@final
class Median(RankQuery):
    """The value in the middle of the people who are asked and present; for an even number, the mean of the middle two.

    It is not made of a score per record. So it is asked only where the secret is who is absent (`Absent`).

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own; refused if that makes several. False by default.

    Example:
        Four people have 1, 2, 4 and 9. The median of the others is 4 if 1 or 2 is absent, and 2 if 4 or 9 is. Over all
        tables of eleven people with numbers from 0 to 100, who is absent can move the median by 50.

        >>> import dalenius as dl
        >>> from dalenius.tally import tally_of_people
        >>> found = dl.Median().left_out(tally_of_people([1, 2, 4, 9]))
        >>> found.base, found.offsets.tolist(), found.people.tolist()
        (Fraction(2, 1), [0.0, 2.0], [2, 2])
        >>> dl.Median().worst_case(dl.Universe(n=11, lower=0, upper=100)).identifiability
        Fraction(50, 1)
    """

    kind: Literal["median"] = "median"

    def _ranks(self, people: int) -> tuple[int, ...]:
        return (people + 1) // 2, people // 2 + 1

    def worst_case(self, universe: Universe) -> Sensitivities:
        # Because an odd number present can be split between the ends with one who decides; for an even number the
        # middle two are averaged.
        low, high = self._ends(universe)
        return Sensitivities((high - low) / (1 if universe.n % 2 == 0 else 2), (high - low) / 2)
