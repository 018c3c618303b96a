"""The same people in several data sets, by enumeration in fractions: rows of everybody's process, a tuple of values.

Imports nothing of ours.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from tests.reference.channel import mp, real
from tests.reference.questions import Together

Rows: TypeAlias = list[tuple[tuple[Any, ...], Fraction]]
Matrix: TypeAlias = dict[Any, dict[Any, Fraction]]
"""Pr[next value | value]."""


def marginal(rows: Rows, person: int) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    for records, chance in rows:
        found[records[person]] = found.get(records[person], Fraction(0)) + chance
    return found


def staying(rows: Rows, person: int, persistence: Fraction) -> Matrix:
    """The value stays, or is drawn from the person's own law at the first stage."""
    own = marginal(rows, person)
    return {
        value: {other: (1 - persistence) * own[other] + persistence * (other == value) for other in own}
        for value in own
    }


def chained(rows: Rows, steps: Sequence[Sequence[Matrix]]) -> Rows:
    """Everybody goes on from their first value on their own; steps: by step, each person's matrix."""
    found: Rows = [(tuple((value,) for value in records), chance) for records, chance in rows]
    for step in steps:
        longer: Rows = []
        for records, chance in found:
            ways = [
                [(own[-1], value, p) for value, p in matrix[own[-1]].items() if p]
                for own, matrix in zip(records, step, strict=True)
            ]
            for choice in product(*ways):
                weight = chance
                for _, _, p in choice:
                    weight *= p
                ends = zip(records, choice, strict=True)
                longer.append((tuple((*own, value) for own, (_, value, _) in ends), weight))
        found = longer
    return found


def apart(rows: Rows, stages: int) -> Rows:
    """Data sets that are independent of each other, each with the law of the first."""
    found: Rows = []
    for choice in product(rows, repeat=stages):
        weight = Fraction(1)
        for _, chance in choice:
            weight *= chance
        found.append((tuple(zip(*(records for records, _ in choice), strict=True)), weight))
    return found


def relative_entropy(together: Together) -> Any:
    """The largest D(S | Y=y ‖ S) over the grid of outputs, on which it is attained."""

    def told(found: dict[int, Any]) -> Any:
        mixed = together.mixture(found)
        return mp.fsum(real(together.prior[s]) * w / mixed * mp.log(w / mixed) for s, w in found.items() if w > 0)

    return together.worst(told)
