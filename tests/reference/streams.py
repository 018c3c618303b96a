"""Streams of answers about one person by enumeration, in fractions: every path, every pattern of likelihoods."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from tests.reference.joints import chain

Matrix = Sequence[Sequence[Fraction]]
Vector = Sequence[Fraction]


def paths(initial: Vector, steps: Sequence[Matrix]) -> dict[tuple[int, ...], Fraction]:
    """The probability of each path that is possible."""
    return chain(initial, steps)


def likelihood(law: dict[tuple[int, ...], Fraction], outputs: Sequence[Vector], step: int) -> dict[int, Fraction]:
    """W(y|x) for each possible value x of a step; outputs: by step, how likely its output is given each value."""
    own: dict[int, Fraction] = {}
    joint: dict[int, Fraction] = {}
    for path, chance in law.items():
        weight = chance
        for value, vector in zip(path, outputs, strict=True):
            weight *= vector[value]
        own[path[step]] = own.get(path[step], Fraction(0)) + chance
        joint[path[step]] = joint.get(path[step], Fraction(0)) + weight
    return {value: joint[value] / own[value] for value in own}


def corners(states: int, fold: Fraction) -> list[Vector]:
    """Likelihoods of private outputs at their extremes: 1 or `fold` for each value."""
    return [tuple(each) for each in product((Fraction(1), fold), repeat=states)]


def worst(
    law: dict[tuple[int, ...], Fraction], choices: Sequence[Sequence[Vector]], step: int, seen: Sequence[int]
) -> Fraction:
    """The largest W(y|x)/W(y|x′) over outputs of the steps that are `seen`, the others' being left out."""
    nothing = [tuple(Fraction(1) for _ in choices[0][0])]
    most = Fraction(1)
    for outputs in product(*(each if place in seen else nothing for place, each in enumerate(choices))):
        found = likelihood(law, outputs, step).values()
        most = max(most, max(found) / min(found))
    return most


def ratio(rows: Matrix, fold: Fraction) -> Fraction:
    """The largest p·v/q·v of two rows over v in {1, fold}^k."""
    return max(
        sum((a * x for a, x in zip(p, v, strict=True)), Fraction(0))
        / sum((b * x for b, x in zip(q, v, strict=True)), Fraction(0))
        for p in rows
        for q in rows
        for v in corners(len(p), fold)
    )


def backwards(initial: Vector, steps: Sequence[Matrix]) -> Iterator[tuple[Vector, list[list[Fraction]]]]:
    """By step from the second on: its law, and Pr[the one before | it] by rows, of possible values only."""
    law = list(initial)
    states = range(len(law))
    for step in steps:
        after = [sum((law[x] * step[x][y] for x in states), Fraction(0)) for y in states]
        yield after, [[law[x] * step[x][y] / after[y] for x in states] for y in states if after[y]]
        law = after


def recursion(initial: Vector, steps: Sequence[Matrix], folds: Sequence[Fraction]) -> list[Fraction]:
    """e^BPL_t by vertex enumeration."""
    found = [folds[0] if sum(chance > 0 for chance in initial) > 1 else Fraction(1)]
    for fold, (law, rows) in zip(folds[1:], backwards(initial, steps), strict=True):
        found.append(fold * ratio(rows, found[-1]) if sum(chance > 0 for chance in law) > 1 else Fraction(1))
    return found


def process(law: dict[tuple[int, ...], Fraction], epsilons: Sequence[float]) -> float:
    """The largest Σ ε_t over the steps where two possible paths differ."""
    return max(sum(each for a, b, each in zip(x, y, epsilons, strict=True) if a != b) for x in law for y in law)
