"""The base of queries about records that are numbers: clipping, labels, and whose records count."""

import abc
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Self, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from dalenius.arrays import IntArray
from dalenius.errors import InputError
from dalenius.exact_integers import IntegerArray, greatest, least_of, size, total, widened
from dalenius.fields import Finite, RecordValue
from dalenius.left_out import LeftOut, of_levels
from dalenius.queries.labels import answers_by_label, check_unlabelled, only_answer
from dalenius.queries.query import Column, Kind, Labels, Query, among, exact_number, whom
from dalenius.queries.universe import Universe
from dalenius.sentences.sentence import Phrase, clip_range, kind_name, said
from dalenius.tally import Tally


@final
@dataclass(frozen=True, eq=False)
class ClippedTally:
    """A table's people with their clipped values, in whole numbers of a unit, and which of them are asked.

    Attributes:
        tally: The table's people by kind, that is by value and label.
        steps: Each kind's value after clipping, in units (kinds,).
        unit: The unit, exactly, as a part of the records' unit.
        who: Which kinds are asked (kinds,).
    """

    tally: Tally
    steps: IntegerArray
    unit: Fraction
    who: NDArray[np.bool_]

    @cached_property
    def everybody(self) -> bool:
        """Whether everybody in the table is asked."""
        return bool(self.who.all())

    @cached_property
    def people(self) -> int:
        """The number of people asked, the absent one included if asked."""
        return int(self.tally.counts[self.who].sum())

    @cached_property
    def origin(self) -> int:
        """The least value of the people asked, in units: values are shifted by it lest sums overflow."""
        return least_of(self.steps[self.who])

    @cached_property
    def shifted(self) -> IntegerArray:
        """The values less the least (kinds,), in units; 0 for people who are not asked."""
        # Because a person who is not asked may have any value, even one below the least: it must not be shifted below
        # 0.
        return np.where(self.who, widened(self.steps, 2 * size(self.steps)) - self.origin, 0)

    @cached_property
    def total(self) -> int:
        """The sum of `shifted` over the people asked."""
        return total(self.shifted[self.who], self.tally.counts[self.who])

    def squares(self) -> int:
        """Returns the sum of the squares of `shifted`, which may be beyond 64 bits: Python's integers have no end."""
        own = widened(self.shifted[self.who], greatest(self.shifted) ** 2)
        return total(own * own, self.tally.counts[self.who])

    def ordered(self) -> tuple[IntegerArray, IntArray]:
        """Returns the distinct values of `shifted`, ascending, and how many people asked are at or below each."""
        own, people = self.shifted[self.who], self.tally.counts[self.who]
        # Because a tally comes sorted, and clipping, or labels, may have made values equal or taken some out.
        if np.all(own[1:] > own[:-1]):
            return own, np.cumsum(people)
        distinct, place = np.unique(own, return_inverse=True)
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, place, people)
        return distinct, np.cumsum(counts)

    def answers(self, levels: IntegerArray, unit: Fraction, start: Fraction) -> LeftOut:
        """Returns the answers start + levels·unit without a person of each kind (kinds,)."""
        return of_levels(levels, unit, start, self.tally.counts, self.tally.whose)

    def at_least(self, people: int, what: str) -> "ClippedTally":
        """Raises InputError, which names the query kind `what`, if fewer than `people` are asked when one is absent."""
        if self.people < people:
            raise InputError("query.kind", what, f"{people} people or more to ask, one of whom is absent")
        return self


def _refined(steps: IntegerArray, unit: Fraction, bound: Fraction) -> tuple[IntegerArray, Fraction]:
    """Writes the numbers in a finer unit that divides the bound too."""
    finer = Fraction(gcd(unit.numerator, bound.numerator), lcm(unit.denominator, bound.denominator))
    times = int(unit / finer)
    return (steps if times == 1 else widened(steps, size(steps) * times) * times), finer


