"""Answers with cell keys by their definition: every set of people is moved once, whichever answers count it."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from tests.reference.joints import Joint, Value

Counted: TypeAlias = Callable[[int, Value], bool]
"""Whether an answer counts a person, by place from 0, whose record has this value."""
Row: TypeAlias = Callable[[Fraction], Mapping[Fraction | str, Fraction]]
"""The outputs of a count."""
Output: TypeAlias = tuple[Fraction | str, ...]


def outputs_given(
    joint: Joint, counted: Sequence[Counted], row: Row, person: int
) -> dict[Value, dict[Output, Fraction]]:
    """Pr[output | the record of the person, by place from 0], over all assignments and all draws."""
    found: dict[Value, dict[Output, Fraction]] = {}
    chances: dict[Value, Fraction] = {}
    for records, chance in joint.items():
        secret = records[person]
        chances[secret] = chances.get(secret, Fraction(0)) + chance
        sets = [frozenset(i for i, value in enumerate(records) if asked(i, value)) for asked in counted]
        distinct = list(dict.fromkeys(sets))
        rows = [row(Fraction(len(each))).items() for each in distinct]
        own = found.setdefault(secret, {})
        for drawn in product(*rows):
            output = tuple(drawn[distinct.index(each)][0] for each in sets)
            weight = chance
            for _, share in drawn:
                weight *= share
            own[output] = own.get(output, Fraction(0)) + weight
    return {s: {output: weight / chances[s] for output, weight in own.items()} for s, own in found.items()}
