"""Answers that determine each other once others are known: of two counts of which the total is known, either."""

from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from dalenius.channel.finite.answers import joined, restricted
from dalenius.channel.finite.determined import independent, people_of, slots_of
from dalenius.channel.finite.folding import Folding
from dalenius.channel.finite.known import Known
from dalenius.joints import Joint
from dalenius.laws.law import IntArray
from dalenius.noise import Copy
from dalenius.queries import Scores

MOST: Final = 12
"""Distinct answers: of more, pairs are not looked at one by one."""

FEW: Final = 4
"""Ratios of moves that are tried."""


def folded(joint: Joint, scores: Scores, known: Known, folding: Folding) -> Folding:
    """The folding of the scores' coordinates given the known ones: fewer distinct ones, if an answer is a whole
    multiple of another, in steps, plus a constant, given these."""
    axes = list(folding.axes)
    if len(axes) > MOST or not (scores.additive and known.scores.additive):
        return folding
    both = joined(scores, known.scores)
    copies: dict[int, tuple[int, Copy]] = {}
    for axis in reversed(folding.axes):
        found = ((other, _copy(joint, both, known, axis, other)) for other in axes if other != axis)
        of = next(((other, copy) for other, copy in found if copy is not None), None)
        if of is not None:
            copies[axis] = of
            axes.remove(axis)
    if not copies:
        return folding
    return Folding(tuple(axes), tuple(_through(each, folding, copies, axes) for each in folding.copies), folding.whole)


def less_known(joint: Joint, scores: Scores, known: Known) -> tuple[Scores, tuple[int, ...]]:
    """The scores less whole multiples of known ones', where fewer groups of records move them then; and by how much,
    in steps, each answer is greater than that: of a count of all of which the women's is known, the men's is left."""
    if not (scores.additive and known.scores.additive):
        return scores, (0,) * scores.lattice.axes
    indices, offsets = scores.indices.copy(), [0] * scores.lattice.axes
    for axis in range(scores.lattice.axes):
        for own, value in zip(known.scores.indices.T, known.values, strict=True):
            for times in _ratios(joint, indices[:, axis], own):
                less, constant = _without_constants(joint, indices[:, axis] - times * own)
                if _groups(joint, less) < _groups(joint, indices[:, axis]):
                    indices[:, axis] = less
                    offsets[axis] += times * value + constant
    if not any(_groups(joint, column) for column in indices.T):  # the answer is known: any law will do
        return scores, (0,) * scores.lattice.axes
    exact = tuple(
        tuple(int(index) * step for index, step in zip(row, scores.lattice.steps, strict=True)) for row in indices
    )
    return replace(scores, exact=exact, indices=indices), tuple(offsets)


def _ratios(joint: Joint, column: IntArray, known: IntArray) -> list[int]:
    """The whole ratios of their moves, of some strata."""
    found = set()
    for rows in slots_of(joint):
        for one, other in zip(column[rows] - column[rows[0]], known[rows] - known[rows[0]], strict=True):
            if one and other and one % other == 0:
                found.add(int(one // other))
    return sorted(found, key=lambda ratio: (abs(ratio), ratio))[:FEW]


def _without_constants(joint: Joint, column: IntArray) -> tuple[IntArray, int]:
    """The scores with zeros where those of a stratum are all the same, and what these add up to."""
    found, constant = column.copy(), 0
    for rows, people in zip(slots_of(joint), people_of(joint), strict=True):
        if not np.ptp(column[rows]):
            found[rows] = 0
            constant += people * int(column[rows[0]])
    return found, constant


def _groups(joint: Joint, column: IntArray) -> int:
    """How many groups of records move the answer."""
    moved = [bool(np.ptp(column[rows])) for rows in slots_of(joint)]
    return sum(factor.count for factor in joint.factors() if any(moved[stratum] for stratum in factor.strata))


def _copy(joint: Joint, both: Scores, known: Known, axis: int, other: int) -> Copy | None:
    """How a coordinate follows from another and the known ones; axes of the copy are not yet set."""
    first, many = both.lattice.axes - len(known.values), len(known.values)
    three = restricted(both, [other, *range(first, first + many), axis])
    _, relations = independent(joint, three, range(1 + many), [1 + many])
    relation = next(iter(relations.values()), None)
    if relation is None or not relation.weights[0] or relation.weights[0].denominator > 1:
        return None
    shift = relation.shift + sum(
        (weight * value for weight, value in zip(relation.weights[1:], known.values, strict=True)), Fraction(0)
    )
    if shift.denominator > 1:
        return None
    step, base = both.lattice.steps[axis], both.lattice.steps[other]
    return Copy(0, relation.weights[0] * step / base, shift * step, step)


def _through(copy: Copy, folding: Folding, copies: dict[int, tuple[int, Copy]], axes: list[int]) -> Copy:
    """A copy of a coordinate that may be a copy itself, of one that may be, and so on."""
    axis, multiple, shift = folding.axes[copy.axis], copy.multiple, copy.shift
    while axis in copies:
        axis, inner = copies[axis]
        multiple, shift = multiple * inner.multiple, multiple * inner.shift + shift
    return Copy(axes.index(axis), multiple, shift, copy.step)
