"""How many records have a value, or each of several.

Without one of four people, two of whom are ill, a count of the ill is 1 or 2, by whether that person is ill. In the
worst case over all tables of eleven people, joining moves it by 1, and so does who is absent:

>>> from dalenius.leave_one_out import tally_of_people
>>> found = Count(values=("ill",)).left_out(tally_of_people(["ill", "well", "ill", "well"]))
>>> found.base, found.offsets.tolist(), found.people.tolist()
(Fraction(1, 1), [0.0, 1.0], [2, 2])
>>> Count().worst_case(Universe(n=11, values=(0, 1)))
Sensitivities(identifiability=Fraction(1, 1), presence=Fraction(1, 1))
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.field_types import RecordValue
from dalenius.leave_one_out import LeftOut, Tally, exact, of_levels
from dalenius.queries.query import (
    Column,
    Kind,
    Query,
    Sensitivities,
    Universe,
    among,
    by_label,
    check_unlabelled,
    check_values,
    only_answer,
    setting_in_words,
)


def _counted(tally: Tally, who: NDArray[np.bool_]) -> LeftOut:
    """One less where somebody of a kind that counts (kinds,) is absent. tally: the whole table's people, who (kinds,):
    which kinds of them count."""
    people = int(tally.counts[who].sum())
    return of_levels(-who.astype(np.int64), Fraction(1), Fraction(people), tally.counts, tally.whose)


def _counted_worst(universe: Universe, values: Sequence[RecordValue], key: str) -> Sensitivities:
    """Θ = 0 where everybody counts, else 1; Δ = 1. InputError for a value that nobody can have."""
    # A universe of listed values, or one of all numbers between two ends.
    if universe.values is not None:
        check_values([Kind("", universe.values, universe.n)], values, key)
        everybody = set(universe.values) <= set(values)
    else:
        for value in values:
            _check_within(universe, value, key)
        # All people have the one number that there is.
        everybody = universe.lower is not None and universe.lower == universe.upper
    return Sensitivities(Fraction(int(not everybody)), Fraction(1))


def _check_within(universe: Universe, value: RecordValue, key: str) -> None:
    """InputError for a value outside the universe's ends, which nobody can have, or for a text."""
    low, high = (None if end is None else exact(end, "universe") for end in (universe.lower, universe.upper))
    number = None if isinstance(value, str) else exact(value, key)
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise InputError(key, value, "a number that somebody can have")


@final
class Count(Query):
    """values: those that count; 1 by default, so that it counts the bits that are set.

    labels: only people so labelled count; per_label: one answer for each label, in order, instead of one for all.
    """

    kind: Literal["count"] = "count"
    values: tuple[RecordValue, ...] = Field(default=(1,), min_length=1)
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @property
    def asks_labels(self) -> bool:
        return self.per_label

    @property
    def words(self) -> str:
        return among(f"how many records are {setting_in_words(self.values)}", self.labels, self.per_label)

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        check_values(strata, self.values, "query.values")
        return by_label(strata, self.labels, self.per_label, lambda value, people: Fraction(int(value in self.values)))

    def left_out(self, tally: Tally) -> LeftOut:
        # With labels, everybody else in the table is somebody whose absence changes nothing.
        labels = only_answer(tally.labels, self.labels, self.per_label)
        return _counted(tally, tally.having(self.values, "query.values") & tally.labelled(labels))

    def worst_case(self, universe: Universe) -> Sensitivities:
        check_unlabelled(self.labels)
        return _counted_worst(universe, self.values, "query.values")


@final
class Histogram(Query):
    """How many records are in each cell.

    cells: each a list of values counted together, in one answer per cell. A record moves two answers at most: out of
    one cell and into another.
    """

    kind: Literal["histogram"] = "histogram"
    cells: tuple[tuple[RecordValue, ...], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> "Histogram":
        # A value in two cells would be counted twice, and a record would move more than two answers.
        flat = [value for cell in self.cells for value in cell]
        if len(set(flat)) != len(flat) or not all(self.cells):
            raise ValueError("cells of at least one value, no value twice")
        return self

    @property
    def words(self) -> str:
        return f"how many records are {'; how many '.join(setting_in_words(cell) for cell in self.cells)}"

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
        """The cell of a histogram that has one: who is absent is asked of one number. InputError for several."""
        if len(self.cells) > 1:
            raise InputError("query.cells", f"{len(self.cells)} cells", "one cell where the secret is who is absent")
        return self.cells[0]
