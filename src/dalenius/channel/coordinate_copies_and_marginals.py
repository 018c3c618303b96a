"""The coordinates of an answer: the law of each, and which are copies of others (Result 9.5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Stratum, Subject
from dalenius.laws.characteristic import Cumulant, Cumulants, Evaluations, tilted_law
from dalenius.laws.convolution import Coefficients, ScaledGrid, law_of
from dalenius.laws.generating_function_algebra import Extent, Extents
from dalenius.laws.law_on_lattice import Array, IntArray, Lattice, Law, log_mix
from dalenius.laws.tilting import Tilt, circle
from dalenius.noise import Copy, Mechanism, Noise, copied
from dalenius.queries import Scores

FEW_ROWS: Final = 1 << 16
"""Points of a box of which sums over outputs are exact; beyond, copies are one axis."""


@final
@dataclass(frozen=True)
class ProportionalAnswers:
    """axes: of the distinct answers, among all coordinates; copies: of which of them each coordinate is a copy;
    full_lattice: of all coordinates."""

    axes: tuple[int, ...]
    copies: tuple[Copy, ...]
    full_lattice: Lattice

    @property
    def plain(self) -> bool:
        """Whether all coordinates are distinct."""
        return len(self.axes) == len(self.copies)

    def noised(self, law: Law, lattice: Lattice, noise: Noise, merge: bool = False) -> tuple[Mechanism, Law]:
        """The mechanism, and the law on its lattice, for the distinct answers' law. TooLarge where copies must stay
        axes; merge: whether they are one axis however few their points are."""
        points = prod(length for _, length in self._box(law, lattice)) * law.secrets
        merge = merge or points > FEW_ROWS or noise.shape.light_tailed
        # Two noisy answers about one number: one axis, with both noises on it.
        merged = copied(noise.each(len(self.copies)), self.copies, lattice) if merge else None
        if merged is not None:
            return merged, law
        return noise.mechanism(self.full_lattice), self.unfolded(law, lattice)

    def _box(self, law: Law, lattice: Lattice) -> list[tuple[int, int]]:
        """Each coordinate's first lattice index and its number of them."""
        found = []
        for copy in self.copies:
            ends = [copy.of((law.start[copy.axis] + i) * lattice.steps[copy.axis]) for i in (0, law.box[copy.axis] - 1)]
            low, high = min(ends) / copy.step, max(ends) / copy.step
            found.append((int(low), int(high - low) + 1))
        return found

    def unfolded(self, law: Law, lattice: Lattice) -> Law:
        """The law on the box of all coordinates, of which only points that agree can occur. TooLarge where that is."""
        box = self._box(law, lattice)
        points = prod(length for _, length in box) * law.secrets
        # Ten copies of a count of a thousand people: 10^30 points, of which a thousand can occur.
        if points > (1 << 24):
            what = f"{len(self.copies)} answers that determine each other, each on an axis of its own"
            raise TooLarge(
                what, f"a box of {float(points):.2g} points", "ask fewer of them, or give them noises of one kind"
            )
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
        # What could not be resolved stays so, at the same answers.
        if law.floor is not None:
            floor = np.full(lengths, -np.inf)
            floor[tuple(where)] = law.floor.ravel()
        return Law(tuple(start for start, _ in box), base, relative, law.error, floor)


def proportional(strata: Sequence[Stratum], scores: Scores, extent: Extent) -> ProportionalAnswers:
    """extent: of all coordinates. Two sums are one axis where their scores, less those of each stratum's first value,
    are multiples of each other; two extremes where they are equal. Of several the coarsest is the axis."""
    keys = [_key(strata, scores, axis) for axis in range(scores.lattice.axes)]
    first: dict[object, int] = {}
    for axis, (key, size) in enumerate(keys):
        if key not in first or size < keys[first[key]][1]:
            first[key] = axis
    axes = sorted(first.values())
    copies = []
    for axis, (key, size) in enumerate(keys):
        base = first[key]
        step, of = scores.lattice.steps[axis], scores.lattice.steps[base]
        # Copies may run the other way: the well fall where the ill rise.
        multiple = (
            Fraction(size, keys[base][1]) * step / of * (_sign(strata, scores, axis) * _sign(strata, scores, base))
        )
        end = extent.low[base] if multiple > 0 else extent.high[base]
        copies.append(Copy(axes.index(base), multiple, extent.low[axis] * step - multiple * end * of, step))
    return ProportionalAnswers(tuple(axes), tuple(copies), scores.lattice)