class NumericQuery(Query, abc.ABC):
    """A query of records that are numbers: a sum, a mean, an extreme, a median or a variance.

    Args:
        lower: The number to which smaller values are raised first, in the records' unit; None (the default) for none.
        upper: The number to which larger values are lowered first; None (the default) for none.
        labels: The labels of the people who are asked; None (the default) for everybody.
        per_label: Whether each label has an answer of its own, in order; by default one answer is for all.
    """

    lower: Finite | None = None
    upper: Finite | None = None
    labels: Labels | None = None
    per_label: bool = Field(default=False, strict=True)

    @property
    def asks_labels(self) -> bool:
        return self.per_label

    @model_validator(mode="after")
    def _check(self) -> "NumericQuery":
        # The case of bounds in the wrong order, or of equal ones, which leave nothing to ask.
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ValueError(f"lower below upper (they are {self.lower} and {self.upper})")
        return self

    def in_one_form(self, everybody: Collection[str] = ()) -> Self:
        # Because 0.0 and -0.0 are one bound, 0.0 is added: that is 0.0 for both.
        ends = {key: None if end is None else end + 0.0 for key, end in (("lower", self.lower), ("upper", self.upper))}
        return self.altered({**ends, "labels": whom(self.labels, everybody)})

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        # Because a median or a variance has no score per record, this is refused unless overridden.
        raise InputError("query.kind", self.kind, "a sum, an extreme or a count, unless the secret is who is absent")

    @property
    def words(self) -> str:
        return among(self._whole, self.labels, self.per_label)

    @property
    def _whole(self) -> Phrase:
        """The question about everybody, in words."""
        asked = said("of_records", statistic=kind_name("statistic", self.kind))
        ends = clip_range(self.lower, self.upper)
        return asked if ends is None else said("each_clipped", question=asked, ends=ends)

    @property
    def value_bounds(self) -> tuple[float, float] | None:
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)

    def _clipped(self, value: RecordValue) -> Fraction:
        """Returns the value as an exact number within the bounds; InputError for a text."""
        return self._within(exact_number(value, self.kind))

    def _within(self, number: Fraction) -> Fraction:
        """Clips the number to the bounds. Either of them may be open."""
        lower, upper = self._bounds
        number = number if lower is None else max(number, lower)
        return number if upper is None else min(number, upper)

    @property
    def _bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """The bounds as the decimals they are written as, None where one is open."""
        lower, upper = (None if bound is None else Fraction(str(bound)) for bound in (self.lower, self.upper))
        return lower, upper

    def _clipped_tally(self, tally: Tally) -> ClippedTally:
        """Returns the table's clipped values and who is asked; InputError for texts, or for several answers."""
        labels = only_answer(tally.labels, self.labels, self.per_label)
        # The case of a median of yes and no.
        if tally.texts is not None:
            raise InputError("query.kind", self.kind, "values that are numbers, not texts")
        steps, unit = tally.steps, tally.unit
        bounds = [bound for bound in self._bounds if bound is not None]
        # Because whole years clipped at 17.5 need half years: the bounds are exact too.
        for bound in bounds:
            steps, unit = _refined(steps, unit, bound)
        low, high = (None if bound is None else int(bound / unit) for bound in self._bounds)
        # Because a bound may be larger than any value, and itself no number of 64 bits in the finer unit.
        wide = widened(steps, max([size(steps), *(abs(int(bound / unit)) for bound in bounds)]))
        return ClippedTally(tally, np.clip(wide, low, high) if bounds else wide, unit, tally.labelled(labels))

    def _ends(self, universe: Universe, people: int = 2) -> tuple[Fraction, Fraction]:
        """Returns the least and the greatest clipped value; InputError for a universe of fewer people."""
        check_unlabelled(self.labels)
        # Because a mean or a variance of those who stay needs one or two of them.
        if universe.n < people:
            raise InputError("universe.n", universe.n, f"{people} people or more, one of whom is absent")
        return universe.ends(self._within, self.kind)

    def _unclipped(self, labels: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Returns each answer's name and labels; InputError with bounds, as a clipped record is not linear."""
        # Because a sum of normal records clipped at 0 is not normal: its law is none of those computed.
        for key, bound in (("query.lower", self.lower), ("query.upper", self.upper)):
            if bound is not None:
                wanted = "no bounds: what is clipped is not linear in records that are real numbers"
                raise InputError(key, "given", wanted)
        return answers_by_label(set(labels), self.labels, self.per_label)
