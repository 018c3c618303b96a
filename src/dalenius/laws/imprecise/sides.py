"""Along a whole chain: bounds of both sides' messages at every record, computed once where they have settled."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, final

import numpy as np

from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.past import Bounds, Cells, Step, cells_over, slopes_of
from dalenius.laws.imprecise.ratios import after_step, before_step
from dalenius.laws.law import Array, IntArray

State = TypeVar("State")
Slopes = tuple[Array, Array]
WIDER: Final = 1e-5
"""Nats by which a bound is made wider to see whether it holds for all later records too."""
CLOSE: Final = 1e-6
SAME: Final = 1e-4
"""Slopes of lines that have changed by no more in a step are taken for those of the next."""
FINE: Final = 12
"""Up to so many different steps, cells are many."""
SHORT: Final = 32
FINEST: Final = (200, 64)
"""Cells, and pieces of a side of a step's box: of a chain of few records."""
FINER: Final = (100, 16)
ROUGH: Final = (52, 8)


@final
@dataclass(frozen=True)
class Sides(Generic[State]):
    """states: the distinct bounds; at (n,): which one holds at each record."""

    states: list[State]
    at: IntArray


def swept(
    start: State,
    keys: Sequence[Hashable],
    step: Callable[[State, int], State],
    settled: Callable[[State, State, int], State | None],
) -> Sides[State]:
    """The bounds from one end to the other: step(state, i) is that after step i. Where a step is the same as the one
    before it, settled(before, after, i) may give a bound that all such steps keep, which then holds until they end."""
    states, at, kept = [start], [0], False
    for i, key in enumerate(keys):
        same = i > 0 and keys[i - 1] == key
        if same and kept:
            at.append(at[-1])
            continue
        found = step(states[-1], i)
        after = settled(states[-1], found, i) if same else None
        kept = after is not None
        states.append(found if after is None else after)
        at.append(len(states) - 1)
    return Sides(states, np.array(at, dtype=np.int64))


def ahead(boxes: Boxes, own: Sequence[Array], stratum: IntArray) -> Sides[Array]:
    """Bounds of log f(x) - log f(x') (k, k) for f the message of all records after each: own, by stratum, is how far
    the record's own score moves the log-density of the noise, between two values."""
    steps = list(range(len(boxes) - 2, -1, -1))
    keys = [(int(boxes.which[i]), int(stratum[i + 1])) for i in steps]

    def step(far: Array, i: int) -> Array:
        which, place = keys[i]
        low, high = boxes.rows[which]
        return before_step(low, high, far + own[place])

    found = swept(np.zeros((boxes.size,) * 2), keys, step, lambda old, new, i: _kept(old, new, lambda w: step(w, i)))
    return Sides(found.states, found.at[::-1].copy())


def behind(boxes: Boxes, own: Sequence[Array], stratum: IntArray) -> Sides[Array]:
    """The same of all records before each, given it: for any number of values."""
    keys = [(int(which), int(stratum[i]), boxes.priors[i].tobytes()) for i, which in enumerate(boxes.which)]

    def step(far: Array, i: int) -> Array:
        which, place, _ = keys[i]
        low, high = boxes.priors[i]
        least, most = boxes.rows[which]
        return after_step((low, high), least, most, far + own[place])

    return swept(np.zeros((boxes.size,) * 2), keys, step, lambda old, new, i: _kept(old, new, lambda w: step(w, i)))


def _kept(old: Array, new: Array, step: Callable[[Array], Array]) -> Array | None:
    if np.abs(new - old).max() > CLOSE:
        return None
    wide = np.maximum(old, new) + WIDER * (1 - np.eye(len(old)))
    return wide if (step(wide) <= wide).all() else None


