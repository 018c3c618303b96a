"""The base of queries: a question about the records, whose answer is made of a score per record.

Ten people, three of them in a ward, may be well or ill. A count of the ill, with an answer for each label, has two
coordinates. A record moves only the coordinate of its label:

>>> from dalenius.queries import Count
>>> wards = [Kind("home", ("well", "ill"), 7), Kind("ward", ("well", "ill"), 3)]
>>> scores = Count(values=("ill",), per_label=True).scores(wards)
>>> scores.names, scores.indices.tolist()
(('home', 'ward'), [[0, 0], [1, 0], [0, 0], [0, 1]])
"""

import abc
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, Literal, Self, TypeAlias, final

import numpy as np
from pydantic import AfterValidator, Field, PrivateAttr

from dalenius.arrays import IntArray
from dalenius.errors import InputError, written
from dalenius.fields import PersonKey, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.laws.lattice import Lattice, lattice_of
from dalenius.laws.sums import Combine, neutral
from dalenius.left_out import LeftOut
from dalenius.plugins import Kinds
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.sentences.sentence import Name, Phrase, commas, said, value_phrase
from dalenius.tally import Tally


@final
@dataclass(frozen=True)
class Kind:
    """A stratum as a query sees it.

    Attributes:
        label: The public label of its people; empty for none.
        values: The universe of each record.
        people: How many people it has.
        sampled: Whether a random sample of them is asked, and not all.
    """

    label: str
    values: tuple[RecordValue, ...]
    people: int
    sampled: bool = False


@final
@dataclass(frozen=True)
class Scores:
    """A query on given strata: each coordinate of the answer combines its records' scores.

    The scores are exact fractions. Computations use whole numbers of a lattice's steps.

    Attributes:
        names: The name of each coordinate of the answer.
        exact: The scores (slots, axes), a slot for each value of each stratum, in the query's unit.
        lattice: The lattice on which all scores lie.
        indices: The scores in lattice steps (slots, axes).
        combine: How each coordinate is made: the sum, the maximum or the minimum of its records' scores.
        by_group: Whether each group of records has answers of its own, so that those of others say nothing of it.
    """

    names: tuple[str, ...]
    exact: tuple[tuple[Fraction, ...], ...]
    lattice: Lattice
    indices: IntArray
    combine: tuple[Combine, ...]
    by_group: bool = False

    @property
    def additive(self) -> bool:
        """Whether every coordinate is a sum."""
        return all(how == "sum" for how in self.combine)

    def restricted(self, axes: Sequence[int]) -> "Scores":
        """Returns some coordinates of the scores: those of these axes, from 0."""
        exact = tuple(tuple(row[axis] for axis in axes) for row in self.exact)
        names = tuple(self.names[axis] for axis in axes)
        combine = tuple(self.combine[axis] for axis in axes)
        return Scores(names, exact, self.lattice.restricted(axes), self.indices[:, list(axes)], combine, self.by_group)

    def with_coordinates(self, others: "Scores") -> "Scores":
        """Returns these coordinates, followed by others of the same records."""
        exact = tuple(one + other for one, other in zip(self.exact, others.exact, strict=True))
        lattice = Lattice(self.lattice.steps + others.lattice.steps)
        indices = np.concatenate([self.indices, others.indices], axis=1)
        return Scores(self.names + others.names, exact, lattice, indices, self.combine + others.combine)


@final
@dataclass(frozen=True)
class Column:
    """One coordinate of the answer.

    Attributes:
        name: The coordinate's name; empty for the only one.
        scores: The score of every slot, stratum by stratum, value by value, in the query's unit. None means that such
            a record is not asked; at least one is.
        combine: How the scores of the records asked are combined: `sum` (the default), `max` or `min`.
    """

    name: str
    scores: tuple[Fraction | None, ...]
    combine: Combine = "sum"

    def filled(self) -> tuple[Fraction, ...]:
        """Returns the scores, with a score that changes nothing where a record is not asked."""
        nobody = neutral(self.combine, [score for score in self.scores if score is not None])
        return tuple(nobody if score is None else score for score in self.scores)


