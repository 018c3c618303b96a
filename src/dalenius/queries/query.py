"""What is asked of the records, and the possible tables (DI Def 2, Def 5).

Ten people, three of them in a ward, may be well or ill. A count of the ill, with an answer for each label, has two
coordinates, and a record moves the one of its label only:

>>> from dalenius.queries import Count
>>> wards = [Kind("home", ("well", "ill"), 7), Kind("ward", ("well", "ill"), 3)]
>>> scores = Count(values=("ill",), per_label=True).scores(wards)
>>> scores.names, scores.indices.tolist()
(('home', 'ward'), [[0, 0], [1, 0], [0, 0], [0, 1]])
"""

import abc
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, Self, TypeAlias, final

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from dalenius.arrays import IntArray
from dalenius.errors import InputError, written
from dalenius.exact_integers import exact
from dalenius.fields import LARGEST_COUNT, Finite, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.laws.lattice import Lattice, lattice_of
from dalenius.laws.sums import Combine, neutral
from dalenius.left_out import LeftOut
from dalenius.plugins import Kinds
from dalenius.tally import Tally


@final
class Universe(Frozen):
    """n people, each with any number from lower to upper, or any of the values in a list.

    n counts the absent person: the table that is asked has n - 1 people.
    """

    n: int = Field(ge=2, le=LARGEST_COUNT, strict=True)
    values: tuple[RecordValue, ...] | None = Field(default=None, min_length=1)
    lower: Finite | None = None
    upper: Finite | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        # A list of values has its own ends.
        if self.values is not None and (self.lower is not None or self.upper is not None):
            raise ValueError("either values, or lower and upper")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower at most upper (they are {self.lower} and {self.upper})")
        return self

    def ends(self, clipped: Callable[[Fraction], Fraction], kind: str) -> tuple[Fraction, Fraction]:
        """The least and the greatest number that anybody can have once it is clipped. InputError for texts, or where
        neither the universe nor the clipping is bounded."""
        if self.values is not None:
            # A sum or a mean over a universe of yes and no: only a count is asked of texts.
            if any(isinstance(value, str) for value in self.values):
                raise InputError("query.kind", kind, "a universe of numbers (somebody can have a text)")
            numbers = [clipped(exact(value, "universe.values")) for value in self.values]
            return min(numbers), max(numbers)
        return self._end("lower", self.lower, -1, clipped), self._end("upper", self.upper, 1, clipped)

    def _end(self, key: str, end: float | None, sign: int, clipped: Callable[[Fraction], Fraction]) -> Fraction:
        """One end of a universe that is given by its ends, or by the query's clipping where it is open; sign: -1 for
        the lower."""
        if end is not None:
            return clipped(exact(end, f"universe.{key}"))
        # Anybody may have any number: only a query that clips has an end.
        beyond = clipped(Fraction(sign * 10**400))  # further than any double
        if abs(beyond) == 10**400:
            raise InputError(f"universe.{key}", "missing", f"a finite number, or a query with a bound {key}")
        return beyond


@final
@dataclass(frozen=True)
class Sensitivities:
    """The worst cases over a universe, exactly.

    identifiability: Θ = max |q(D∖i) - q(D∖j)|, over all tables D of n people and whoever of them is absent (DI Def 5);
    it is also how far changing one record moves a table of n - 1 people. presence: Δ = max |q(D) - q(D∖i)|, how far the
    answer moves when the absent person joins (DI Def 1, 2). Θ <= 2Δ.
    """

    identifiability: Fraction
    presence: Fraction


@final
@dataclass(frozen=True)
class Kind:
    """What a query uses of a stratum: its public label, its universe, and how many people are in it."""

    label: str
    values: tuple[RecordValue, ...]
    people: int


@final
@dataclass(frozen=True)
class Scores:
    """A query on given strata: each coordinate of the answer is the sum, the maximum or the minimum of its records'
    scores.

    names: one per coordinate of the answer; exact (slots, axes): the scores; indices: the same in lattice steps;
    combine: how each coordinate is made.

    The scores are exact fractions; what is computed with are whole numbers of a lattice's steps.
    """

    names: tuple[str, ...]
    exact: tuple[tuple[Fraction, ...], ...]
    lattice: Lattice
    indices: IntArray
    combine: tuple[Combine, ...]

    @property
    def additive(self) -> bool:
        """Whether every coordinate is a sum."""
        return all(how == "sum" for how in self.combine)

    def restricted(self, axes: Sequence[int]) -> "Scores":
        """Some coordinates of the scores."""
        exact = tuple(tuple(row[axis] for axis in axes) for row in self.exact)
        names = tuple(self.names[axis] for axis in axes)
        combine = tuple(self.combine[axis] for axis in axes)
        return Scores(names, exact, self.lattice.restricted(axes), self.indices[:, list(axes)], combine)

    def with_coordinates(self, others: "Scores") -> "Scores":
        """These coordinates, then those of others, of the same records."""
        exact = tuple(one + other for one, other in zip(self.exact, others.exact, strict=True))
        lattice = Lattice(self.lattice.steps + others.lattice.steps)
        indices = np.concatenate([self.indices, others.indices], axis=1)
        return Scores(self.names + others.names, exact, lattice, indices, self.combine + others.combine)