@final
class Pasts:
    """Of a chain of two values: the past's messages by the record's own law. own, by stratum, as above."""

    def __init__(self, boxes: Boxes, stratum: IntArray) -> None:
        self._boxes, self._stratum = boxes, stratum
        one = boxes.priors[:, :, 1]
        self._ranges = one
        later = np.stack([np.minimum.accumulate(one[::-1, 0])[::-1], np.maximum.accumulate(one[::-1, 1])[::-1]], axis=1)
        self._later = later
        cuts = tuple(dict.fromkeys(one[0].tolist()))
        few = len(boxes.rows) <= FINE
        count, self._pieces = (FINEST if len(boxes) <= SHORT else FINER) if few else ROUGH
        self.cells: Cells = cells_over(float(one[:, 0].min()), float(one[:, 1].max()), cuts, count)
        self._steps: dict[int, Step] = {}
        self._few = few
        self._keys = [(int(which), int(stratum[i])) for i, which in enumerate(boxes.which)]

    def bounds(self, own: Sequence[tuple[float, float]]) -> Sides[Bounds]:
        """At every record; own: by stratum, the least and the most that its score moves the log-density from the first
        value to the second."""

        def after(kernel: Step, i: int, before: Bounds, slopes: Slopes) -> Bounds:
            return kernel.after(before, own[self._keys[i][1]], slopes)

        return self._swept(self._keys, after)

    def apart(self, own: float, floors: Sequence[tuple[float, float]]) -> Sides[Bounds]:
        """The same of records whose scores move it by own, where the output raises the chance of one value throughout;
        floors: by record after the first, what above and below are at least, in nats from 0."""

        def after(kernel: Step, i: int, before: Bounds, slopes: Slopes) -> Bounds:
            return _raised(kernel.apart(before, own, slopes), self.cells, *floors[i])

        keys = [(which, *each) for (which, _), each in zip(self._keys, floors, strict=True)]
        return self._swept(keys, after)

    def _swept(self, keys: Sequence[Hashable], after: Callable[[Step, int, Bounds, Slopes], Bounds]) -> Sides[Bounds]:
        def step(before: Bounds, i: int) -> Bounds:
            kernel = self._step(self._keys[i][0])
            slopes = slopes_of(self.cells, before.above), slopes_of(self.cells, before.below)
            if not _alike(slopes[0], before.above_slope) or not _alike(slopes[1], before.below_slope):
                rough = after(kernel, i, before, slopes)
                slopes = slopes_of(self.cells, rough.above), slopes_of(self.cells, rough.below)
            return self._clipped(after(kernel, i, before, slopes), self._ranges[i + 1])

        def settled(old: Bounds, new: Bounds, i: int) -> Bounds | None:
            if not _near(old, new):
                return None
            wide = Bounds(old.above + WIDER, old.above_slope, old.below - WIDER, old.below_slope)
            found = after(self._step(self._keys[i][0]), i, wide, (wide.above_slope, wide.below_slope))
            found = self._clipped(found, self._later[i + 1])
            held = (found.above <= wide.above).all() and (found.below >= wide.below).all()
            alike = (found.above_slope == wide.above_slope) & (found.below_slope == wide.below_slope)
            return wide if held and (alike | ~wide.reached).all() else None

        return swept(self.cells.start(*self._ranges[0]), keys, step, settled)

    def _step(self, which: int) -> Step:
        if which in self._steps:
            return self._steps[which]
        low, high = self._boxes.rows[which][:, :, 1]
        made = Step(self.cells, (low[1], high[1]), (low[0], high[0]), self._pieces)
        if self._few:
            self._steps[which] = made
        return made

    def _clipped(self, bounds: Bounds, between: Array) -> Bounds:
        there = self.cells.within(*between)
        above = np.where(there, bounds.above, -np.inf)
        return Bounds(above, bounds.above_slope, np.where(there, bounds.below, np.inf), bounds.below_slope)


def _raised(bounds: Bounds, cells: Cells, up: float, down: float) -> Bounds:
    """Where a line is below its floor in part of a cell, it is level, and nowhere below that floor."""
    half = (cells.high - cells.low) / 2
    room, depth = np.abs(bounds.above_slope) * half, np.abs(bounds.below_slope) * half
    above, below = bounds.above - room < up, bounds.below + depth > -down
    return Bounds(
        np.where(above & bounds.reached, np.maximum(bounds.above + room, up), bounds.above),
        np.where(above, 0.0, bounds.above_slope),
        np.where(below & bounds.reached, np.minimum(bounds.below - depth, -down), bounds.below),
        np.where(below, 0.0, bounds.below_slope),
    )


def _alike(slopes: Array, others: Array) -> bool:
    return bool(np.abs(slopes - others).max() <= SAME)


def _near(old: Bounds, new: Bounds) -> bool:
    there = old.reached
    if (there != new.reached).any():
        return False
    moved = np.abs(old.above[there] - new.above[there]), np.abs(old.below[there] - new.below[there])
    return bool(max(each.max(initial=0.0) for each in moved) <= CLOSE)


def places_of(sides: Sequence[IntArray]) -> list[int]:
    """The first of every class of records with the same bounds, of each side."""
    rows = np.stack(sides, axis=1)
    return sorted(np.unique(rows, axis=0, return_index=True)[1].tolist())


def inner_of(sides: Sequence[IntArray]) -> list[int]:
    """The one that is nearest to the middle, of every such class: a law leaks most where most records are around."""
    count = len(sides[0])
    order = np.argsort(np.abs(2 * np.arange(count) + 1 - count), kind="stable")
    return sorted(order[places_of([side[order] for side in sides])].tolist())
