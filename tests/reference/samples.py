"""Random samples by enumeration: every set of people who may be drawn, and everybody's channel where only they are
asked."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product as choices
from math import comb, prod
from typing import TypeAlias

from tests.reference.channel import Channel, Noise, Score, Vector
from tests.reference.joints import Assignment, Joint, Value

Sample: TypeAlias = Mapping[frozenset[int], Fraction]
"""The probability that exactly these people, by their places, are drawn."""
Units: TypeAlias = Sequence[Sequence[int]]
"""People who are drawn together, unit by unit."""


def by_rates(units: Units, rates: Sequence[Fraction]) -> Sample:
    """Each unit is drawn or not, independently of all others."""
    found: dict[frozenset[int], Fraction] = {}
    for drawn in choices((False, True), repeat=len(units)):
        who = frozenset(person for unit, there in zip(units, drawn, strict=True) if there for person in unit)
        chances = (rate if there else 1 - rate for rate, there in zip(rates, drawn, strict=True))
        found[who] = prod(chances, start=Fraction(1))
    return found


def of_size(units: Units, size: int) -> Sample:
    """So many units, every set of them equally likely."""
    each = Fraction(1, comb(len(units), size))
    return {frozenset(person for unit in some for person in unit): each for some in combinations(units, size)}


def channels(joint: Joint, sample: Sample, score: Score, noise: Noise) -> list[Channel]:
    """Everybody's channel: the answer adds up the scores of those drawn, the secret is a record, drawn or not."""
    people = len(next(iter(joint)))
    prior: list[defaultdict[Value, Fraction]] = [defaultdict(Fraction) for _ in range(people)]
    mass: list[defaultdict[Value, defaultdict[Vector, Fraction]]] = [
        defaultdict(lambda: defaultdict(Fraction)) for _ in range(people)
    ]
    for row, chance in joint.items():
        answers = law_of(row, sample, score)
        for person, value in enumerate(row):
            prior[person][value] += chance
            for answer, drawn in answers.items():
                mass[person][value][answer] += chance * drawn
    return [
        Channel(
            dict(own),
            {value: {answer: p / own[value] for answer, p in law.items() if p} for value, law in laws.items()},
            noise,
        )
        for own, laws in zip(prior, mass, strict=True)
    ]


def law_of(row: Assignment, sample: Sample, score: Score) -> dict[Vector, Fraction]:
    """The answer's law where these are everybody's records."""
    answers: defaultdict[Vector, Fraction] = defaultdict(Fraction)
    for who, drawn in sample.items():
        answers[_answer(row, who, score)] += drawn
    return {answer: drawn for answer, drawn in answers.items() if drawn}


def _answer(row: Assignment, who: frozenset[int], score: Score) -> Vector:
    scores = [score(person, value) for person, value in enumerate(row)]
    return tuple(
        sum((Fraction(own[axis] or 0) for person, own in enumerate(scores) if person in who), Fraction(0))
        for axis in range(len(scores[0]))
    )
