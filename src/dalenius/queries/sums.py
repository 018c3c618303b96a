"""Counts of records that have a value, and the sum, the mean and the variance of the records' values.

Θ and Δ over all tables of eleven people with numbers from 0 to 100, in which one of them is absent:

>>> people = Universe(n=11, lower=0, upper=100)
>>> [str(query.worst_case(people).identifiability) for query in (Sum(), Sum(lower=10, upper=50), Mean(), Variance())]
['100', '40', '10', '1000']
>>> [str(query.worst_case(people).presence) for query in (Sum(), Sum(lower=10, upper=50), Mean(), Variance())]
['100', '50', '100/11', '10000/11']
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt, lcm
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.exact_integers import IntegerArray, exact, greatest, in_doubles, size, total, widened
from dalenius.fields import Finite, RecordValue
from dalenius.left_out import LeftOut, of_kinds, of_levels
from dalenius.queries.labels import by_label, check_unlabelled, only_answer
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import (
    Column,
    CountedValues,
    Kind,
    Labels,
    Query,
    Weights,
    among,
    check_everybody,
    check_values,
    in_order,
    whom,
)
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.sentences.sentence import phrase, said, semicolons, value_phrase
from dalenius.tally import Tally


def _counted(tally: Tally, who: NDArray[np.bool_]) -> LeftOut:
    """Returns the counts without each person: one less without somebody of a kind that counts.

    Args:
        tally: The table's people by kind.
        who: Which kinds count (kinds,).
    """
    people = int(tally.counts[who].sum())
    return of_levels(-who.astype(np.int64), Fraction(1), Fraction(people), tally.counts, tally.whose)


def _counted_worst(universe: Universe, values: Sequence[RecordValue], key: str) -> Sensitivities:
    """Returns Θ = 0 if everybody counts, else 1, and Δ = 1; InputError for a value that nobody can have."""
    # The two cases are a universe of listed values, and one of all numbers between two ends.
    if universe.values is not None:
        check_values([Kind("", universe.values, universe.n)], values, key)
        everybody = set(universe.values) <= set(values)
    else:
        for value in values:
            _check_within(universe, value, key)
        # The case in which all people have the one number that there is.
        everybody = universe.lower is not None and universe.lower == universe.upper
    return Sensitivities(Fraction(int(not everybody)), Fraction(1))


def _check_within(universe: Universe, value: RecordValue, key: str) -> None:
    """Raises InputError for a value outside the universe's ends, which nobody can have, or for a text."""
    low, high = (None if end is None else exact(end, "universe") for end in (universe.lower, universe.upper))
    number = None if isinstance(value, str) else exact(value, key)
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise InputError(key, value, "a number that somebody can have")


@final
class Count(Query):
    """The number of records that have one of some values.

    Args:
        values: The values that count, each once; `(1,)` by default, to count the bits that are set.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.

    Example:
        Two of four people are ill. Without one of the four, a count of the ill is 1 or 2. In the worst case over all
        tables of eleven people, it moves by 1 if somebody joins, or if somebody else is absent.

        >>> import dalenius as dl
        >>> from dalenius.tally import tally_of_people
        >>> found = dl.Count(values=("ill",)).left_out(tally_of_people(["ill", "well", "ill", "well"]))
        >>> found.base, found.offsets.tolist(), found.people.tolist()
        (Fraction(1, 1), [0.0, 1.0], [2, 2])
        >>> dl.Count().worst_case(dl.Universe(n=11, values=(0, 1)))
        Sensitivities(identifiability=Fraction(1, 1), presence=Fraction(1, 1))
    """

    kind: Literal["count"] = "count"
    values: CountedValues = (1,)
    labels: Labels | None = None
    per_label: bool = Field(default=False, strict=True)

    @property
    def asks_labels(self) -> bool:
        return self.per_label

    def in_one_form(self, everybody: Collection[str] = ()) -> "Count":
        return self.altered({"values": in_order(self.values), "labels": whom(self.labels, everybody)})

    @property
    def words(self) -> str:
        return among(said("how_many", values=value_phrase(self.values)), self.labels, self.per_label)

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        check_values(strata, self.values, "query.values")

        def score(value: RecordValue, people: int) -> Fraction:
            return Fraction(int(value in self.values))

        return by_label(strata, self.labels, self.per_label, score, listed=self._listed)

    def left_out(self, tally: Tally) -> LeftOut:
        # Because with labels the absence of anybody else in the table changes nothing.
        labels = only_answer(tally.labels, self.labels, self.per_label)
        return _counted(tally, tally.having(self.values, "query.values") & tally.labelled(labels))

    def worst_case(self, universe: Universe) -> Sensitivities:
        check_unlabelled(self.labels)
        return _counted_worst(universe, self.values, "query.values")


