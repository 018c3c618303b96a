"""The coordinates of an answer: which are copies of others, and the law of each (Result 9.5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.channel.limits import MOST_COPIED_POINTS
from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.laws.generating_function_algebra import Extents
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.noise import Copy, Mechanism, Noise, copied
from dalenius.queries import Scores

FEW_ROWS: Final = 1 << 16
"""Most points of a box whose sums over outputs are exact; beyond, copies are one axis."""


@final
@dataclass(frozen=True)
class ProportionalAnswers:
    """The distinct answers among all coordinates.

    axes: the places of the distinct answers; copies: for each coordinate, the one of them that it copies;
    full_lattice: the lattice of all coordinates.
    """

    axes: tuple[int, ...]
    copies: tuple[Copy, ...]
    full_lattice: Lattice

    @property
    def plain(self) -> bool:
        """Whether all coordinates are distinct."""
        return len(self.axes) == len(self.copies)

    def noised(self, law: Law, lattice: Lattice, noise: Noise, merge: bool = False) -> tuple[Mechanism, Law]:
        """Returns the mechanism, and the law on its lattice, from the distinct answers' law.

        TooLarge where copies must stay axes.

        Args:
            law: The law of the distinct answers.
            lattice: The lattice of the distinct answers.
            noise: The noise of the whole answer.
            merge: Whether copies are one axis however few their points are.
        """
        points = prod(length for _, length in self._box(law, lattice)) * law.secrets
        merge = merge or points > FEW_ROWS or noise.shape.light_tailed
        # The case of two noisy answers about one number: one axis, with both noises on it.
        merged = copied(noise.by_coordinate(len(self.copies)), self.copies, lattice) if merge else None
        if merged is not None:
            return merged, law
        return noise.mechanism(self.full_lattice), self.unfolded(law, lattice)

    def _box(self, law: Law, lattice: Lattice) -> list[tuple[int, int]]:
        """Returns each coordinate's first lattice index and its number of them."""
        found = []
        for copy in self.copies:
            ends = [copy.of((law.start[copy.axis] + i) * lattice.steps[copy.axis]) for i in (0, law.box[copy.axis] - 1)]
            low, high = min(ends) / copy.step, max(ends) / copy.step
            found.append((int(low), int(high - low) + 1))
        return found

    def unfolded(self, law: Law, lattice: Lattice) -> Law:
        """Returns the `law` of the distinct answers, on `lattice`, on the box of all coordinates.

        Only points that agree can occur. TooLarge where the box is.
        """
        box = self._box(law, lattice)
        points = prod(length for _, length in box) * law.secrets
        # The case of ten copies of a count of a thousand people: 10^30 points, of which a thousand can occur.
        if points > allowed(MOST_COPIED_POINTS):
            what = f"{len(self.copies)} answers that determine each other, each on an axis of its own"
            instead = or_more("ask fewer of them, or give them noises of one kind", enough(points, MOST_COPIED_POINTS))
            raise TooLarge(what, f"a box of {float(points):.2g} points", instead, MOST_COPIED_POINTS)
        where: list[IntArray] = []
        for copy, (start, _) in zip(self.copies, box, strict=True):
            step, shape = lattice.steps[copy.axis], [1] * len(law.box)
            shape[copy.axis] = law.box[copy.axis]
            own = [copy.of((law.start[copy.axis] + i) * step) / copy.step - start for i in range(law.box[copy.axis])]
            where.append(np.broadcast_to(np.array([int(i) for i in own]).reshape(shape), law.box).ravel())
        lengths = tuple(length for _, length in box)
        base, relative = np.zeros(lengths), np.full((law.secrets, *lengths), -np.inf)
        base[tuple(where)] = law.base.ravel()
        there: tuple[slice | IntArray, ...] = (slice(None), *where)
        relative[there] = law.relative.reshape(law.secrets, -1)
        floor = None
        # Because unresolved mass stays so, at the same answers.
        if law.floor is not None:
            floor = np.full(lengths, -np.inf)
            floor[tuple(where)] = law.floor.ravel()
        return Law(tuple(start for start, _ in box), base, relative, law.error, floor)


def proportional(joint: Joint, scores: Scores) -> ProportionalAnswers:
    """Finds the coordinates that are copies of others.

    Two sums are one axis where their scores, less those of each stratum's first value, are multiples of each other;
    two extremes where they are equal. Among several the coarsest is the axis. In a sample a record may be missing,
    which scores 0: there the scores themselves are compared, because nobody knows how many people are asked.

    Args:
        joint: The law of the records.
        scores: The query's scores.
    """
    extent = joint.total(Extents(scores.indices, scores.combine))
    moves = [_moves(joint, scores, axis) for axis in range(scores.lattice.axes)]
    keys = [_key(own, scores, axis) for axis, own in enumerate(moves)]
    first: dict[object, int] = {}
    for axis, (key, size) in enumerate(keys):
        if key not in first or size < keys[first[key]][1]:
            first[key] = axis
    axes = sorted(first.values())
    copies = []
    for axis, (key, size) in enumerate(keys):
        base = first[key]
        step, of = scores.lattice.steps[axis], scores.lattice.steps[base]
        # Because copies may run the other way: the well fall where the ill rise.
        multiple = Fraction(size, keys[base][1]) * step / of * (_sign(moves[axis]) * _sign(moves[base]))
        end = extent.low[base] if multiple > 0 else extent.high[base]
        copies.append(Copy(axes.index(base), multiple, extent.low[axis] * step - multiple * end * of, step))
    return ProportionalAnswers(tuple(axes), tuple(copies), scores.lattice)


