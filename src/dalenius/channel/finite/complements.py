"""Answers that determine each other once others are known: of two counts of which the total is known, either."""

from fractions import Fraction
from typing import Final

from dalenius.channel.finite.answers import joined, restricted
from dalenius.channel.finite.determined import independent
from dalenius.channel.finite.folding import Folding
from dalenius.channel.finite.known import Known
from dalenius.joints import Joint
from dalenius.noise import Copy
from dalenius.queries import Scores

MOST: Final = 12
"""Distinct answers: of more, pairs are not looked at one by one."""


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
