"""The numbers that a query asks of a table's people, and what it answers when one of them is absent."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.laws.law import IntArray
from dalenius.tallies.integers import WholeArray, greatest, least, size, total, whole
from dalenius.tallies.leave_one_out import LeftOut, of_levels
from dalenius.tallies.tally import Tally


@final
@dataclass(frozen=True, eq=False)
class Asked:
    """steps (kinds,): each kind's value after clipping, in units; who (kinds,): which kinds are asked."""

    tally: Tally
    steps: WholeArray
    unit: Fraction
    who: NDArray[np.bool_]

    @cached_property
    def everybody(self) -> bool:
        return bool(self.who.all())

    @cached_property
    def people(self) -> int:
        """How many are asked, the absent one included if asked."""
        return int(self.tally.counts[self.who].sum())

    @cached_property
    def origin(self) -> int:
        """The least value of those asked, in units: values are shifted by it lest sums overflow."""
        return least(self.steps[self.who])

    @cached_property
    def shifted(self) -> WholeArray:
        """(kinds,) the values above the least; 0 for whoever is not asked."""
        return np.where(self.who, whole(self.steps, 2 * size(self.steps)) - self.origin, 0)

    @cached_property
    def total(self) -> int:
        """The sum of `shifted` over the people asked."""
        return total(self.shifted[self.who], self.tally.counts[self.who])

    def squares(self) -> int:
        """The sum of the squares of `shifted`."""
        own = whole(self.shifted[self.who], greatest(self.shifted) ** 2)
        return total(own * own, self.tally.counts[self.who])

    def ordered(self) -> tuple[WholeArray, IntArray]:
        """The distinct values of `shifted`, ascending, and how many people asked are at or below each."""
        own, people = self.shifted[self.who], self.tally.counts[self.who]
        if np.all(own[1:] > own[:-1]):
            return own, np.cumsum(people)
        distinct, place = np.unique(own, return_inverse=True)
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, place, people)
        return distinct, np.cumsum(counts)

    def answers(self, levels: WholeArray, unit: Fraction, start: Fraction) -> LeftOut:
        """start + levels·unit is the answer without a person of each kind (kinds,)."""
        return of_levels(levels, unit, start, self.tally.counts, self.tally.whose)

    def at_least(self, people: int, what: str) -> "Asked":
        """InputError where too few people are asked for an answer when one is absent."""
        if self.people < people:
            raise InputError("query.kind", what, f"{people} people or more to ask, one of whom is absent")
        return self


def asked_numbers(
    tally: Tally, kind: str, lower: Fraction | None, upper: Fraction | None, labels: Collection[str]
) -> Asked:
    """The values clipped to the bounds, and whom it asks. InputError where values are texts."""
    if tally.texts is not None:
        raise InputError("query.kind", kind, "values that are numbers, not texts")
    steps, unit = tally.steps, tally.unit
    bounds = [bound for bound in (lower, upper) if bound is not None]
    for bound in bounds:
        steps, unit = _refined(steps, unit, bound)
    low, high = (None if bound is None else int(bound / unit) for bound in (lower, upper))
    clipped = whole(steps, max([size(steps), *(abs(int(bound / unit)) for bound in bounds)]))
    return Asked(tally, clipped if not bounds else np.clip(clipped, low, high), unit, tally.labelled(labels))


def _refined(steps: WholeArray, unit: Fraction, bound: Fraction) -> tuple[WholeArray, Fraction]:
    """The same numbers in a unit of which the bound is a whole multiple too."""
    finer = Fraction(gcd(unit.numerator, bound.numerator), lcm(unit.denominator, bound.denominator))
    times = int(unit / finer)
    return (steps if times == 1 else whole(steps, size(steps) * times) * times), finer