@final
class Histogram(Query):
    """The number of records in each cell.

    A record moves two answers at most: out of one cell and into another.

    Args:
        cells: The cells, each a list of values that one answer counts together; no value twice.

    Example:
        >>> import dalenius as dl
        >>> dl.Histogram(cells=[["well"], ["ill", "dead"]]).words
        'how many records are well; how many ill or dead'
    """

    kind: Literal["histogram"] = "histogram"
    cells: tuple[tuple[RecordValue, ...], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> "Histogram":
        # Because a value in two cells would be counted twice, and a record would move more than two answers.
        flat = [value for cell in self.cells for value in cell]
        if len(set(flat)) != len(flat) or not all(self.cells):
            raise ValueError("cells of at least one value, no value twice")
        return self

    def in_one_form(self, everybody: Collection[str] = ()) -> "Histogram":
        return self.altered({"cells": tuple(in_order(cell) for cell in self.cells)})

    @property
    def words(self) -> str:
        first, *others = map(value_phrase, self.cells)
        more = (said("how_many_more", values=each) for each in others)
        return semicolons([said("how_many", values=first), *more])

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        check_values(strata, [value for cell in self.cells for value in cell], "query.cells")
        slots = [value for stratum in strata for value in stratum.values]
        return tuple(
            Column(" or ".join(map(str, cell)), tuple(Fraction(int(value in cell)) for value in slots))
            for cell in self.cells
        )

    def left_out(self, tally: Tally) -> LeftOut:
        return _counted(tally, tally.having(self._only(), "query.cells"))

    def worst_case(self, universe: Universe) -> Sensitivities:
        return _counted_worst(universe, self._only(), "query.cells")

    def _only(self) -> tuple[RecordValue, ...]:
        """Returns the only cell; InputError for several, as the secret of who is absent wants one number."""
        if len(self.cells) > 1:
            raise InputError("query.cells", f"{len(self.cells)} cells", "one cell where the secret is who is absent")
        return self.cells[0]


@final
class Sum(NumericQuery):
    """The sum of the values of the people who are asked.

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.
        weights: By label, the factor of each value after clipping; None (the default) for 1.

    Example:
        >>> import dalenius as dl
        >>> query = dl.Sum(lower=10, upper=50)
        >>> query.worst_case(dl.Universe(n=11, lower=0, upper=100))
        Sensitivities(identifiability=Fraction(40, 1), presence=Fraction(50, 1))
    """

    kind: Literal["sum"] = "sum"
    weights: Mapping[str, Finite] | None = None

    def in_one_form(self, everybody: Collection[str] = ()) -> "Sum":
        weights = None if self.weights is None else {label: each + 0.0 for label, each in self.weights.items()}
        return super().in_one_form(everybody).altered({"weights": weights})

    @property
    def words(self) -> str:
        asked = super().words
        if self.weights is None:
            return asked
        return said("weighted", question=phrase(asked), weights=value_phrase(self.weights))

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:

        def score(value: RecordValue, people: int) -> Fraction:
            return self._clipped(value)

        columns = by_label(strata, self.labels, self.per_label, score, listed=self._listed)
        slots = [stratum.label for stratum in strata for _ in stratum.values]
        return columns if self.weights is None else tuple(self._weighted(column, slots) for column in columns)

    def _weighted(self, column: Column, labels: Sequence[str]) -> Column:
        """Returns one answer's scores, each times the weight of its label; labels: the label of every slot."""
        scores = zip(column.scores, labels, strict=True)
        return replace(column, scores=tuple(None if s is None else s * self._weight(label) for s, label in scores))

    def _weight(self, label: str) -> Fraction:
        """Returns a label's weight, exactly; InputError where weights are given, and none for this label."""
        if self.weights is None:
            return Fraction(1)
        # The case of adults and children in the data, and a weight for adults only: a weight of 0 must be written.
        if label not in self.weights:
            raise InputError("query.weights", str(sorted(self.weights)), f"also a weight for label {label!r}")
        return Fraction(str(self.weights[label]))

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        return tuple(
            Weights(name, tuple(self._weight(label) if label in own else Fraction(0) for label in labels))
            for name, own in self._unclipped(labels)
        )

    def share_of_total(self, people: int) -> Fraction:
        return Fraction(1)

    def left_out(self, tally: Tally) -> LeftOut:
        clipped = self._clipped_tally(tally)
        exact_weights = [self._weight(label) for label in tally.labels]
        parts = lcm(*(weight.denominator for weight in exact_weights))
        # The weights as whole numbers, and the unit of a value so weighted.
        weights, unit = [int(weight * parts) for weight in exact_weights], clipped.unit / parts
        steps = np.where(clipped.who, clipped.steps, 0)
        wide = widened(steps, max(size(steps), 1) * max(abs(weight) for weight in weights))
        # So that no second array is made for a million people without weights.
        scores = wide if set(weights) == {1} else wide * np.array(weights, dtype=wide.dtype)[tally.label]
        return of_levels(-scores, unit, total(scores, tally.counts) * unit, tally.counts, tally.whose)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        weight = abs(self._weight(""))
        return Sensitivities(weight * (high - low), weight * max(abs(low), abs(high)))


@final
class Mean(NumericQuery):
    """The mean over the people who are asked; their number is public.

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.

    Example:
        >>> import dalenius as dl
        >>> dl.Mean().worst_case(dl.Universe(n=11, lower=0, upper=100))
        Sensitivities(identifiability=Fraction(10, 1), presence=Fraction(100, 11))
    """

    kind: Literal["mean"] = "mean"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        check_everybody(strata, self.kind)
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value) / people)

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        found = []
        for name, own in self._unclipped(labels):
            people = sum(label in own for label in labels)
            found.append(Weights(name, tuple(Fraction(int(label in own), people) for label in labels)))
        return tuple(found)

    def share_of_total(self, people: int) -> Fraction:
        return Fraction(1, people)

    def left_out(self, tally: Tally) -> LeftOut:
        clipped = self._clipped_tally(tally).at_least(2, self.kind)
        people, unit = clipped.people, clipped.unit
        start, total = clipped.origin * unit, clipped.total
        # The case in which nobody is left out by a label: every absence divides by one person less.
        if clipped.everybody:
            return clipped.answers(-clipped.shifted, unit / (people - 1), start + total * unit / (people - 1))
        # Because the mean of all asked, S/N, stays where the absent one is not; otherwise it is (S - v)/(N - 1), beyond
        # it by (S - Nv)/(N(N - 1)).
        above = total - people * widened(clipped.shifted, 2 * people * size(clipped.shifted))
        levels = np.where(clipped.who, above, 0)
        return clipped.answers(levels, unit / (people * (people - 1)), start + total * unit / people)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities((high - low) / (universe.n - 1), (high - low) / universe.n)


