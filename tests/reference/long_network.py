"""Laws of a network's records and their sum by listing all assignments, in fractions."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from tests.reference.long_chain import Laws

Table = tuple[tuple[int, ...], dict[tuple[int, ...], Fraction]]
"""Nodes, and what each assignment of them is weighed with."""


def listed(sizes: Sequence[int], tables: Sequence[Table], scores: Sequence[Sequence[int]]) -> list[Laws]:
    """Of every record, Pr[X = s, the sum is v] by s and v, up to one constant; scores: by record and value."""
    found: list[Laws] = [{} for _ in sizes]
    for values in product(*map(range, sizes)):
        chance = Fraction(1)
        for nodes, table in tables:
            chance *= table[tuple(values[node] for node in nodes)]
        total = sum(own[value] for own, value in zip(scores, values, strict=True))
        for place, value in enumerate(values if chance else ()):
            law = found[place].setdefault(value, {})
            law[total] = law.get(total, Fraction(0)) + chance
    mass = sum((p for law in found[0].values() for p in law.values()), Fraction(0)) if found else Fraction(0)
    return [{s: {v: p / mass for v, p in law.items()} for s, law in own.items()} for own in found]
