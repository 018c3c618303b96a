"""What is asked of the records."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from pydantic import Field

from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice, lattice_of
from dalenius.laws.law import IntArray
from dalenius.schema import Frozen, RecordValue


@final
@dataclass(frozen=True)
class Kind:
    """What a query sees of a stratum: its public label, its universe, and how many people are in it."""

    label: str
    values: tuple[RecordValue, ...]
    people: int


@final
@dataclass(frozen=True)
class Scores:
    """An additive query on given strata: the answer is the sum of its records' scores.

    names: one per coordinate of the answer; exact (slots, axes): the scores; indices: the same in lattice steps.
    """

    names: tuple[str, ...]
    exact: tuple[tuple[Fraction, ...], ...]
    lattice: Lattice
    indices: IntArray


class Query(Frozen, abc.ABC):
    """An additive query: the sum of a score per record, over everybody or only over some labels, in one answer or in
    one per label.

    labels: only people so labelled count; per_label: one answer for each label, in order, instead of one for all.
    """

    labels: tuple[str, ...] | None = None
    per_label: bool = Field(default=False, strict=True)

    @abc.abstractmethod
    def score(self, value: RecordValue, asked: int) -> Fraction:
        """What a record of this value adds to an answer over `asked` people. InputError where it has no score."""

    @abc.abstractmethod
    def check(self, values: frozenset[RecordValue]) -> None:
        """InputError where the query names a value that no record can have."""

    def scores(self, strata: Sequence[Kind], lattice: Lattice | None = None) -> Scores:
        """The score of every slot, stratum by stratum, value by value, on the given lattice or the coarsest."""
        self.check(frozenset(value for stratum in strata for value in stratum.values))
        counted = self._counted(strata)
        names = counted if self.per_label else ("",)
        asked = {
            name: sum(s.people for s in strata if s.label in counted and (s.label == name or not self.per_label))
            for name in names
        }
        exact = tuple(
            tuple(
                self.score(value, asked[name])
                if stratum.label in counted and (stratum.label == name or not self.per_label)
                else Fraction(0)
                for name in names
            )
            for stratum in strata
            for value in stratum.values
        )
        lattice = lattice_of(exact) if lattice is None else lattice
        return Scores(names, exact, lattice, lattice.indices(exact))

    def _counted(self, strata: Sequence[Kind]) -> tuple[str, ...]:
        present = tuple(sorted({stratum.label for stratum in strata}))
        for label in self.labels or ():
            if label not in present:
                raise InputError("query.labels", label, f"one of the people's labels {list(present)}")
        return present if self.labels is None else tuple(dict.fromkeys(self.labels))


def exact_number(value: RecordValue, kind: str) -> Fraction:
    """A record's value as the decimal it is written as: 0.1 is 1/10."""
    if isinstance(value, str):
        raise InputError("query.kind", kind, f"values that are numbers (a record can be {value!r})")
    return Fraction(str(value))