@final
@dataclass(frozen=True)
class Column:
    """One coordinate of the answer: its name, and the score of every slot, stratum by stratum, value by value.

    A record whose score is None is not asked; at least one is. combine: how the scores of those asked are combined.
    """

    name: str
    scores: tuple[Fraction | None, ...]
    combine: Combine = "sum"

    def filled(self) -> tuple[Fraction, ...]:
        """The scores, with one that changes nothing where a record is not asked."""
        nobody = neutral(self.combine, [score for score in self.scores if score is not None])
        return tuple(nobody if score is None else score for score in self.scores)


@final
@dataclass(frozen=True)
class Weights:
    """One coordinate of a linear answer: its name, and what each record is multiplied by.

    Linear answers are those of records that are real numbers: whatever a record is, it is multiplied and added.
    """

    name: str
    of: tuple[Fraction, ...]


def _each_once(given: tuple[RecordValue, ...]) -> tuple[RecordValue, ...]:
    before = set[RecordValue]()
    for value in given:
        if value in before:
            raise ValueError(f"each of them once ({value!r} is there twice)")
        before.add(value)
    return given


Labels = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_each_once)]
"""Labels of people, each once: a question about nobody has its answer, and twice the same label is one."""

CountedValues = Annotated[tuple[RecordValue, ...], Field(min_length=1), AfterValidator(_each_once)]
"""Values of records, each once."""


def whom(labels: tuple[str, ...] | None, everybody: Collection[str]) -> tuple[str, ...] | None:
    """Labels in one order; None where they are everybody's, so that all people are asked.

    >>> whom(("b", "a"), ("a", "b", "c")), whom(("b", "a"), ("a", "b"))
    (('a', 'b'), None)
    """
    return None if labels is None or set(labels) == set(everybody) else tuple(sorted(labels))


