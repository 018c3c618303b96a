"""δ of a sum given known records, by enumeration in fractions: every record, every set of others, all their values."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import NamedTuple

from tests.reference.joints import Assignment, Joint, Value


class WorstPlaces(NamedTuple):
    """A δ; whose record, from 0; and what is known of others."""

    delta: Fraction
    person: int
    known: dict[int, Value]


def chain(n: int, initial: Sequence[Fraction], step: Sequence[Sequence[Fraction]]) -> Joint:
    """The joint law of a chain whose values are 0, 1, .."""
    found: Joint = {}
    for row in product(range(len(initial)), repeat=n):
        weight = Fraction(initial[row[0]])
        for one, other in pairwise(row):
            weight *= step[one][other]
        if weight:
            found[row] = weight
    return found


def alike(groups: int, infected: Sequence[Fraction]) -> Joint:
    """The joint law of groups of bits, of which so many are 1 with these chances, whichever."""
    size = len(infected) - 1
    one = {}
    for row in product((0, 1), repeat=size):
        ways = sum(1 for other in product((0, 1), repeat=size) if sum(other) == sum(row))
        if infected[sum(row)]:
            one[row] = Fraction(infected[sum(row)]) / ways
    found: Joint = {(): Fraction(1)}
    for _ in range(groups):
        found = {(*row, *more): p * q for row, p in found.items() for more, q in one.items()}
    return found


def worst_places(
    joint: Joint,
    known: int,
    growth: Fraction,
    score: Callable[[Value], int] = int,
    people: set[int] | None = None,
) -> WorstPlaces:
    """The largest δ at ε = log growth, over people, sets of at most `known` others and their values (NP Def 2)."""
    everybody = range(len(next(iter(joint))))
    found = WorstPlaces(Fraction(0), 0, {})
    for person in everybody if people is None else sorted(people):
        others = [each for each in everybody if each != person]
        for number in range(known + 1):
            for places in combinations(others, number):
                for values, laws in _given(joint, person, places, score).items():
                    delta = _delta(laws, growth)
                    if delta > found.delta:
                        found = WorstPlaces(delta, person, dict(zip(places, values, strict=True)))
    return found


def _given(
    joint: Joint, person: int, places: Sequence[int], score: Callable[[Value], int]
) -> dict[Assignment, dict[Value, dict[int, Fraction]]]:
    """By the known values, and the person's, the masses of the sum."""
    found: dict[Assignment, dict[Value, dict[int, Fraction]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(Fraction))
    )
    for row, weight in joint.items():
        found[tuple(row[at] for at in places)][row[person]][sum(map(score, row))] += weight
    return found


def _delta(laws: dict[Value, dict[int, Fraction]], growth: Fraction) -> Fraction:
    totals = {value: sum(law.values()) for value, law in laws.items()}
    worst = Fraction(0)
    for one, other in product(laws, repeat=2):
        if one != other:
            excess = (
                mass / totals[one] - growth * laws[other].get(answer, Fraction(0)) / totals[other]
                for answer, mass in laws[one].items()
            )
            worst = max(worst, sum((each for each in excess if each > 0), Fraction(0)))
    return worst
