"""A network's sum under a tilt: the network that weighs every assignment by e^{θ·sum}, and its transform.

Messages inwards say what a tilt makes of each table: Pr[value | boundary]·e^{θ·score} times what comes from below, over
its sum. So the tilted law is a network again. A transform's messages in it never leave the unit circle, and the
log-mass is the sum of the logs of the divisors. Messages outwards are joint with a boundary's state, so that nothing is
divided: E[e^{iω·(sum of all beyond)}; boundary].
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.joints.clique_classes import CliqueClasses, Inward, Outward
from dalenius.joints.extended_precision import ROUNDING, ComplexLong, Long, long, turned

_AT_ONCE: Final = 1 << 16
"""Complex numbers that are multiplied at once: few enough for a processor's cache."""
_ROUNDINGS: Final = 40
"""Roundings of a node beside one for each state of its clique: its table, its phase, and its products."""

Waves: TypeAlias = tuple[IntArray, ComplexLong]
"""Numbers of some classes, and the transform joint with each value of theirs (classes, k, T, frequencies)."""


@final
@dataclass(frozen=True, eq=False)
class NetworkSum:
    """One sum over a network.

    Attributes:
        classes: The classes of the network's nodes.
        least: The lattice index of the sum of all least scores.
        stride: How many lattice indices make a step.
        scores: The scores (nodes, k) in steps; 0 behind the last value of a node.
    """

    classes: CliqueClasses
    least: int
    stride: int
    scores: IntArray

    @cached_property
    def most(self) -> int:
        """The largest sum, if all nodes have their largest scores; the least is 0."""
        return int(self.scores.max(axis=1).sum())

    @property
    def states(self) -> int:
        return int(self.scores.shape[1])

    @property
    def looked_at(self) -> int:
        return 33

    @property
    def rounded(self) -> float:
        """Relative error of a product over all nodes, beside its size at frequency 0."""
        return (self.classes.nodes + 64) * (self.classes.widest + _ROUNDINGS) * ROUNDING

    def moments(self, tilts: Array) -> tuple[Array, Array, Array]:
        with np.errstate(all="ignore"):
            walk = _Walk(self, tilts, np.float64, moments=True)
        # Because windows are far from sums that doubles do not resolve, any number serves there.
        mean, variance = np.nan_to_num(walk.mean), np.nan_to_num(walk.variance)
        return mean, np.maximum(variance, 1e-12), walk.log_mass.astype(np.float64)

    def log_masses(self, tilts: Array) -> tuple[Long, float]:
        with np.errstate(all="ignore"):
            logs = long(_Walk(self, tilts, np.longdouble).log_mass)
        return logs, self.mass_error(tilts, logs)

    def mass_error(self, tilts: Array, logs: Long) -> float:
        """Bounds by how many nats each log-mass may be off.

        Args:
            tilts: θ for each step of the sum (T,).
            logs: The log-masses at these tilts, in nats (T,).
        """
        deepest = float(np.max(np.abs(logs))) + float(np.max(np.abs(tilts))) * self.most
        return self.rounded + 16 * ROUNDING * deepest

    def attainable(self, below: int) -> tuple[IntArray, IntArray]:
        """The sums under `below` that some assignment has; and the distances from `most` under it."""
        # Bits of whole numbers: a set of sums is shifted by a score, sets are joined, and added.
        found, mask, top = [], (1 << below) - 1, self.classes.scores
        for scores in (top, top.max(axis=1, keepdims=True) - top):
            reached = [1] * self.classes.messages
            for group in self.classes.inward:
                for place in range(len(group.shapes)):
                    _reach(self, group, place, scores[group.scores[place]].tolist(), reached, mask)
            every = reached[self.classes.inward[-1].out[0, 0]]
            found.append(np.array([v for v in range(below) if every >> v & 1], dtype=np.int64))
        return found[0], found[1]


def steps_of(scores: IntArray) -> tuple[IntArray, int, int]:
    """Returns the `scores` of nodes (nodes, k), in lattice indices, as steps of the sum.

    Args:
        scores: What each value of a node adds to the sum, in lattice indices (nodes, k).

    Returns:
        The scores in steps, the least of each node being 0; how many lattice indices a step has, 0 where nothing moves
        the sum; and the index of the least sum.
    """
    low = scores.min(axis=1)
    stride = gcd(*np.unique(scores - low[:, None]).tolist())
    return (scores - low[:, None]) // max(stride, 1), stride, int(low.sum())


