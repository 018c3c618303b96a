"""What is asked of the records."""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

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


@final
@dataclass(frozen=True)
class Column:
    """One coordinate of the answer: its name, and the score of every slot, stratum by stratum, value by value."""

    name: str
    scores: tuple[Fraction, ...]


class Query(Frozen, abc.ABC):
    """An additive query: each coordinate of its answer is the sum of a score per record."""

    kind: str

    @abc.abstractmethod
    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        """The coordinates. InputError where the query names a value or a label that no record can have."""

    def scores(self, strata: Sequence[Kind], lattice: Lattice | None = None) -> Scores:
        """The score of every slot on every coordinate, on the given lattice or the coarsest."""
        columns = self.columns(strata)
        exact = tuple(zip(*(column.scores for column in columns), strict=True))
        lattice = lattice_of(exact) if lattice is None else lattice
        return Scores(tuple(column.name for column in columns), exact, lattice, lattice.indices(exact))


def by_label(
    strata: Sequence[Kind],
    labels: tuple[str, ...] | None,
    per_label: bool,
    score: Callable[[RecordValue, int], Fraction],
) -> tuple[Column, ...]:
    """A score asked of everybody, or of some labels only (the others score 0): in one answer, or one for each label.

    score: of a record's value, in an answer over so many people. InputError for a label nobody has.
    """
    present = tuple(sorted({stratum.label for stratum in strata}))
    for label in labels or ():
        if label not in present:
            known = [name for name in present if name]
            wanted = f"one of the people's labels {known}" if known else "no labels, since the people have none"
            raise InputError("query.labels", label, wanted)
    counted = present if labels is None else tuple(dict.fromkeys(labels))
    asked = [((label,), label) for label in counted] if per_label else [(counted, "")]
    return tuple(Column(name, _scores(strata, among, score)) for among, name in asked)


def _scores(
    strata: Sequence[Kind], among: tuple[str, ...], score: Callable[[RecordValue, int], Fraction]
) -> tuple[Fraction, ...]:
    people = sum(stratum.people for stratum in strata if stratum.label in among)
    return tuple(
        score(value, people) if stratum.label in among else Fraction(0)
        for stratum in strata
        for value in stratum.values
    )


def check_values(strata: Sequence[Kind], values: Sequence[RecordValue], key: str) -> None:
    """InputError for a value that no record can have."""
    known = {value for stratum in strata for value in stratum.values}
    for value in values:
        if value not in known:
            raise InputError(key, value, f"a value some record can have {sorted(known, key=str)[:20]}")


def exact_number(value: RecordValue, kind: str) -> Fraction:
    """A record's value as the decimal it is written as: 0.1 is 1/10."""
    if isinstance(value, str):
        raise InputError("query.kind", kind, f"values that are numbers (a record can be {value!r})")
    return Fraction(str(value))
