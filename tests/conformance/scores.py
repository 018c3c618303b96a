"""What a query's spec means: everybody's score on every coordinate of the answer, in fractions."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple, TypeAlias

from dalenius.queries import Count, Mean, Query, Sum
from tests.conformance.worlds import Person
from tests.reference.channel import Score
from tests.reference.joints import Value


class Unfit(Exception):  # noqa: N818
    """The query makes no sense on these records; the package must refuse it too."""


class Asked(NamedTuple):
    """score(record, value): one number per coordinate; steps: each coordinate's lattice."""

    score: Score
    steps: tuple[Fraction, ...]


Reader: TypeAlias = Callable[[Query, Value, int], Fraction]
"""A record's value's contribution, over so many people."""


def count(query: Count, value: Value, _: int) -> Fraction:
    return Fraction(value in query.values)


def total(query: Sum, value: Value, _: int) -> Fraction:
    if isinstance(value, str):
        raise Unfit(f"{value!r} is no number")
    number = Fraction(str(value))
    number = number if query.lower is None else max(number, Fraction(str(query.lower)))
    return number if query.upper is None else min(number, Fraction(str(query.upper)))


def mean(query: Mean, value: Value, asked: int) -> Fraction:
    return total(Sum(lower=query.lower, upper=query.upper), value, asked) / asked


def asked(query: Query, people: Sequence[Person], read: Reader) -> Asked:
    """Unfit where a label or a counted value belongs to nobody, or a value is not a number."""
    present = sorted({person.label for person in people})
    counted = present if query.labels is None else list(dict.fromkeys(query.labels))
    if not set(counted) <= set(present):
        raise Unfit(f"labels {counted} of {present}")
    if isinstance(query, Count) and not set(query.values) <= {value for person in people for value in person.values}:
        raise Unfit(f"values {query.values}")
    axes = [(label,) for label in counted] if query.per_label else [tuple(counted)]
    sizes = [sum(person.label in axis for person in people) for axis in axes]

    def score(record: int, value: Value) -> tuple[Fraction, ...]:
        own = people[record].label
        return tuple(
            read(query, value, size) if own in axis else Fraction(0) for axis, size in zip(axes, sizes, strict=True)
        )

    scores = [score(record, value) for record, person in enumerate(people) for value in person.values]
    if not isinstance(query, Count):  # a value that is no number is refused even where nobody asks for it
        for value in {value for person in people for value in person.values}:
            read(query, value, 1)
    return Asked(score, tuple(_step(column) for column in zip(*scores, strict=True)))


def _step(scores: Sequence[Fraction]) -> Fraction:
    """The coarsest lattice through 0, but never coarser than the integers where all are integers."""
    denominator = lcm(*(score.denominator for score in scores))
    if denominator == 1:
        return Fraction(1)
    return Fraction(gcd(*(int(score * denominator) for score in scores)), denominator)