def _reach(total: NetworkSum, group: Inward, place: int, scores: list[int], reached: list[int], mask: int) -> None:
    """The sums that a subtree can have given each state of its boundary, as bits."""
    layout = group.layout
    own = [1 << scores[value] for value in layout.value.states.tolist()]
    for rows, counts in group.below:
        for state, row in enumerate(rows[place].tolist()):
            for _ in range(1 if counts is None else int(counts[place])):
                sums = _added(own[state], reached[row], mask)
                # Children that are alike add nothing new once all small sums are there.
                if sums == own[state]:
                    break
                own[state] = sums
    solid = (total.classes.tables[group.tables[place]] > 0).tolist()
    core = layout.core.states.tolist()
    for row in range(layout.boundary):
        sums = 0
        for cell in range(row * layout.values, (row + 1) * layout.values):
            sums |= own[core[cell]] if solid[cell] else 0
        reached[int(group.out[place, row])] = sums


def _added(one: int, other: int, mask: int) -> int:
    """All sums of one of each."""
    if other.bit_count() > one.bit_count():
        one, other = other, one
    found = 0
    while other:
        found |= one << (other & -other).bit_length() - 1
        other &= other - 1
    return found & mask


@final
@dataclass(frozen=True, eq=False)
class TiltedNetwork:
    """One sum at T tilts. tables (cells, T): Pr[value | boundary] of the tilted law; log_mass (T,): log E[e^{θ·sum}];
    sound: whether all chances are numbers."""

    total: NetworkSum
    tilts: Array
    tables: Long
    log_mass: Long
    sound: bool

    @classmethod
    def of(cls, total: NetworkSum, tilts: Array) -> "TiltedNetwork":
        """Weighs the `total`, a sum over a network, at these `tilts` for each of its steps (T,)."""
        with np.errstate(all="ignore"):
            walk = _Walk(total, tilts, np.longdouble, tables=True)
        assert walk.tables is not None
        return cls(total, tilts, walk.tables, walk.log_mass, walk.sound)

    @property
    def mass_error(self) -> float:
        return self.total.mass_error(self.tilts, self.log_mass)

    def waves(
        self,
        some: slice,
        places: IntArray,
        points: int,
        wanted: Collection[int] | None = None,
        kind: type = np.clongdouble,
    ) -> Iterator[Waves]:
        """The transform joint with each value, E[e^{iω·sum}; value], at some tilts and the frequencies 2π·place/points.

        Args:
            some: Which tilts.
            places: The frequencies.
            points: How many the circle has.
            wanted: Which classes; None for all.
            kind: Of complex numbers: extended ones, or doubles.
        """
        classes = self.total.classes
        shape = len(self.tilts[some]), len(places)
        phases: Any = turned(classes.scores[..., None] * places, points).astype(kind)
        tables = self.tables[:, some].astype(phases.real.dtype)
        messages: Any = np.empty((classes.messages, *shape), dtype=kind)
        for group in classes.inward:
            for part in _parts(len(group.shapes), group, shape):
                _carry_in(group, part, tables, phases, messages)
        needed, shown = self._needed(wanted)
        into: Any = np.ones((1, *shape), dtype=kind)
        first = 0
        for level in classes.outward:
            last = max(int(np.max(group.into)) for group in level) + 1
            inner = [_fewer(group, needed) for group in level]
            below = sum(int(classes.widths[child].sum()) for group in level for child in group.children)
            further: Any = np.empty((below, *shape), dtype=kind)
            for own in inner:
                for part in _parts(len(own.classes), own.inward, shape):
                    found = _carry_out(own, part, tables, phases, messages, into, further, classes, (first, last))
                    if found is not None and shown[found[0]].any():
                        chosen = shown[found[0]]
                        yield found[0][chosen], found[1][chosen]
            into, first = further, last

    def _needed(self, wanted: Collection[int] | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Classes on the way to those that are wanted, and these."""
        parents, shown = self.total.classes.parents, np.zeros(len(self.total.classes.parents), dtype=np.bool_)
        shown[list(wanted) if wanted is not None else slice(1, None)] = True
        needed = shown.copy()
        for number in range(len(parents) - 1, 0, -1):
            if needed[number]:
                needed[parents[number]] = True
        return needed, shown


@final
class _Walk:
    """Messages inwards at T tilts, without phases. mean, variance (T,): of the tilted sum, where they are asked for."""

    def __init__(
        self, total: NetworkSum, tilts: Array, kind: type, tables: bool = False, moments: bool = False
    ) -> None:
        classes, count = total.classes, len(tilts)
        self._classes, self._moments = classes, moments
        weights: Any = classes.scores[..., None].astype(kind) * tilts.astype(kind)
        self._tops = weights.max(axis=1)
        self._factors = np.exp(weights - self._tops[:, None])
        self._plain: Any = classes.tables.astype(kind)
        self._messages: Any = np.empty((classes.messages, count), dtype=kind)
        spread = (classes.messages if moments else 0, count)
        self._means: Any = np.empty(spread, dtype=kind)
        self._variances: Any = np.empty(spread, dtype=kind)
        self.tables = np.empty((len(classes.tables), count), dtype=np.longdouble) if tables else None
        self._logs: Any = np.zeros((classes.shapes, count), dtype=kind)
        self._owner = np.empty(classes.messages, dtype=np.int64)
        self.sound = True
        for group in classes.inward:
            for part in _parts(len(group.shapes), group, (count, 1)):
                self._carry(group, part)
        last = classes.inward[-1]
        self.log_mass = self._logs[last.shapes[0]]
        self.sound = self.sound and bool(np.isfinite(self.log_mass).all())
        if moments:
            self.mean, self.variance = (
                each[last.out[0, 0]].astype(np.float64) for each in (self._means, self._variances)
            )

    def _carry(self, group: Inward, part: slice) -> None:
        layout, scores = group.layout, group.scores[part]
        own, log = self._factors[scores][:, layout.value.states], self._tops[scores]
        for rows, counts in group.below:
            each = self._messages[rows[part]]
            own = own * (each if counts is None else each ** counts[part, None, None])
            # So that a hub of 10^5 leaves stays within the range of numbers.
            top = own.max(axis=1)
            own = own / top[:, None]
            often = 1 if counts is None else counts[part, None]
            log = log + np.log(top) + often * self._logs[self._owner[rows[part, 0]]]
        plain = self._plain[group.tables[part]]
        size = (len(plain), layout.boundary, layout.values)
        raw = plain[..., None] * own[:, layout.core.states]
        sums = raw.reshape(*size, -1).sum(axis=2)
        possible = np.asarray(plain.reshape(size).any(axis=2))
        # A chance that left the range of numbers is no longer what is impossible.
        self.sound = self.sound and bool(((sums > 0) == possible[..., None]).all())
        scale = sums.max(axis=1)
        self._messages[group.out[part]] = sums / scale[:, None]
        self._logs[group.shapes[part]] = log + np.log(scale)
        self._owner[group.out[part]] = group.shapes[part][:, None]
        if self.tables is None and not self._moments:
            return
        found = raw.reshape(*size, -1) / np.where(sums > 0, sums, 1)[:, :, None]
        if self.tables is not None:
            self.sound = self.sound and bool(((raw > 0) == (plain > 0)[..., None]).all())
            self.tables[group.tables[part]] = found.reshape(raw.shape)
        if self._moments:
            self._spread(group, part, found)

    def _spread(self, group: Inward, part: slice, chances: Array) -> None:
        """Mean and variance of a subtree's sum given each state of its boundary."""
        layout = group.layout
        mean = self._classes.scores[group.scores[part]][:, layout.value.states][..., None] * np.ones(chances.shape[-1])
        variance = np.zeros_like(mean)
        for rows, counts in group.below:
            often = 1 if counts is None else counts[part, None, None]
            mean = mean + often * self._means[rows[part]]
            variance = variance + often * self._variances[rows[part]]
        mean, variance = (each[:, layout.core.states].reshape(chances.shape) for each in (mean, variance))
        middle = (chances * mean).sum(axis=2)
        self._means[group.out[part]] = middle
        self._variances[group.out[part]] = (chances * (variance + (mean - middle[:, :, None]) ** 2)).sum(axis=2)


def _parts(count: int, group: Inward, shape: tuple[int, int]) -> Iterator[slice]:
    """Yields slices of at most as many rows as fit a cache."""
    layout = group.layout
    cells = max(len(layout.core.states), layout.core.count) * (2 + len(layout.below)) * shape[0] * shape[1]
    size = max(1, _AT_ONCE // cells)
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def _times(real: Long, waves: ComplexLong) -> Long:
    """Real numbers (.., T) times complex ones (.., T, frequencies), as pairs of real ones."""
    return np.asarray(real[..., None] * waves.view(waves.real.dtype))


def _power(waves: ComplexLong, counts: IntArray | None) -> ComplexLong:
    """To the power of whole numbers, one for each row, by squaring."""
    if counts is None:
        return waves
    found, rest = np.ones_like(waves), counts.copy()
    while rest.any():
        odd = rest % 2 == 1
        found[odd] = found[odd] * waves[odd]
        rest //= 2
        if rest.any():
            waves = waves * waves
    return found


def _carry_in(group: Inward, part: slice, tables: Long, phases: ComplexLong, messages: ComplexLong) -> None:
    """Messages of some shapes: E[e^{iω·(sum of the subtree)} | boundary]."""
    layout = group.layout
    own = phases[group.scores[part]][:, layout.value.states][:, :, None]
    for rows, counts in group.below:
        own = own * _power(messages[rows[part]], None if counts is None else counts[part])
    own = np.broadcast_to(own, (*own.shape[:2], *messages.shape[1:]))
    found, cells = None, layout.core.states.reshape(layout.boundary, layout.values)
    shown = tables[group.tables[part]].reshape(-1, layout.boundary, layout.values, tables.shape[1])
    for value in range(layout.values):
        each = _times(shown[:, :, value], np.ascontiguousarray(own[:, cells[:, value]]))
        found = each if found is None else found + each
    assert found is not None
    messages[group.out[part]] = found.view(messages.dtype)


def _fewer(group: Outward, needed: NDArray[np.bool_]) -> Outward:
    kept = needed[group.classes]
    if kept.all():
        return group
    return Outward(
        group.inward,
        group.classes[kept],
        group.place[kept],
        group.into[kept],
        tuple(each[kept] for each in group.children),
    )


def _carry_out(
    group: Outward,
    part: slice,
    tables: Long,
    phases: ComplexLong,
    messages: ComplexLong,
    into: ComplexLong,
    further: ComplexLong,
    classes: CliqueClasses,
    rows: tuple[int, int],
) -> Waves | None:
    """Messages from some classes to their children, into `further`; and the transform joint with their values. rows: of
    all messages outwards, the first of `into` and the first of `further`."""
    inner, place = group.inward, group.place[part]
    layout, first, last = inner.layout, rows[0], rows[1]
    shown = tables[inner.tables[place]].reshape(-1, layout.boundary, layout.values, tables.shape[1])
    beyond = _times(shown, into[group.into[part] - first][:, :, None]).view(messages.dtype)
    beyond = beyond.reshape(len(beyond), -1, *beyond.shape[3:])
    joint = layout.core(beyond)
    joint = joint * phases[inner.scores[place]][:, layout.value.states][:, :, None]
    below = [(messages[own[place]], None if counts is None else counts[place]) for own, counts in inner.below]
    # Because a factor may be 0, the product without it is made by multiplying, never by dividing.
    after = [joint]
    for waves, counts in reversed(below):
        after.append(after[-1] * _power(waves, counts))
    before = None
    for number, (waves, counts) in enumerate(below):
        others = after[len(below) - 1 - number]
        if before is not None:
            others = others * before
        if counts is not None:
            others = others * _power(waves, counts - 1)
        gather = layout.below[number]
        out = classes.into[group.children[number][part]] - last
        further[out[:, None] + np.arange(gather.count)] = gather(others)
        own = _power(waves, counts)
        before = own if before is None else before * own
    return group.classes[part], layout.value(after[-1])
