"""Answers that say what another says: equal ones, multiples and complements, among the records at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.channel.finite.folding import folding
from dalenius.joints import Joint
from dalenius.laws.law import IntArray
from dalenius.laws.transforms.ranges import Extents
from dalenius.noise import Copy
from dalenius.queries import Scores


@final
@dataclass(frozen=True)
class Implied:
    """An answer that is (times · (the answer in a column) + plus) / over, each in steps of its own lattice.

    Of twenty people those that are well are (-1 · those that are ill + 20) / 1.
    """

    column: int
    times: int
    plus: int
    over: int

    def at(self, points: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        """Its values (points,) from the others' (points, columns), and where these are whole: elsewhere no records have
        such answers."""
        found = self.times * points[:, self.column] + self.plus
        return found // self.over, np.asarray(found % self.over == 0)


def distinct(joint: Joint, scores: Scores, kept: int = 0) -> tuple[list[int], dict[int, Implied]]:
    """The coordinates that no earlier one implies, or are among the first `kept`; the others as functions of these.

    One that only several together imply is distinct: its law has an axis more, and is refused where that is too large.
    """
    own = _of_those_here(joint, scores)
    copies = folding(joint.strata(), own, joint.total(Extents(own.indices, own.combine))).copies
    chosen: list[int] = []
    first: dict[int, int] = {}
    implied: dict[int, Implied] = {}
    for axis, copy in enumerate(copies):
        if axis >= kept and copy.axis in first:
            column = first[copy.axis]
            implied[axis] = _implied(copy, copies[chosen[column]], column)
        else:
            first.setdefault(copy.axis, len(chosen))
            chosen.append(axis)
    return chosen, implied


def _of_those_here(joint: Joint, scores: Scores) -> Scores:
    """The scores, but 0 of strata that have nobody: a part of a law keeps the strata of the whole."""
    here = {stratum for factor in joint.factors() for stratum in factor.strata}
    ends = np.cumsum([len(stratum.values) for stratum in joint.strata()])
    slots = np.split(np.arange(len(scores.indices)), ends[:-1])
    indices = scores.indices.copy()
    for stratum, rows in enumerate(slots):
        if stratum not in here:
            indices[rows] = 0
    return replace(scores, indices=indices)


def _implied(copy: Copy, other: Copy, column: int) -> Implied:
    """Both are copies of one answer."""
    times = copy.multiple / other.multiple
    plus = (copy.shift - times * other.shift) / copy.step
    times *= other.step / copy.step
    over = int(np.lcm(times.denominator, plus.denominator))
    return Implied(column, int(times * over), int(plus * over), over)


def values_at(
    points: IntArray, count: int, chosen: Sequence[int], implied: dict[int, Implied]
) -> tuple[IntArray, NDArray[np.bool_]]:
    """All `count` coordinates (points, count) from the chosen ones, and which points can occur."""
    found, there = np.zeros((len(points), count), dtype=np.int64), np.ones(len(points), dtype=np.bool_)
    found[:, list(chosen)] = points
    for axis, each in implied.items():
        found[:, axis], whole = each.at(points)
        there &= whole
    return found, there
