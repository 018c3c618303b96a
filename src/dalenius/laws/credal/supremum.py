"""The supremum of what outputs leak over all laws of a credal set, enclosed by branch and bound (Result 21.3).

Let c be the first quotient of a law p, so that (above - c below)·p = 0. Then the product of both exceeds T only if, for
every number ν, c gain·p - T loss·p + ν (above - c below)·p > 0. At a fixed ν the most of that over the set is one
greedy filling, and convex in c: where it is at most 0 at both ends of an interval of c, no law whose first quotient
lies there exceeds T. Intervals that no ν settles are halved.
"""

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.laws.credal.box import Box
from dalenius.laws.credal.quotients import Quotients, climbed
from dalenius.laws.law import Array, IntArray

OFF: Final = 16 * UNIT
NEAR: Final = 1e-11
"""Of another law mixed in, where a quotient is 0/0 at an extreme law: its limit is what counts."""
MOST_VERTICES: Final = 3000
CLIMBED: Final = 6
MOST_CELLS: Final = 6000
"""Intervals looked at before a wider enclosure is looked for."""
ROUNDS: Final = 60
HALVINGS: Final = 34
WIDEST: Final = 16.0**12


@final
@dataclass(frozen=True)
class Supremum:
    """lower <= the largest log over laws and problems <= upper; law (m,) and problem: where lower is attained, or, at
    the edge of the set, as near to it as one likes; among: the same of some of the problems only, and its upper end
    is `upper`."""

    lower: float
    upper: float
    law: Array
    problem: int
    among: float


def supremum(box: Box, problems: Quotients, chosen: NDArray[np.bool_] | None = None) -> Supremum:
    """Over the box. chosen (problems,): those of `among`, all by default."""
    entries = np.flatnonzero(box.upper > 0)
    own = problems.on(entries)
    within = Box(box.lower[entries], box.upper[entries])
    among = np.ones(len(own), dtype=bool) if chosen is None else np.asarray(chosen, dtype=bool)
    law, problem, best = _found(within, own)
    few = np.flatnonzero(among)
    some = best if among[problem] else (_found(within, own[few])[2] if len(few) else -np.inf)
    best = max(best, some)
    upper = _bounded(within, own, best)
    whole = np.zeros(len(box))
    whole[entries] = law
    return Supremum(best, upper, whole, problem, some)


def _found(box: Box, problems: Quotients) -> tuple[Array, int, float]:
    """A law and a problem of it that are no worse than any extreme law where these are few."""
    starts = _starts(box, problems)
    values = problems.values(starts)
    order = np.argsort(-values, axis=None, kind="stable")
    best, law, problem, seen = -np.inf, starts[0], 0, set[int]()
    for place in order.tolist():
        row, column = divmod(place, len(problems))
        if column in seen:
            continue
        seen.add(column)
        found, value = climbed(box, problems[[column]], starts[row])
        if value > best + 1e-13:
            best, law, problem = value, found, column
        if len(seen) >= CLIMBED:
            break
    return law, problem, best


def _starts(box: Box, problems: Quotients) -> Array:
    middle = box.point[None, :]
    if (box.upper > box.lower).sum() <= 16 and box.vertex_bound <= MOST_VERTICES:
        corners = box.vertices()
    else:
        slopes = sum(
            sign * each / np.maximum(each @ middle[0], 1e-300)[:, None]
            for sign, each in zip((1, -1, 1, -1), problems.parts, strict=True)
        )
        corners = box.best(np.asarray(slopes))
        for _ in range(3):
            sums = [np.maximum((each * corners).sum(axis=1), 1e-300) for each in problems.parts]
            signed = zip((1, -1, 1, -1), problems.parts, sums, strict=True)
            further = sum(sign * each / total[:, None] for sign, each, total in signed)
            corners = np.concatenate([box.best(np.asarray(further)), corners[: len(problems)]])[: len(problems)]
    return np.concatenate([corners, corners + NEAR * (middle - corners), middle])


