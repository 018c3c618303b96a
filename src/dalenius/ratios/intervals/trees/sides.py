"""Along a whole chain: bounds of both sides' messages at every record, computed once where they have settled."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.trees.boxes import Boxes
from dalenius.ratios.intervals.trees.ratios import after_step, before_step

WIDER: Final = 1e-5
"""Nats by which a bound is made wider to see whether it holds for all later records too."""
CLOSE: Final = 1e-6


@final
@dataclass(frozen=True)
class Sides:
    """states: the distinct bounds; at (n,): which one holds at each record."""

    states: list[Array]
    at: IntArray


def _swept(size: int, keys: Sequence[Hashable], step: Callable[..., Array]) -> Sides:
    """The bounds from one end to the other: step(state, i) is that after step i. Where a step is the same as the one
    before it, and hardly changes them, wider ones may hold until such steps end."""
    states, at, kept = [np.zeros((size, size))], [0], False
    for i, key in enumerate(keys):
        same = i > 0 and keys[i - 1] == key
        if same and kept:
            at.append(at[-1])
            continue
        found = step(states[-1], i)
        after = _kept(states[-1], found, partial(step, i=i)) if same else None
        kept = after is not None
        states.append(found if after is None else after)
        at.append(len(states) - 1)
    return Sides(states, np.array(at, dtype=np.int64))


def ahead(boxes: Boxes, own: Sequence[Array], stratum: IntArray) -> Sides:
    """Bounds of log f(x) - log f(x') (k, k) for f the message of all records after each: own, by stratum, is how far
    the record's own score moves the log-density of the noise, between two values."""
    steps = list(range(len(boxes) - 2, -1, -1))
    keys = [(int(boxes.which[i]), int(stratum[i + 1])) for i in steps]

    def step(far: Array, i: int) -> Array:
        which, place = keys[i]
        low, high = boxes.rows[which]
        return before_step(low, high, far + own[place])

    found = _swept(boxes.size, keys, step)
    return Sides(found.states, found.at[::-1].copy())


def behind(boxes: Boxes, own: Sequence[Array], stratum: IntArray) -> Sides:
    """The same of all records before each, given it: for any number of values."""
    keys = [(int(which), int(stratum[i]), boxes.priors[i].tobytes()) for i, which in enumerate(boxes.which)]

    def step(far: Array, i: int) -> Array:
        which, place, _ = keys[i]
        low, high = boxes.priors[i]
        least, most = boxes.rows[which]
        return after_step((low, high), least, most, far + own[place])

    return _swept(boxes.size, keys, step)


def _kept(old: Array, new: Array, step: Callable[[Array], Array]) -> Array | None:
    if np.abs(new - old).max() > CLOSE:
        return None
    wide = np.maximum(old, new) + WIDER * (1 - np.eye(len(old)))
    return wide if (step(wide) <= wide).all() else None


def places_of(sides: Sequence[IntArray]) -> list[int]:
    """The first of every class of records with the same bounds, of each side."""
    rows = np.stack(sides, axis=1)
    return sorted(np.unique(rows, axis=0, return_index=True)[1].tolist())