@final
@dataclass(frozen=True)
class Weights:
    """One coordinate of a linear answer about records that are real numbers.

    Attributes:
        name: The coordinate's name; empty for the only one.
        of: The factor of each record; the answer is the sum of the records times these factors.
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
"""Labels of people: at least one, each once."""

CountedValues = Annotated[tuple[RecordValue, ...], Field(min_length=1), AfterValidator(_each_once)]
"""The values that a query counts: at least one, each once."""


def whom(labels: tuple[str, ...] | None, everybody: Collection[str]) -> tuple[str, ...] | None:
    """Returns `labels` in one order; None if they are all of `everybody`'s, so that all people are asked.

    >>> whom(("b", "a"), ("a", "b", "c")), whom(("b", "a"), ("a", "b"))
    (('a', 'b'), None)
    """
    return None if labels is None or set(labels) == set(everybody) else tuple(sorted(labels))


def in_order(values: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
    """Returns the numbers among `values` in ascending order, whole ones as integers, then the texts.

    >>> in_order(("b", 2, 1.0, -0.0, 0.5))
    (0, 0.5, 1, 2, 'b')
    """
    numbers = [value for value in values if not isinstance(value, str)]
    numbers = [int(value) if float(value).is_integer() else value for value in numbers]
    return *sorted(numbers), *sorted(value for value in values if isinstance(value, str))


class Query(Frozen, abc.ABC):
    """A question about the records: a section [query] of a spec.

    Each coordinate of the answer is the sum of a score per record, or the greatest or the least score. A new query
    defines `columns`, and those it can of `linear`, `left_out` and `worst_case`; the others refuse.
    """

    kind: str
    _listed: tuple[str, ...] = PrivateAttr(())

    @property
    def asks_labels(self) -> bool:
        """Whether the query has one answer for each label."""
        return False

    @property
    def told_apart(self) -> tuple[PersonKey, ...] | Literal["everybody"] | None:
        """The people who have an answer each, so that a law of records must tell them apart; None, by default, for
        nobody."""
        return None

    @abc.abstractmethod
    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        """Returns the coordinates of the answer.

        Args:
            strata: The people by public label and universe.

        Returns:
            One column per coordinate, with the score of every value of every stratum.

        Raises:
            InputError: If the query names a value or a label that no record can have, or has no scores.
        """

    @property
    def words(self) -> str:
        """The question in words: by default the kind, and the fields that are set."""
        given = self.model_dump(mode="json", exclude_defaults=True, exclude={"kind"})
        settings = (said("setting", name=Name(key), value=value_phrase(value)) for key, value in given.items())
        return commas([Name(self.kind), *settings])

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        """Returns the coordinates of the answer about records that are real numbers.

        Args:
            labels: The public label of each record; empty texts for none.

        Returns:
            One set of weights per coordinate.

        Raises:
            InputError: If the query is not linear.
        """
        raise InputError("query.kind", self.kind, "a sum or a mean, unclipped, of records that are real numbers")

    def in_one_form(self, everybody: Collection[str] = ()) -> Self:
        """Returns the question in its one form: two questions with the same answers have equal forms.

        Args:
            everybody: All labels that people have: to list them all is to ask everybody. Empty (the default):
                unknown.

        Returns:
            The question with labels and values in order, so that equal questions are one, and paid for once.
        """
        return self

    def listing(self, labels: Sequence[str]) -> Self:
        """Returns the query with an answer for each of the labels, whether anybody has it or not.

        Counts and sums have such an answer, which is 0 before noise. The labels are public, as is who has which.

        Args:
            labels: All labels that the owner of the table lists.

        Returns:
            The query; itself where it has one answer for everybody.
        """
        if not self.asks_labels:
            return self
        made = self.model_copy()
        made._listed = tuple(labels)
        return made

    @property
    def value_bounds(self) -> tuple[float, float] | None:
        """The ends to which values are clipped, in the records' unit; None where one of them is open."""
        return None

    def share_of_total(self, people: int) -> Fraction | None:
        """Returns the factor from the total of everybody's values to the unweighted answer about everybody.

        Args:
            people: How many people there are.

        Returns:
            The factor, exactly; None for a query that is no multiple of the total.
        """
        return None

    def left_out(self, tally: Tally) -> LeftOut:
        """Returns the answers of a table without each person (DI §3).

        Args:
            tally: The table's people, counted by value and label.

        Returns:
            The exact answers, by class of people whose absence gives the same answer, in the query's unit.

        Raises:
            InputError: If the query has several answers, or asks too few people to have one without each of them.
        """
        raise InputError("query.kind", self.kind, "one answer, a number, where the secret is who is absent")

    def worst_case(self, universe: Universe) -> Sensitivities:
        """Returns the largest differences of answers over every possible table.

        Args:
            universe: All possible tables: how many people, and which values they can have.

        Returns:
            Θ and Δ, exactly, in the query's unit (DI Def 5, Def 2).

        Raises:
            InputError: If the query has several answers, or asks people of some labels only.
        """
        raise InputError("query.kind", self.kind, "one answer, a number, where the secret is who is absent")

    def scores(self, strata: Sequence[Kind], lattice: Lattice | None = None) -> Scores:
        """Returns the score of every slot on every coordinate, exactly and in lattice steps.

        Args:
            strata: The people by public label and universe.
            lattice: The lattice of the scores; None (the default) for the coarsest that holds them all.

        Returns:
            The scores.

        Raises:
            InputError: If the query names what no record can have, or a score is no multiple of the lattice's step.
        """
        columns = self.columns(strata)
        slots = sum(len(stratum.values) for stratum in strata)
        # Because a query of a user's own may give a list for each stratum.
        if not all(isinstance(each, Column) and len(each.scores) == slots for each in columns):
            wanted = f"columns(strata) to return Column(name, scores), each with {slots} scores in one tuple"
            raise InputError("query.kind", self.kind, wanted)
        # Because a sample may have nobody in it, whose greatest value is no number.
        if not all(column.combine == "sum" for column in columns):
            check_everybody(strata, self.kind)
        exact = tuple(zip(*(column.filled() for column in columns), strict=True))
        # So that the answers of several models can be compared, a release has one lattice.
        lattice = lattice_of(exact) if lattice is None else lattice
        names, combine = tuple(column.name for column in columns), tuple(column.combine for column in columns)
        return Scores(names, exact, lattice, lattice.indices(exact), combine, self.told_apart is not None)


