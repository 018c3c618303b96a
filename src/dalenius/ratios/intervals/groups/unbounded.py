"""Where products of two quotients have no bound over a box of laws: exact answers that some law rules out."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.box import Box
from dalenius.laws.law import Array
from dalenius.ratios.intervals.groups.quotients import Quotients


@final
@dataclass(frozen=True)
class Bounds:
    """endless: the problems whose logs grow beyond all bounds within the box; bounded: those that certainly have one
    and are not -inf throughout; of what is neither nothing is known."""

    endless: NDArray[np.bool_]
    bounded: NDArray[np.bool_]


def bounds_of(box: Box, problems: Quotients) -> Bounds:
    """Of every problem."""
    each = [_bound(box, problems[[number]]) for number in range(len(problems))]
    return Bounds(np.array([one for one, _ in each], dtype=bool), np.array([other for _, other in each], dtype=bool))


def _bound(box: Box, problem: Quotients) -> tuple[bool, bool]:
    above, below, gain, loss = (part[0] for part in problem.parts)
    if not (above * box.upper).any() or not (gain * box.upper).any():
        return False, False
    without = _without(box, loss)
    endless = without is not None and bool(above @ without > 0 and gain @ without > 0)
    if endless:
        return True, False
    return False, _holds(box, gain, loss) or (_holds(box, above, loss) and _holds(box, gain, below))


def _holds(box: Box, over: Array, under: Array) -> bool:
    """Whether over·p / under·p is bounded over the box: over is 0 wherever under is, at its extreme laws."""
    law = _without(box, under)
    return law is None or not bool(over @ law > 0)


def _without(box: Box, costs: Array) -> Array | None:
    """A law of the box of cost 0, under which all is possible that is under any such law; None where there is none."""
    free = costs == 0
    inside = box.among(np.flatnonzero(free)) if free.any() else None
    if inside is None:
        return None
    law = np.zeros(len(box))
    law[free] = inside.point
    return law
