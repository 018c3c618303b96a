"""Answers of a table without one person, and their worst cases over small universes, in fractions (DI §3, Def 2, 5)."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import TypeAlias

Answer: TypeAlias = Callable[[Sequence[Fraction]], Fraction]
"""Of the values of everybody who is there."""


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def variance(values: Sequence[Fraction]) -> Fraction:
    """Of a sample, from its pairs: no mean in it."""
    pairs = sum(((a - b) ** 2 for a, b in combinations(values, 2)), Fraction(0))
    return pairs / (len(values) * (len(values) - 1))


def median(values: Sequence[Fraction]) -> Fraction:
    """By elimination of the least and the greatest."""
    ordered = sorted(values)
    while len(ordered) > 2:
        ordered = ordered[1:-1]
    return mean(ordered)


def total(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


def among(counted: Sequence[Fraction]) -> Answer:
    """How many have one of these values."""
    return lambda values: Fraction(sum(value in counted for value in values))


def without_each(answer: Answer, values: Sequence[Fraction]) -> list[Fraction]:
    """The answer without each person, in order."""
    return [answer([*values[:person], *values[person + 1 :]]) for person in range(len(values))]


def identifiability(answer: Answer, universe: Sequence[Fraction], people: int) -> Fraction:
    """Θ over every table of so many people."""
    answers = (without_each(answer, table) for table in _tables(universe, people))
    return max(max(each) - min(each) for each in answers)


def presence(answer: Answer, universe: Sequence[Fraction], people: int) -> Fraction:
    """Δ over every table of so many people and the same without one of them."""
    return max(abs(answer(table) - each) for table in _tables(universe, people) for each in without_each(answer, table))


def replacement(answer: Answer, universe: Sequence[Fraction], people: int) -> Fraction:
    """How far changing one record moves the answer of so many people, the order of records regarded."""
    return max(
        abs(answer((*others, one)) - answer((*others, other)))
        for others in product(universe, repeat=people - 1)
        for one, other in product(universe, repeat=2)
    )


def _tables(universe: Sequence[Fraction], people: int) -> Iterator[tuple[Fraction, ...]]:
    yield from combinations_with_replacement(universe, people)
