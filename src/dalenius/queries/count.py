"""How many records have a value, or each of several."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from dalenius.errors import InputError
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
from dalenius.schema import RecordValue
from dalenius.tallies import LeftOut, Tally, exact, of_levels


def _counted(tally: Tally, who: NDArray[np.bool_]) -> LeftOut:
    """One less where somebody of a kind that counts (kinds,) is absent."""
    people = int(tally.counts[who].sum())
    return of_levels(-who.astype(np.int64), Fraction(1), Fraction(people), tally.counts, tally.whose)


def _counted_worst(universe: Universe, values: Sequence[RecordValue], key: str) -> Sensitivities:
    """Θ = 0 where everybody counts, else 1; Δ = 1. InputError for a value that nobody can have."""
    if universe.values is not None:
        check_values([Kind("", universe.values, universe.n)], values, key)
        everybody = set(universe.values) <= set(values)
    else:
        for value in values:
            _check_within(universe, value, key)
        everybody = universe.lower is not None and universe.lower == universe.upper
    return Sensitivities(Fraction(int(not everybody)), Fraction(1))


def _check_within(universe: Universe, value: RecordValue, key: str) -> None:
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
        labels = only_answer(tally.labels, self.labels, self.per_label)
        return _counted(tally, tally.having(self.values, "query.values") & tally.labelled(labels))

    def worst_case(self, universe: Universe) -> Sensitivities:
        check_unlabelled(self.labels)
        return _counted_worst(universe, self.values, "query.values")


@final
class Histogram(Query):
    """cells: each a list of values counted together, in one answer per cell. A record moves two answers at most."""

    kind: Literal["histogram"] = "histogram"
    cells: tuple[tuple[RecordValue, ...], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> "Histogram":
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
        if len(self.cells) > 1:
            raise InputError("query.cells", f"{len(self.cells)} cells", "one cell where the secret is who is absent")
        return self.cells[0]
