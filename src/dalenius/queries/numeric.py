"""What queries of records that are numbers have in common."""

import abc
from collections.abc import Sequence
from fractions import Fraction

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.queries.clipped import Asked, asked_numbers
from dalenius.queries.query import Query, among, asked, asked_alone, check_unlabelled, exact_number
from dalenius.queries.universe import Universe
from dalenius.schema import Finite, RecordValue
from dalenius.tallies.tally import Tally


class NumericQuery(Query, abc.ABC):
    """lower, upper: each value is clipped to them first.

    labels: only people so labelled are asked; per_label: one answer for each label, in order, instead of one for all.
    """

    lower: Finite | None = None
    upper: Finite | None = None
    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @property
    def asks_labels(self) -> bool:
        return self.per_label

    @model_validator(mode="after")
    def _check(self) -> "NumericQuery":
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ValueError(f"lower below upper (they are {self.lower} and {self.upper})")
        return self

    @property
    def words(self) -> str:
        return among(f"the {self.kind} of the records{self._clip}", self.labels, self.per_label)

    @property
    def _clip(self) -> str:
        ends = [f"{word} {end:g}" for word, end in (("from", self.lower), ("to", self.upper)) if end is not None]
        return f", each clipped {' '.join(ends)}" if ends else ""

    @property
    def value_bounds(self) -> tuple[float, float] | None:
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)

    def _clipped(self, value: RecordValue) -> Fraction:
        """The value as an exact number within the bounds. InputError for a text."""
        return self._within(exact_number(value, self.kind))

    def _within(self, number: Fraction) -> Fraction:
        lower, upper = self._bounds
        number = number if lower is None else max(number, lower)
        return number if upper is None else min(number, upper)

    @property
    def _bounds(self) -> tuple[Fraction | None, Fraction | None]:
        lower, upper = (None if bound is None else Fraction(str(bound)) for bound in (self.lower, self.upper))
        return lower, upper

    def _asked(self, tally: Tally) -> Asked:
        """The table's clipped values, and who is asked. InputError for texts, or for more than one answer."""
        labels = asked_alone(tally.labels, self.labels, self.per_label)
        return asked_numbers(tally, self.kind, *self._bounds, labels)

    def _ends(self, universe: Universe, people: int = 2) -> tuple[Fraction, Fraction]:
        """The least and the greatest clipped value. InputError for a universe of fewer people."""
        check_unlabelled(self.labels)
        if universe.n < people:
            raise InputError("universe.n", universe.n, f"{people} people or more, one of whom is absent")
        return universe.ends(self._within, self.kind)

    def _asked_unclipped(self, labels: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Each answer's name and whom it asks. InputError with bounds: what is clipped is not linear."""
        for key, bound in (("query.lower", self.lower), ("query.upper", self.upper)):
            if bound is not None:
                wanted = "no bounds: what is clipped is not linear in records that are real numbers"
                raise InputError(key, "given", wanted)
        return asked(set(labels), self.labels, self.per_label)
