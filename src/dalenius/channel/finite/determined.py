"""Answers that others determine: sums that are linear in other sums, on the records at hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.joints import Joint
from dalenius.laws.law import IntArray
from dalenius.queries import Scores

LARGEST: Final = 10**6
"""Denominators of weights that are looked for; others are not found, which costs only time."""
MOST: Final = 2**62
"""Of an integer in a product."""


@final
@dataclass(frozen=True)
class Linear:
    """An answer that is Σ_i weights[i]·(answer i) + shift, each in steps of its own lattice."""

    weights: tuple[Fraction, ...]
    shift: Fraction

    def at(self, points: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        """Its values (points,) from the others' (points, answers), and where these are whole: elsewhere no records have
        such answers."""
        whole = lcm(self.shift.denominator, *(weight.denominator for weight in self.weights))
        found = np.full(len(points), int(self.shift * whole), dtype=np.int64)
        for weight, column in zip(self.weights, points.T, strict=True):
            found += int(weight * whole) * column
        return found // whole, np.asarray(found % whole == 0)


def independent(
    joint: Joint, scores: Scores, first: Sequence[int], candidates: Sequence[int]
) -> tuple[list[int], dict[int, Linear]]:
    """The coordinates `first`, with the candidates that they and each other do not determine; and the remaining
    candidates as functions of those."""
    chosen, found = list(first), {}
    for axis in candidates:
        relation = _relation(joint, scores, chosen, axis)
        if relation is None:
            chosen.append(axis)
        else:
            found[axis] = relation
    wide = len(chosen)
    return chosen, {
        axis: Linear(each.weights + (Fraction(0),) * (wide - len(each.weights)), each.shift)
        for axis, each in found.items()
    }


def _relation(joint: Joint, scores: Scores, others: Sequence[int], axis: int) -> Linear | None:
    """None where the others do not determine that coordinate, or it is not seen."""
    if scores.combine[axis] != "sum":
        return _equal(scores, others, axis)
    people = people_of(joint)
    present = [rows for rows, count in zip(slots_of(joint), people, strict=True) if count]
    counts = [count for count in people if count]
    sums = [place for place, other in enumerate(others) if scores.combine[other] == "sum"]
    columns = scores.indices[:, [others[place] for place in sums]]
    own = scores.indices[:, axis]
    moves = np.concatenate([own[rows] - own[rows[0]] for rows in present])
    weights = _solved(np.concatenate([columns[rows] - columns[rows[0]] for rows in present]), moves)
    if weights is None:
        return None
    shift = Fraction(0)
    for rows, count in zip(present, counts, strict=True):
        of = sum((weight * int(score) for weight, score in zip(weights, columns[rows[0]], strict=True)), Fraction(0))
        shift += count * (int(own[rows[0]]) - of)
    every = [Fraction(0)] * len(others)
    for place, weight in zip(sums, weights, strict=True):
        every[place] = weight
    return Linear(tuple(every), shift)


def _equal(scores: Scores, others: Sequence[int], axis: int) -> Linear | None:
    """An extreme of the same scores as another."""
    own = [row[axis] for row in scores.exact]
    for place, other in enumerate(others):
        if scores.combine[other] == scores.combine[axis] and [row[other] for row in scores.exact] == own:
            weights = [Fraction(0)] * len(others)
            weights[place] = scores.lattice.steps[other] / scores.lattice.steps[axis]
            return Linear(tuple(weights), Fraction(0))
    return None


def _solved(columns: IntArray, moves: IntArray) -> tuple[Fraction, ...] | None:
    """Weights with columns @ weights == moves, exactly; None where none are found."""
    if not columns.shape[1]:
        return None if moves.any() else ()
    near, *_ = np.linalg.lstsq(columns.astype(np.float64), moves.astype(np.float64), rcond=None)
    found = _exact(columns, moves, tuple(Fraction(float(each)).limit_denominator(LARGEST) for each in near))
    width = columns.shape[1]
    for place in range(width) if found is None else ():
        moved = np.flatnonzero(columns[:, place])
        ratio = Fraction(int(moves[moved[0]]), int(columns[moved[0], place])) if len(moved) else Fraction(0)
        found = found or _exact(columns, moves, tuple(ratio * (place == other) for other in range(width)))
    return found


def _exact(columns: IntArray, moves: IntArray, weights: tuple[Fraction, ...]) -> tuple[Fraction, ...] | None:
    whole = lcm(*(weight.denominator for weight in weights))
    scaled = [int(weight * whole) for weight in weights]
    largest = max(int(np.abs(columns).max(initial=0)), int(np.abs(moves).max(initial=0)), 1)
    if largest * max(whole, *map(abs, scaled)) * (len(scaled) + 1) > MOST:
        return None
    return weights if np.array_equal(columns @ np.array(scaled, dtype=np.int64), whole * moves) else None


def people_of(joint: Joint) -> list[int]:
    """How many records of the joint law are of each stratum: a part keeps the strata of the whole."""
    found = [0] * len(joint.strata())
    for factor in joint.factors():
        for stratum, members in factor.strata.items():
            found[stratum] += factor.count * members
    return found


def slots_of(joint: Joint) -> list[IntArray]:
    ends = np.cumsum([0, *(len(each.values) for each in joint.strata())])
    return [np.arange(low, high) for low, high in pairwise(ends.tolist())]