QUERIES: Final = Kinds("query", "dalenius.queries.query:Query", "dalenius.queries")

AnyQuery: TypeAlias = Annotated[Query, QUERIES]
"""A query of any kind, as a section of a spec."""


def check_everybody(strata: Sequence[Kind], kind: str) -> None:
    """Raises InputError for a query of this `kind` where a random sample of the `strata` is asked."""
    if any(stratum.sampled for stratum in strata):
        wanted = "a count, a sum or a histogram of a sample: how many people are in it is not known, and may be none"
        raise InputError("query.kind", kind, wanted)


_MOST: Final = 12
"""Most values that a message lists."""


def check_values(strata: Sequence[Kind], values: Sequence[RecordValue], key: str) -> None:
    """Raises InputError, which names `key`, for one of `values` that no record of the `strata` can have."""
    known = {value for stratum in strata for value in stratum.values}
    for value in values:
        # The case of a count of 1 where records are yes or no: it would be 0 whatever the data are.
        if value not in known:
            twin = next((written(each) for each in known if str(each) == str(value)), None)
            hint = "" if twin is None else f": write {twin}"
            shown = value if twin is None else written(value)
            raise InputError(key, shown, f"a value some record can have {sorted(known, key=str)[:_MOST]}{hint}")


def exact_number(value: RecordValue, kind: str) -> Fraction:
    """Returns a record's `value` as the decimal it is written as; InputError for a text under a query of `kind`.

    >>> exact_number(0.1, "sum")
    Fraction(1, 10)
    """
    # The case of a sum of yes and no: a count was meant.
    if isinstance(value, str):
        raise InputError("query.kind", kind, f"values that are numbers (a record can be {value!r})")
    return Fraction(str(value))


def among(words: Phrase, labels: Sequence[str] | None, per_label: bool) -> Phrase:
    """Adds to a query's `words` the people asked: `labels`, None for all, with `per_label` one answer for each.

    >>> among(said("of_records", statistic=said("statistic_sum")), ("home",), True)
    'the sum of the records, of people labelled home only, one answer for each label'
    """
    asked = words if labels is None else said("among_labels", question=words, labels=value_phrase(labels))
    return said("each_label", question=asked) if per_label else asked
