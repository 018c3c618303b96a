"""What a query's spec means: everybody's score on every coordinate of the answer, in fractions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import gcd, lcm
from typing import Any, NamedTuple, TypeAlias

from dalenius.queries import Count, Histogram, Max, Mean, Median, Min, Reports, Several, Stage, Sum, Variance
from tests.conformance.worlds import Person
from tests.reference.channel import Combine, Combined, Score
from tests.reference.joints import Value


class Unfit(Exception):
    """The query makes no sense on these records; the package must refuse it too."""


class Asked(NamedTuple):
    """score(record, value): one number per coordinate; steps: each coordinate's lattice."""

    score: Score
    steps: tuple[Fraction, ...]


Column: TypeAlias = Callable[[int, Value], Fraction | None]
"""One coordinate: what that record scores there where it takes that value; None if it is not asked."""


@dataclass(frozen=True)
class Extreme:
    """A coordinate that is no sum."""

    column: Column
    combine: Combine

    def __call__(self, record: int, value: Value) -> Fraction | None:
        return self.column(record, value)


Reader: TypeAlias = Callable[[Any, Sequence[Person]], list[Column]]
"""A query's coordinates, over these people."""


def unscored(query: Variance | Median, people: Sequence[Person]) -> list[Column]:
    raise Unfit(f"no score per record makes a {query.kind}")


def count(query: Count, people: Sequence[Person]) -> list[Column]:
    if not set(query.values) <= {value for person in people for value in person.values}:
        raise Unfit(f"values {query.values}")
    return labelled(query, people, lambda value, asked: Fraction(value in query.values))


def total(query: Sum, people: Sequence[Person]) -> list[Column]:
    columns = labelled(query, people, lambda value, asked: _clipped(query, value))
    if query.weights is None:
        return columns
    asked_for = {
        people[i].label for column in columns for i, p in enumerate(people) if column(i, p.values[0]) is not None
    }
    if not asked_for <= set(query.weights):
        raise Unfit(f"weights {query.weights}")
    return [_weighted(column, query, people) for column in columns]


def _weighted(column: Column, query: Sum, people: Sequence[Person]) -> Column:
    weights = {label: Fraction(str(weight)) for label, weight in (query.weights or {}).items()}

    def scored(record: int, value: Value) -> Fraction | None:
        score = column(record, value)
        return None if score is None else score * weights[people[record].label]

    return scored


def mean(query: Mean, people: Sequence[Person]) -> list[Column]:
    return labelled(query, people, lambda value, asked: _clipped(query, value) / asked)


def histogram(query: Histogram, people: Sequence[Person]) -> list[Column]:
    if not {value for cell in query.cells for value in cell} <= {value for person in people for value in person.values}:
        raise Unfit(f"cells {query.cells}")
    return [lambda record, value, cell=cell: Fraction(value in cell) for cell in query.cells]  # type: ignore[misc]


def extreme(query: Max | Min, people: Sequence[Person]) -> list[Column]:
    columns: list[Column] = []
    for column in labelled(query, people, lambda value, _: _clipped(query, value)):
        columns.append(Extreme(column, "max" if isinstance(query, Max) else "min"))
    return columns


def reports(query: Reports, people: Sequence[Person]) -> list[Column]:
    """Shuffled: how many have each value but the first; in order: each person's own, words by their places."""
    if query.shuffled:
        values = tuple(dict.fromkeys(value for person in people for value in person.values))
        return [lambda record, value, own=own: Fraction(value == own) for own in values[1:]]  # type: ignore[misc]
    asked = range(len(people)) if query.people is None else [int(person) - 1 for person in query.people]
    if any(person >= len(people) for person in asked):
        raise Unfit(f"people {query.people}")
    return [partial(_report, people, person) for person in asked]


def _report(people: Sequence[Person], person: int, record: int, value: Value) -> Fraction | None:
    if record != person:
        return None
    values = people[record].values
    return Fraction(values.index(value)) if any(isinstance(each, str) for each in values) else Fraction(str(value))


def several(query: Several, people: Sequence[Person]) -> list[Column]:
    readers: dict[type, Reader] = {Count: count, Sum: total, Mean: mean, Histogram: histogram, Several: several}
    readers |= {Max: extreme, Min: extreme, Stage: at_stage}
    return [column for each in query.queries for column in readers[type(each)](each, people)]


def at_stage(query: Stage, people: Sequence[Person]) -> list[Column]:
    """Stages are numbered; a process is a text that lists numbers."""
    if query.stage is None:
        stages = 1 + min(str(value).count(", ") for p in people for value in p.values)
        each = [at_stage(Stage(stage=number + 1, query=query.query), people) for number in range(stages)]
        return [partial(_sum_of, columns) for columns in zip(*each, strict=True)]
    place = int(query.stage) - 1
    if not all(isinstance(value, str) and value.count(", ") >= max(place, 1) for p in people for value in p.values):
        raise Unfit(f"stage {query.stage}")
    there = [Person(p.label, tuple(_number(value, place) for value in p.values)) for p in people]
    reader: Reader = count if isinstance(query.query, Count) else total
    return [_at_stage(column, place) for column in reader(query.query, there)]


def _sum_of(columns: Sequence[Column], record: int, value: Value) -> Fraction | None:
    found = [each(record, value) for each in columns]
    return None if None in found else sum(map(Fraction, found), Fraction(0))  # type: ignore[arg-type]


def _at_stage(column: Column, place: int) -> Column:
    return lambda record, value: column(record, _number(value, place))


def _number(process: Value, place: int) -> int:
    return int(str(process).split(", ")[place])


def _clipped(query: Sum | Mean | Max | Min, value: Value) -> Fraction:
    if isinstance(value, str):
        raise Unfit(f"{value!r} is no number")
    number = Fraction(str(value))
    number = number if query.lower is None else max(number, Fraction(str(query.lower)))
    return number if query.upper is None else min(number, Fraction(str(query.upper)))


def labelled(
    query: Count | Sum | Mean | Max | Min, people: Sequence[Person], score: Callable[[Value, int], Fraction]
) -> list[Column]:
    """A score (of a value, over so many people) asked of some labels or all, together or each on its own."""
    present = sorted({person.label for person in people})
    counted = present if query.labels is None else list(dict.fromkeys(query.labels))
    if not set(counted) <= set(present):
        raise Unfit(f"labels {counted} of {present}")

    def column(labels: list[str]) -> Column:
        asked = sum(person.label in labels for person in people)
        return lambda record, value: score(value, asked) if people[record].label in labels else None

    return [column([label]) for label in counted] if query.per_label else [column(counted)]


def asked(columns: Sequence[Column], people: Sequence[Person]) -> Asked:
    """The coordinates as one score. Unfit where a value is not one that the query can take."""

    @cache
    def score(record: int, value: Value) -> tuple[Fraction | None, ...]:
        return tuple(column(record, value) for column in columns)

    scores = [score(record, value) for record, person in enumerate(people) for value in person.values]
    steps = tuple(_step([each for each in column if each is not None]) for column in zip(*scores, strict=True))
    combine = tuple(column.combine if isinstance(column, Extreme) else "sum" for column in columns)
    return Asked(Combined(score, combine) if {*combine} - {"sum"} else score, steps)


def _step(scores: Sequence[Fraction]) -> Fraction:
    """The coarsest lattice through 0, but never coarser than the integers where all are integers."""
    denominator = lcm(*(score.denominator for score in scores))
    if denominator == 1:
        return Fraction(1)
    return Fraction(gcd(*(int(score * denominator) for score in scores)), denominator)
