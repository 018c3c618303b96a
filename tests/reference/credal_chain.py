"""Chains of a few records by listing every path, and sets of them by listing the corners of their boxes."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

Row = tuple[Fraction, ...]
Box = Sequence[tuple[Fraction, Fraction]]


def corners(box: Box) -> list[Row]:
    """The vertices of {p in box, sum p = 1}."""
    found: set[Row] = set()
    for free in range(len(box)):
        ends = [box[i] if i != free else (Fraction(0),) for i in range(len(box))]
        for row in product(*ends):
            rest = 1 - sum(row)
            if box[free][0] <= rest <= box[free][1]:
                found.add(tuple(Fraction(rest if i == free else p) for i, p in enumerate(row)))
    return sorted(found)
