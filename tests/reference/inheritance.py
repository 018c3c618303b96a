"""Mendel's laws allele by allele, in fractions: nobody's genotype is a number before the alleles are counted."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product as choices
from math import prod

from tests.reference.joints import Joint, gather

_Alleles = tuple[int, int]


def minor_alleles(rows: Sequence[tuple[str, str, str]], frequency: Fraction) -> Joint:
    """The law of everybody's number of minor alleles. rows: id, father, mother; "" for one who is not listed."""
    people: list[tuple[dict[str, _Alleles], Fraction]] = [({}, Fraction(1))]
    left = list(rows)
    while left:
        row = next(each for each in left if all(not p or p in people[0][0] for p in each[1:]))
        left.remove(row)
        people = [
            ({**known, row[0]: (own[0][0], own[1][0])}, chance * own[0][1] * own[1][1])
            for known, chance in people
            for own in choices(*(_gametes(known.get(parent), frequency) for parent in row[1:]))
        ]
        people = _merged(people)
    return gather((tuple(sum(known[name]) for name, *_ in rows), chance) for known, chance in people)


def _gametes(parent: _Alleles | None, frequency: Fraction) -> list[tuple[int, Fraction]]:
    """The alleles that a parent passes on, each with its chance."""
    if parent is None:
        return [(0, 1 - frequency), (1, frequency)]
    return [(allele, Fraction(1, 2)) for allele in parent]


def _merged(people: list[tuple[dict[str, _Alleles], Fraction]]) -> list[tuple[dict[str, _Alleles], Fraction]]:
    found: dict[tuple[tuple[str, _Alleles], ...], Fraction] = {}
    for known, chance in people:
        key = tuple(known.items())
        found[key] = found.get(key, Fraction(0)) + chance
    return [(dict(key), chance) for key, chance in found.items()]


def traits_given(counts: Sequence[int], traits: Sequence[int], chances: Sequence[Fraction]) -> Fraction:
    """Pr[these traits | these numbers of minor alleles]; chances: of the trait given 0, 1 and 2."""
    return prod((chances[g] if t else 1 - chances[g] for g, t in zip(counts, traits, strict=True)), start=Fraction(1))