def in_order(values: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
    """Numbers in ascending order, whole ones as such, then texts.

    >>> in_order(("b", 2, 1.0, -0.0, 0.5))
    (0, 0.5, 1, 2, 'b')
    """
    numbers = [value for value in values if not isinstance(value, str)]
    numbers = [int(value) if float(value).is_integer() else value for value in numbers]
    return *sorted(numbers), *sorted(value for value in values if isinstance(value, str))


class Query(Frozen, abc.ABC):
    """Each coordinate of the answer is the sum of a score per record, or the greatest or the least of them.

    An instance is a section [query] of a spec. A new one says its `columns`, and what it can of `linear`, `left_out`
    and `worst_case`: what it does not say is refused.
    """

    kind: str

    @property
    def asks_labels(self) -> bool:
        """Whether there is one answer for each label."""
        return False

    @abc.abstractmethod
    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        """The coordinates. InputError where the query names a value or a label that no record can have."""

    @property
    def words(self) -> str:
        """What is asked, in words: by default the kind, and what is set of it."""
        given = self.model_dump(mode="json", exclude_defaults=True, exclude={"kind"})
        return ", ".join([self.kind, *(f"{key} {setting_in_words(value)}" for key, value in given.items())])

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        """The coordinates over real-valued records with these labels. InputError for a query that is not linear."""
        raise InputError("query.kind", self.kind, "a sum or a mean, unclipped, of records that are real numbers")

    def in_one_form(self, everybody: Collection[str] = ()) -> Self:
        """The same question as everybody has it who asks for the same answers, in whatever order they list labels and
        values: equal questions are one, and paid for once. everybody: all labels that people have, where these are
        known: who lists them all asks everybody."""
        return self

    @property
    def value_bounds(self) -> tuple[float, float] | None:
        """The ends to which values are clipped; None where one of them is open."""
        return None

    def share_of_total(self, people: int) -> Fraction | None:
        """The factor from the total of that many people's values to the unweighted answer about everybody; None for a
        query that is no multiple of the total."""
        return None

    def left_out(self, tally: Tally) -> LeftOut:
        """The answers of a table without one person, whoever it is (DI §3). InputError for a query of several answers,
        or where too few are asked to leave an answer."""
        raise InputError("query.kind", self.kind, "one answer, a number, where the secret is who is absent")

    def worst_case(self, universe: Universe) -> Sensitivities:
        """Θ and Δ over every possible table. InputError for several answers, or for some labels only."""
        raise InputError("query.kind", self.kind, "one answer, a number, where the secret is who is absent")

    def scores(self, strata: Sequence[Kind], lattice: Lattice | None = None) -> Scores:
        """The score of every slot on every coordinate, on the given lattice or the coarsest.

        InputError where the query names what no record can have, or a score is no multiple of the given lattice's step.
        """
        columns = self.columns(strata)
        exact = tuple(zip(*(column.filled() for column in columns), strict=True))
        # A release of several models has one lattice, so that their answers can be compared.
        lattice = lattice_of(exact) if lattice is None else lattice
        names, combine = tuple(column.name for column in columns), tuple(column.combine for column in columns)
        return Scores(names, exact, lattice, lattice.indices(exact), combine)


QUERIES: Final = Kinds("query", "dalenius.queries.query:Query", "dalenius.queries")

AnyQuery: TypeAlias = Annotated[Query, QUERIES]
"""A query of any kind, as a section of a spec."""


def by_label(
    strata: Sequence[Kind],
    labels: tuple[str, ...] | None,
    per_label: bool,
    score: Callable[[RecordValue, int], Fraction],
    combine: Combine = "sum",
) -> tuple[Column, ...]:
    """A score asked of everybody, or of some labels only: in one answer, or one for each label.

    score: of a record's value, in an answer over so many people. InputError for a label nobody has.
    """
    found = []
    for name, among in answers_by_label({stratum.label for stratum in strata}, labels, per_label):
        people = sum(stratum.people for stratum in strata if stratum.label in among)
        slots = [(value, stratum.label in among) for stratum in strata for value in stratum.values]
        scores = tuple(score(value, people) if own else None for value, own in slots)
        found.append(Column(name, scores, combine))
    return tuple(found)


def answers_by_label(
    present: Collection[str], labels: tuple[str, ...] | None, per_label: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """Each answer's name and whom it asks. InputError for a label nobody has."""
    everybody = tuple(sorted(present))
    # A typing error in a label, or labels beside a model whose people have none.
    for label in labels or ():
        if label not in everybody:
            known = [name for name in everybody if name]
            wanted = f"one of the people's labels {known}" if known else "no labels, since the people have none"
            raise InputError("query.labels", label, wanted)
    counted = everybody if labels is None else tuple(dict.fromkeys(labels))
    return [(label, (label,)) for label in counted] if per_label else [("", counted)]


def only_answer(present: Collection[str], labels: tuple[str, ...] | None, per_label: bool) -> tuple[str, ...]:
    """Whom the only answer asks. InputError where there are several answers."""
    answers = answers_by_label(present, labels, per_label)
    # Who is absent is asked of one number: an answer for each label would be several.
    if len(answers) > 1:
        raise InputError("query.per_label", f"{len(answers)} answers", "one answer where the secret is who is absent")
    return answers[0][1]


def check_unlabelled(labels: tuple[str, ...] | None) -> None:
    """InputError with labels: a universe does not say who has which."""
    if labels is not None:
        raise InputError("query.labels", ", ".join(labels), "no labels, since a universe does not tell who has which")


_MOST: Final = 12
"""Values that a message lists."""


def check_values(strata: Sequence[Kind], values: Sequence[RecordValue], key: str) -> None:
    """InputError for a value that no record can have."""
    known = {value for stratum in strata for value in stratum.values}
    for value in values:
        # A count of 1 where records are yes or no: it would be 0 whatever the data are.
        if value not in known:
            twin = next((written(each) for each in known if str(each) == str(value)), None)
            hint = "" if twin is None else f": write {twin}"
            shown = value if twin is None else written(value)
            raise InputError(key, shown, f"a value some record can have {sorted(known, key=str)[:_MOST]}{hint}")


def exact_number(value: RecordValue, kind: str) -> Fraction:
    """A record's value as the decimal it is written as: 0.1 is 1/10. InputError for a text.

    >>> exact_number(0.1, "sum")
    Fraction(1, 10)
    """
    # A sum of yes and no: a count was meant.
    if isinstance(value, str):
        raise InputError("query.kind", kind, f"values that are numbers (a record can be {value!r})")
    return Fraction(str(value))


def setting_in_words(value: Any) -> str:
    """A setting of a query in words.

    >>> setting_in_words(("ill", "dead")), setting_in_words({"home": 2.0})
    ('ill or dead', 'home 2.0')
    """
    if isinstance(value, dict):
        return ", ".join(f"{key} {setting_in_words(each)}" for key, each in value.items())
    return " or ".join(map(setting_in_words, value)) if isinstance(value, list | tuple) else f"{value}"


def among(words: str, labels: Sequence[str] | None, per_label: bool) -> str:
    """The words, and of whom they speak.

    >>> among("the sum of the records", ("home",), True)
    'the sum of the records, of people labelled home only, one answer for each label'
    """
    whom = "" if labels is None else f", of people labelled {setting_in_words(labels)} only"
    return f"{words}{whom}{', one answer for each label' if per_label else ''}"