@final
class Variance(NumericQuery):
    """The sample variance of the people who are asked and present: for m values Σ(x - mean)²/(m - 1).

    It is not made of a score per record. So it is asked only where the secret is who is absent (`Absent`).

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own; refused if that makes several. False by default.

    Example:
        >>> import dalenius as dl
        >>> dl.Variance().worst_case(dl.Universe(n=11, lower=0, upper=100)).identifiability
        Fraction(1000, 1)
    """

    kind: Literal["variance"] = "variance"

    def left_out(self, tally: Tally) -> LeftOut:
        # Because, of N people asked, with w = Nv - S and T = NΣv² - S², a person with v leaves ((N - 1)T - w²)/(N(N -
        # 1)(N - 2)); a person who is not asked leaves T/(N(N - 1)), as w² = T would.
        clipped = self._clipped_tally(tally).at_least(3, self.kind)
        people, total = clipped.people, clipped.total
        spread = people * clipped.squares() - total**2
        unit = clipped.unit**2 / (people * (people - 1) * (people - 2))
        # So that comparisons are exact, in whole numbers: by how far each value is from the mean.
        away = np.abs(people * widened(clipped.shifted, people * size(clipped.shifted)) - total)
        furthest = greatest(away[clipped.who])
        base = ((people - 1) * spread - furthest**2) * unit
        offsets = _falls(furthest, np.where(clipped.who, away, 0), unit)
        # The case of people who are not asked: without them the variance is that of all who are.
        if not clipped.everybody:
            offsets = np.where(clipped.who, offsets, _fall(furthest, spread, unit))
        return of_kinds(base, offsets, tally.counts, tally.whose)

    def worst_case(self, universe: Universe) -> Sensitivities:
        # Because both are attained by one value at an end and all others at the other end.
        low, high = self._ends(universe, 3)
        return Sensitivities((high - low) ** 2 / (universe.n - 1), (high - low) ** 2 / universe.n)


def _falls(furthest: int, away: IntegerArray, unit: Fraction) -> Array:
    """Returns furthest² - away² in units, to six roundings: the factors are exact, the squares would not be."""
    return in_doubles(furthest - away, unit) * (furthest + away).astype(np.float64)


def _fall(furthest: int, square: int, unit: Fraction) -> float:
    """Returns furthest² - square in units, to the same digit as `_falls` where it is a whole number's square."""
    root = isqrt(square)
    # So that equal answers stay equal: a perfect square gives what somebody's own value would, to the same digit.
    if root**2 == square:
        return float(_falls(furthest, np.array([root], dtype=object), unit)[0])
    return float((furthest**2 - square) * unit)