def _key(moves: IntArray, scores: Scores, axis: int) -> tuple[object, int]:
    """Returns a key that coordinates share if they are copies of each other, and how coarse each is among these."""
    if scores.combine[axis] != "sum":
        return (scores.combine[axis], scores.lattice.steps[axis], tuple(scores.indices[:, axis].tolist())), 1
    size = gcd(*moves.tolist())
    # The case of an answer that nobody moves: it has no direction, and is nobody's copy.
    if not size:
        return ("still", axis), 1
    return ("sum", tuple((_sign(moves) * moves // size).tolist())), size


def _moves(joint: Joint, scores: Scores, axis: int) -> IntArray:
    """Returns by how much each value moves the answer of one axis from that of the same people with other values.

    These are the scores less that of each stratum's first value, or less that of a record that is not drawn; all 0 for
    extremes.
    """
    column = scores.indices[:, axis]
    if scores.combine[axis] != "sum":
        return np.zeros_like(column)
    if joint.sampling_rate is not None:
        return column
    parts = np.split(column, np.cumsum([len(each.values) for each in joint.strata()])[:-1])
    return np.concatenate([part - part[0] for part in parts])


def _sign(moves: IntArray) -> int:
    """Returns the sign of the first move; 1 where nothing moves, as for extremes."""
    moved = moves[moves != 0]
    return int(np.sign(moved[0])) if len(moved) else 1


@final
@dataclass(frozen=True)
class Implied:
    """An answer that is (times · (the answer in a column) + plus) / over, each in steps of its own lattice.

    Of twenty people those that are well are (-1 · those that are ill + 20) / 1. If 3, or 7, of twenty are ill, 17, or
    13, are well. An answer in pairs exists at even numbers only.

    >>> Implied(0, -1, 20, 1).at(np.array([[3], [7]]))[0].tolist()
    [17, 13]
    >>> Implied(0, 1, 0, 2).at(np.array([[3], [4]]))[1].tolist()
    [False, True]
    """

    column: int
    times: int
    plus: int
    over: int

    def at(self, points: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        """Returns its values (points,) from the others' `points` (points, columns), and the mask of whole ones.

        Elsewhere no records have such answers.
        """
        found = self.times * points[:, self.column] + self.plus
        return found // self.over, np.asarray(found % self.over == 0)


def distinct(joint: Joint, scores: Scores, kept: int = 0) -> tuple[list[int], dict[int, Implied]]:
    """Returns the coordinates that no earlier one implies, and the others as functions of these.

    A coordinate that only several together imply is distinct: its law has an axis more, and is refused where that is
    too large.

    Args:
        joint: The law of the records.
        scores: The query's scores.
        kept: The first so many coordinates are kept in any case.
    """
    own = of_those_here(joint, scores)
    copies = proportional(joint, own).copies
    chosen: list[int] = []
    first: dict[int, int] = {}
    implied: dict[int, Implied] = {}
    for axis, copy in enumerate(copies):
        # Because answers that go out are kept, whatever implies them; answers that are only known may be implied.
        if axis >= kept and copy.axis in first:
            column = first[copy.axis]
            implied[axis] = _implied(copy, copies[chosen[column]], column)
        else:
            first.setdefault(copy.axis, len(chosen))
            chosen.append(axis)
    return chosen, implied


def of_those_here(joint: Joint, scores: Scores) -> Scores:
    """Returns the `scores`, but 0 in strata of `joint` that have nobody.

    A part of a law keeps the strata of the whole. A ward with nobody in it would else keep two counts apart that are
    equal on everybody.
    """
    here = {stratum for factor in joint.factors() for stratum in factor.strata}
    ends = np.cumsum([len(stratum.values) for stratum in joint.strata()])
    slots = np.split(np.arange(len(scores.indices)), ends[:-1])
    indices = scores.indices.copy()
    for stratum, rows in enumerate(slots):
        if stratum not in here:
            indices[rows] = 0
    return replace(scores, indices=indices)


def _implied(copy: Copy, other: Copy, column: int) -> Implied:
    """Returns one copy as a function of another; both are copies of one answer."""
    times = copy.multiple / other.multiple
    plus = (copy.shift - times * other.shift) / copy.step
    times *= other.step / copy.step
    over = int(np.lcm(times.denominator, plus.denominator))
    return Implied(column, int(times * over), int(plus * over), over)


def values_at(
    points: IntArray, count: int, chosen: Sequence[int], implied: dict[int, Implied]
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Returns all coordinates (points, count) from the chosen ones, and the mask of points that can occur.

    Args:
        points: Values of the chosen coordinates (points, chosen), in steps.
        count: How many coordinates there are.
        chosen: The places of the chosen ones.
        implied: The others, by place, as functions of these.
    """
    found, there = np.zeros((len(points), count), dtype=np.int64), np.ones(len(points), dtype=np.bool_)
    found[:, list(chosen)] = points
    for axis, each in implied.items():
        found[:, axis], integral = each.at(points)
        there &= integral
    return found, there
