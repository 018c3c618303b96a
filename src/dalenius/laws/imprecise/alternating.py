"""Chains of two values in which a 1 makes the next record less likely to be 1, under every law of the set.

Of such chains the worst outputs of one side of a record are known: far above or far below all answers. What each side
does there is bounded with one sign for all its records, and the two are never taken at different outputs (Result
21.38).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.sides import CLOSE, WIDER, Sides, swept
from dalenius.laws.law import Array

OFF = 64 * UNIT


@final
@dataclass(frozen=True)
class Range:
    """Ends of the log-ratio of messages given 1 and given 0."""

    lower: float
    upper: float


def alternates(boxes: Boxes, scores: Sequence[Array]) -> bool:
    """Whether a 1 is never followed by a 1 more often than a 0 is, and all records' values are as far apart in the
    answer: scores, by stratum, (2, axes)."""
    if boxes.size != 2 or len({tuple((each[1] - each[0]).tolist()) for each in scores}) > 1:
        return False
    one = boxes.rows[..., 1]
    return bool((one[:, 1, 1] <= one[:, 0, 0]).all())


def follows(boxes: Boxes, scores: Sequence[Array]) -> bool:
    """Whether a 1 is never followed by a 1 less often than a 0 is, and all records' values differ in one direction:
    the worst outputs of both sides then lie on one side of all answers. scores, by stratum, (2, axes)."""
    steps = np.array([each[1] - each[0] for each in scores])
    one = boxes.rows[..., 1]
    return bool((one[:, 0, 1] >= one[:, 1, 0]).all() and ((steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)).all())


def ahead_at(boxes: Boxes, tilts: Array) -> Sides[Range]:
    """By record, of all after it, where an output lies far outside all answers: tilts (n,), the nats from the noise's
    density at a record's first value to that at its second. Exact, as each row is chosen alone."""
    keys = list(zip(boxes.which[::-1].tolist(), tilts[:0:-1].tolist(), strict=True))

    def step(before: Range, i: int) -> Range:
        which, own = keys[i]
        rows = boxes.rows[which, :, :, 1]
        found = [
            float(np.logaddexp(np.log1p(-p), np.log(p) + tilt) - np.logaddexp(np.log1p(-q), np.log(q) + tilt))
            for tilt in (before.lower + own, before.upper + own)
            for p, q in product(rows[:, 1], rows[:, 0])
        ]
        off = OFF * (1 + abs(own))
        return Range(min(found) - off, max(found) + off)

    def settled(old: Range, new: Range, i: int) -> Range | None:
        if max(abs(old.lower - new.lower), abs(old.upper - new.upper)) > CLOSE:
            return None
        wide = Range(min(old.lower, new.lower) - WIDER, max(old.upper, new.upper) + WIDER)
        after = step(wide, i)
        return wide if after.lower >= wide.lower and after.upper <= wide.upper else None

    found = swept(Range(0.0, 0.0), keys, step, settled)
    return Sides(found.states, found.at[::-1].copy())


def beside(own: float, above: tuple[Array, Array], below: tuple[Array, Array]) -> tuple[Array, Array]:
    """At most how far the likelihood given 1 is above that given 0, and the other way round, in nats: from the ends
    (lower, upper) of one side's log-ratio at outputs far above and far below. Either side gives such a bound."""
    raised = np.maximum(own + above[1], below[1])
    lowered = np.maximum(own - below[0], -above[0])
    return np.maximum(raised, 0.0), np.maximum(lowered, 0.0)