def _key(strata: Sequence[Stratum], scores: Scores, axis: int) -> tuple[object, int]:
    """What coordinates have in common that are copies of each other, and how coarse each is among these."""
    column = scores.indices[:, axis]
    if scores.combine[axis] != "sum":
        return (scores.combine[axis], scores.lattice.steps[axis], tuple(column.tolist())), 1
    moves = _moves(strata, column)
    size = gcd(*moves.tolist())
    # Nobody moves it: it has no direction, and is nobody's copy.
    if not size:
        return ("still", axis), 1
    sign = _sign(strata, scores, axis)
    return ("sum", tuple((sign * moves // size).tolist())), size


def _moves(strata: Sequence[Stratum], column: IntArray) -> IntArray:
    """The scores less that of each stratum's first value."""
    parts = np.split(column, np.cumsum([len(each.values) for each in strata])[:-1])
    return np.concatenate([part - part[0] for part in parts])


def _sign(strata: Sequence[Stratum], scores: Scores, axis: int) -> int:
    """Of the first score that differs from its stratum's first; 1 for extremes."""
    if scores.combine[axis] != "sum":
        return 1
    moves = _moves(strata, scores.indices[:, axis])
    moved = moves[moves != 0]
    return int(np.sign(moved[0])) if len(moved) else 1


@final
@dataclass(frozen=True)
class Implied:
    """An answer that is (times · (the answer in a column) + plus) / over, each in steps of its own lattice.

    Of twenty people those that are well are (-1 · those that are ill + 20) / 1.

    The ill are 3, or 7, of twenty: the well are 17, or 13. An answer in pairs exists at even numbers only.

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
        """Its values (points,) from the others' (points, columns), and where these are whole: elsewhere no records have
        such answers."""
        found = self.times * points[:, self.column] + self.plus
        return found // self.over, np.asarray(found % self.over == 0)


def distinct(joint: Joint, scores: Scores, kept: int = 0) -> tuple[list[int], dict[int, Implied]]:
    """The coordinates that no earlier one implies, or are among the first `kept`; the others as functions of these.

    One that only several together imply is distinct: its law has an axis more, and is refused where that is too large.
    """
    own = of_those_here(joint, scores)
    copies = proportional(joint.strata(), own, joint.total(Extents(own.indices, own.combine))).copies
    chosen: list[int] = []
    first: dict[int, int] = {}
    implied: dict[int, Implied] = {}
    for axis, copy in enumerate(copies):
        # Answers that go out are kept, whatever else implies them; what is only known may be implied.
        if axis >= kept and copy.axis in first:
            column = first[copy.axis]
            implied[axis] = _implied(copy, copies[chosen[column]], column)
        else:
            first.setdefault(copy.axis, len(chosen))
            chosen.append(axis)
    return chosen, implied


def of_those_here(joint: Joint, scores: Scores) -> Scores:
    """The scores, but 0 of strata that have nobody: a part of a law keeps the strata of the whole. Else a ward with
    nobody in it would keep two counts apart that are equal on all who are there."""
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
        found[:, axis], integral = each.at(points)
        there &= integral
    return found, there


@final
@dataclass(frozen=True)
class Marginal:
    """The law of one coordinate of the exact answer: name; masses (points,) from the lattice index `start` on, in
    proportion to the probabilities; step: of the lattice."""

    name: str
    start: int
    masses: Array
    step: Fraction


def copies_of(
    marginals: Sequence[Marginal], proportional: ProportionalAnswers, names: Sequence[str]
) -> Iterator[Marginal]:
    """The laws of all coordinates from those of the distinct ones."""
    for name, copy in zip(names, proportional.copies, strict=True):
        law = marginals[copy.axis]
        stride = int(copy.multiple * law.step / copy.step)
        masses = np.zeros((len(law.masses) - 1) * abs(stride) + 1)
        masses[:: abs(stride)] = law.masses if stride > 0 else law.masses[::-1]
        end = law.start if stride > 0 else law.start + len(law.masses) - 1
        yield Marginal(name, int(copy.of(end * law.step) / copy.step), masses, copy.step)


def marginals_of(subject: Subject, law: Law, lattice: Lattice, names: Sequence[str]) -> Iterator[Marginal]:
    """Each coordinate's own law, whatever the subject's secret."""
    masses = np.exp(law.base + log_mix(subject.log_prior, law.relative))
    for axis, (name, step) in enumerate(zip(names, lattice.steps, strict=True)):
        others = tuple(other for other in range(masses.ndim) if other != axis)
        yield Marginal(name, law.start[axis], np.asarray(np.sum(masses, axis=others)), step)


def marginal_of_sum(joint: Joint, scores: Scores, extent: Extent) -> Marginal | None:
    """The law of a single sum, given nothing, from one transform: probabilities to a double's absolute accuracy,
    which decide no privacy; of WIDE ranges only where it usually lies, as all else has less than such a probability.
    None for several coordinates, extremes, and sums that even so have too many points."""
    if not scores.additive or scores.lattice.axes > 1:
        return None
    flat, low, length = scores.indices[:, 0], extent.low[0], extent.high[0] - extent.low[0] + 1
    start, points = low, length + length % 2
    # A sum over 10^6 people has 10^6 answers, and nearly all of its law within some thousands.
    # Answers from which only those near the mean are looked at: below it all of them take a millisecond.
    if length >= (1 << 15):
        start, points = _usual(joint, scores, extent)
    # Of a law that is computed for advice only, which may be left out.
    if points > 1 << 22:
        return None
    values = joint.total(Evaluations(flat, 0.0, points, {}))
    masses = np.maximum(tilted_law(values, points, start)[0], 0.0)
    first, last = max(start, low), min(start + points, low + length)
    return Marginal(scores.names[0], first, masses[first - start : last - start], scores.lattice.steps[0])


def _usual(joint: Joint, scores: Scores, extent: Extent) -> tuple[int, int]:
    """The first point, and how many, of a window around the mean with all of the law but what wraps around."""
    flat = scores.indices[:, 0]

    def cumulant_at(tilt: float) -> Cumulant:
        return joint.total(Cumulants(flat, tilt))

    middle, length = Tilt(0.0, cumulant_at(0.0)), extent.high[0] - extent.low[0] + 1
    points, _ = circle(cumulant_at, middle, 0, length)
    return (extent.low[0], length + length % 2) if points >= length else (round(middle.here.mean) - points // 2, points)


def law_of_counted(joint: Joint, scores: IntArray, counts: IntArray, subject: Subject) -> Law:
    """Given each secret of the subject, which are the possible numbers in rising order.

    scores (slots, axes), counts (slots,): what a record adds to the answer and to the number. TooLarge where both
    together have too many values.
    """
    both = np.column_stack([scores, counts])
    box = joint.total(Extents(both))
    copied = _copied(joint, scores, counts)
    cells = len(subject.secrets) * prod(high - low + 1 for low, high in zip(box.low[:-1], box.high[:-1], strict=True))
    # How many are ill, as the secret, beside an answer about incomes: a box of both.
    if cells > 1 << 24:
        size = f"{cells:.2g} values of the answer and of {subject.what} together"
        raise TooLarge("the law of the secret", size, "use any member V or all members V, or fewer people")
    # The answer is the number itself, as a count of the ill is: no second coordinate is needed.
    if copied:
        return _known(joint, scores, copied, len(subject.secrets))
    grid = joint.total(Coefficients(both))
    mantissa, exponent = grid.split()
    rows = np.flatnonzero(mantissa.reshape(-1, mantissa.shape[-1]).any(axis=0))
    start = grid.start[:-1]
    slices = [ScaledGrid(start, mantissa[..., row], exponent[..., row], grid.roundings) for row in rows.tolist()]
    law = law_of(slices)
    prior = subject.log_prior.reshape(-1, *(1,) * (law.relative.ndim - 1))
    depth = float(np.max(np.abs(prior)))
    return replace(law, relative=law.relative - prior, error=law.error + (grid.roundings + 8 * depth + 8) * UNIT)


def _copied(joint: Joint, scores: IntArray, counts: IntArray) -> int:
    """1 where one answer rises with the number, whatever the records, -1 where it falls; 0 where neither is so."""
    if scores.shape[1] > 1:
        return 0
    first, ratios = 0, set()
    for stratum in joint.strata():
        own = slice(first, first := first + len(stratum.values))
        moves = zip((scores[own, 0] - scores[own, 0][0]).tolist(), (counts[own] - counts[own][0]).tolist(), strict=True)
        ratios |= {_ratio(move, count) for move, count in moves if move or count}
    return int(np.sign(next(iter(ratios)))) if len(ratios) == 1 else 0


def _ratio(move: int, count: int) -> float:
    """How far the answer moves for each step of the number; 0 where the number stays."""
    return move / count if count else 0.0


def _known(joint: Joint, scores: IntArray, rising: int, secrets: int) -> Law:
    """Every number has one answer.

    The law given each number where every number has one answer: certain, at its own place.
    """
    grid = joint.total(Coefficients(scores))
    points = np.flatnonzero(grid.mantissa)
    assert len(points) == secrets
    relative = np.full((secrets, grid.mantissa.size), -np.inf)
    relative[np.arange(secrets), points[::rising]] = 0.0
    return Law(grid.start, np.zeros(grid.mantissa.size), relative, 0.0)
