"""The sum, the mean and the variance of the records' values.

Over all tables of eleven people with numbers from 0 to 100, in which one of them is absent:

>>> people = Universe(n=11, lower=0, upper=100)
>>> [str(query.worst_case(people).identifiability) for query in (Sum(), Sum(lower=10, upper=50), Mean(), Variance())]
['100', '40', '10', '1000']
>>> [str(query.worst_case(people).presence) for query in (Sum(), Sum(lower=10, upper=50), Mean(), Variance())]
['100', '50', '100/11', '10000/11']
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt, lcm
from typing import Literal, final

import numpy as np

from dalenius.errors import InputError
from dalenius.field_types import Finite
from dalenius.laws.law import Array
from dalenius.leave_one_out import (
    LeftOut,
    Tally,
    WholeArray,
    greatest,
    in_doubles,
    of_kinds,
    of_levels,
    size,
    total,
    widened,
)
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind, Sensitivities, Universe, Weights, by_label, setting_in_words


@final
class Sum(NumericQuery):
    """The sum of everybody's values who is asked.

    weights: by label, what each value is multiplied by after clipping; 1 by default.
    """

    kind: Literal["sum"] = "sum"
    weights: Mapping[str, Finite] | None = None

    @property
    def words(self) -> str:
        return (
            super().words
            if self.weights is None
            else f"{super().words}, weighted {setting_in_words(dict(self.weights))}"
        )

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        columns = by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value))
        slots = [stratum.label for stratum in strata for _ in stratum.values]
        return columns if self.weights is None else tuple(self._weighted(column, slots) for column in columns)

    def _weighted(self, column: Column, labels: Sequence[str]) -> Column:
        """One answer's scores, each times the weight of its label; labels: of every slot."""
        scores = zip(column.scores, labels, strict=True)
        return replace(column, scores=tuple(None if s is None else s * self._weight(label) for s, label in scores))

    def _weight(self, label: str) -> Fraction:
        """A label's weight, exactly. InputError where weights are given, and none for this label."""
        if self.weights is None:
            return Fraction(1)
        # Adults and children in the data, and a weight for adults only: 0 is not meant unless it is said.
        if label not in self.weights:
            raise InputError("query.weights", str(sorted(self.weights)), f"also a weight for label {label!r}")
        return Fraction(str(self.weights[label]))

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        return tuple(
            Weights(name, tuple(self._weight(label) if label in among else Fraction(0) for label in labels))
            for name, among in self._unclipped(labels)
        )

    def share_of_total(self, people: int) -> Fraction:
        return Fraction(1)

    def left_out(self, tally: Tally) -> LeftOut:
        clipped = self._clipped_tally(tally)
        weights, unit = self._in_units(tally.labels, clipped.unit)
        steps = np.where(clipped.who, clipped.steps, 0)
        wide = widened(steps, max(size(steps), 1) * max(abs(weight) for weight in weights))
        # Without weights, of a million people, no second array is made.
        scores = wide if set(weights) == {1} else wide * np.array(weights, dtype=wide.dtype)[tally.label]
        return of_levels(-scores, unit, total(scores, tally.counts) * unit, tally.counts, tally.whose)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        weight = abs(self._weight(""))
        return Sensitivities(weight * (high - low), weight * max(abs(low), abs(high)))

    def _in_units(self, labels: Sequence[str], unit: Fraction) -> tuple[list[int], Fraction]:
        """The labels' weights as whole numbers, and the unit of a value so weighted."""
        weights = [self._weight(label) for label in labels]
        denominator = lcm(*(weight.denominator for weight in weights))
        return [int(weight * denominator) for weight in weights], unit / denominator


@final
class Mean(NumericQuery):
    """The mean over everybody who is asked; how many they are is public."""

    kind: Literal["mean"] = "mean"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return by_label(strata, self.labels, self.per_label, lambda value, people: self._clipped(value) / people)

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        found = []
        for name, among in self._unclipped(labels):
            people = sum(label in among for label in labels)
            found.append(Weights(name, tuple(Fraction(int(label in among), people) for label in labels)))
        return tuple(found)

    def share_of_total(self, people: int) -> Fraction:
        return Fraction(1, people)

    def left_out(self, tally: Tally) -> LeftOut:
        clipped = self._clipped_tally(tally).at_least(2, self.kind)
        people, unit = clipped.people, clipped.unit
        start, total = clipped.origin * unit, clipped.total
        # Nobody is left out by a label: then every absence divides by one person less.
        if clipped.everybody:
            return clipped.answers(-clipped.shifted, unit / (people - 1), start + total * unit / (people - 1))
        # The mean of all asked, S/N, stays where the absent one is not; otherwise (S - v)/(N - 1), beyond it by
        # (S - Nv)/(N(N - 1)).
        above = total - people * widened(clipped.shifted, 2 * people * size(clipped.shifted))
        levels = np.where(clipped.who, above, 0)
        return clipped.answers(levels, unit / (people * (people - 1)), start + total * unit / people)

    def worst_case(self, universe: Universe) -> Sensitivities:
        low, high = self._ends(universe)
        return Sensitivities((high - low) / (universe.n - 1), (high - low) / universe.n)


@final
class Variance(NumericQuery):
    """The sample variance of everybody who is asked and is there: of m values, Σ(x - mean)²/(m - 1).

    No score per record makes it: it is asked only where the secret is who is absent.
    """

    kind: Literal["variance"] = "variance"

    def left_out(self, tally: Tally) -> LeftOut:
        """Of N people asked, with w = Nv - S and T = NΣv² - S², whoever has v leaves ((N - 1)T - w²)/(N(N - 1)(N - 2));
        whoever is not asked leaves T/(N(N - 1)), as w² = T would."""
        clipped = self._clipped_tally(tally).at_least(3, self.kind)
        people, total = clipped.people, clipped.total
        spread = people * clipped.squares() - total**2
        unit = clipped.unit**2 / (people * (people - 1) * (people - 2))
        # Answers are compared by how far each value is from the mean: that is exact, in whole numbers.
        away = np.abs(people * widened(clipped.shifted, people * size(clipped.shifted)) - total)
        furthest = greatest(away[clipped.who])
        base = ((people - 1) * spread - furthest**2) * unit
        offsets = _falls(furthest, np.where(clipped.who, away, 0), unit)
        # Whoever is not asked: without them the variance is that of all who are.
        if not clipped.everybody:
            offsets = np.where(clipped.who, offsets, _fall(furthest, spread, unit))
        return of_kinds(base, offsets, tally.counts, tally.whose)

    def worst_case(self, universe: Universe) -> Sensitivities:
        """Both from one value at an end and all others at the other end."""
        low, high = self._ends(universe, 3)
        return Sensitivities((high - low) ** 2 / (universe.n - 1), (high - low) ** 2 / universe.n)


def _falls(furthest: int, away: WholeArray, unit: Fraction) -> Array:
    """furthest² - away² in units, to six roundings: the factors are exact, the squares would not be."""
    return in_doubles(furthest - away, unit) * (furthest + away).astype(np.float64)


def _fall(furthest: int, square: int, unit: Fraction) -> float:
    """furthest² less a square, to the same digit as `_falls` where that is a whole number's."""
    root = isqrt(square)
    # A perfect square is what somebody's own value would give, to the same digit: equal answers stay equal.
    if root**2 == square:
        return float(_falls(furthest, np.array([root], dtype=object), unit)[0])
    return float((furthest**2 - square) * unit)