def _bounded(box: Box, problems: Quotients, best: float) -> float:
    """An upper bound within a millionth of `best`, or as close as a fixed effort allows."""
    wider = min(1e-6, max(1e-9, 1e-5 * abs(best)))
    while not _settled(box, problems, best + wider):
        wider *= 8
        if wider > 1e3:
            return np.inf
    return float(best + wider)


def _settled(box: Box, problems: Quotients, log: float) -> bool:
    """Whether no law of the box exceeds it in any problem."""
    number, low, high = _whole(problems)
    budget = MOST_CELLS
    for _ in range(ROUNDS):
        open_ = ~_certified(box, problems[number], low, high, log)
        number, low, high = number[open_], low[open_], high[open_]
        budget -= len(open_)
        if not len(number):
            return True
        if budget < 2 * len(number):
            return False
        middle = np.sqrt(low * high)
        number = np.concatenate([number, number])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return False


def _whole(problems: Quotients) -> tuple[IntArray, Array, Array]:
    """Each problem's whole range of first quotients."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = problems.above / problems.below
    low = np.where(problems.below > 0, ratios, np.inf).min(axis=1)
    high = np.where(problems.below > 0, ratios, -np.inf).max(axis=1)
    return np.arange(len(problems)), low * (1 - 4 * UNIT), high * (1 + 4 * UNIT)


def _certified(box: Box, problems: Quotients, low: Array, high: Array, log: float) -> NDArray[np.bool_]:
    """Which intervals of first quotients some ν settles (cells,)."""
    target = np.exp(log)
    ends = [_Ended(box, problems, each, target) for each in (low, high)]
    middle = box.point
    size = (high * (problems.gain @ middle) + target * (problems.loss @ middle)) / np.maximum(
        (problems.above + high[:, None] * problems.below) @ middle, 1e-300
    )
    left, right = _bracket(ends, size)
    done = np.zeros(len(low), dtype=bool)
    active = np.arange(len(low))
    for _ in range(HALVINGS):
        if not len(active):
            break
        at = (left[active] + right[active]) / 2
        value, slope = _worst(ends, active, at)
        done[active[value <= 0]] = True
        falling = slope < 0
        left[active] = np.where(falling, at, left[active])
        right[active] = np.where(falling, right[active], at)
        active = active[value > 0]
    return done


@final
class _Ended:
    """One end of every interval: c gain - T loss + ν (above - c below), largest over the box."""

    def __init__(self, box: Box, problems: Quotients, quotient: Array, target: float) -> None:
        self._box = box
        c = quotient[:, None]
        self._fixed = c * problems.gain - target * problems.loss
        self._moved = problems.above - c * problems.below
        self._size = OFF * (c * problems.gain + target * problems.loss)
        self._moved_size = OFF * (problems.above + c * problems.below)

    def at(self, cells: IntArray, multiplier: Array) -> tuple[Array, Array]:
        """The largest, from above, and how it changes with ν."""
        nu = multiplier[:, None]
        moved = self._moved[cells]
        gains = self._fixed[cells] + nu * moved + self._size[cells] + np.abs(nu) * self._moved_size[cells]
        law = self._box.best(gains)
        return (gains * law).sum(axis=1), (moved * law).sum(axis=1)


def _worst(ends: list[_Ended], cells: IntArray, multiplier: Array) -> tuple[Array, Array]:
    (one, first), (other, second) = (each.at(cells, multiplier) for each in ends)
    return np.maximum(one, other), np.where(one >= other, first, second)


def _bracket(ends: list[_Ended], size: Array) -> tuple[Array, Array]:
    """Multipliers between which the least of the convex function lies, as far as one looks for it."""
    cells = np.arange(len(size))
    left, right = -4 * size, 4 * size
    for side, sign in ((left, 1), (right, -1)):
        wide = cells
        while len(wide) and np.abs(side[wide]).max() <= WIDEST * size[wide].max():
            value, slope = _worst(ends, wide, side[wide])
            wide = wide[(sign * slope > 0) & (value > 0)]
            side[wide] *= 16
    return left, right
