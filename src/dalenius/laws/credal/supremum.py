"""The supremum of what outputs leak over all laws of a credal set, enclosed by branch and bound (Result 21.3).

Let c be the first quotient of a law p, so that (above - c below)·p = 0. Then the product of both exceeds T only if, for
every number ν, c gain·p - T loss·p + ν (above - c below)·p > 0. At a fixed ν the most of that over the set is one
greedy filling, and convex in c: where it is at most 0 at both ends of an interval of c, no law whose first quotient
lies there exceeds T. Intervals that no ν settles are halved.
"""

from collections.abc import Callable
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
    if (within.lower == within.upper).all():
        return _of_point(within, own, np.where(among, 0.0, -np.inf), box)
    law, problem, best = _found(within, own)
    few = np.flatnonzero(among)
    some = best if among[problem] else (_found(within, own[few])[2] if len(few) else -np.inf)
    best = max(best, some)
    upper = _bounded(within, own, best)
    whole = np.zeros(len(box))
    whole[entries] = law
    return Supremum(best, upper, whole, problem, some)


def _of_point(within: Box, problems: Quotients, among: Array, box: Box) -> Supremum:
    """Of a set of one law, read off it."""
    values = problems.values(within.lower[None, :])[0]
    most, some = float(values.max()), float((values + among).max())
    return Supremum(most, most + OFF * (1 + abs(most)), box.lower, int(values.argmax()), some)


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
    target = np.exp(log)

    def ended(number: IntArray, quotient: Array) -> "Ended":
        c, own = quotient[:, None], problems[number]
        gain, loss = c * own.gain, target * own.loss
        below = c * own.below
        return Ended(box, gain - loss, own.above - below, OFF * (gain + loss), OFF * (own.above + below))

    return settled(box, *_whole(problems), ended, _geometric)


def settled(
    box: Box,
    low: Array,
    high: Array,
    ended: Callable[[IntArray, Array], "Ended"],
    halved: Callable[[Array, Array], Array],
) -> bool:
    """Whether multipliers settle every problem's whole range [low, high] (problems,), cut into intervals as is needed.

    ended: the functions at one end of intervals, by the numbers of their problems; halved: where to cut.
    """
    number, budget = np.arange(len(low)), MOST_CELLS
    for _ in range(ROUNDS):
        left_open = excess(box, [ended(number, low), ended(number, high)]) > 0
        budget -= len(number)
        number, low, high = number[left_open], low[left_open], high[left_open]
        if not len(number):
            return True
        if budget < 2 * len(number):
            return False
        middle = halved(low, high)
        number = np.concatenate([number, number])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return False


def _geometric(low: Array, high: Array) -> Array:
    return np.asarray(np.sqrt(low * high))


def _whole(problems: Quotients) -> tuple[Array, Array]:
    """Each problem's whole range of first quotients."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = problems.above / problems.below
    low = np.where(problems.below > 0, ratios, np.inf).min(axis=1)
    high = np.where(problems.below > 0, ratios, -np.inf).max(axis=1)
    return low * (1 - 4 * UNIT), high * (1 + 4 * UNIT)


@final
class Ended:
    """One end of every interval: fixed + ν moved (intervals, m), of a law, largest over the box. fixed_off, moved_off:
    by how much each may be off."""

    def __init__(self, box: Box, fixed: Array, moved: Array, fixed_off: Array, moved_off: Array) -> None:
        self._box, self._fixed, self.moved = box, fixed, moved
        self._fixed_off, self._moved_off = fixed_off, moved_off

    def size(self, middle: Array) -> Array:
        """A multiplier of the usual size (intervals,)."""
        return np.asarray((self._fixed_off @ middle) / np.maximum(self._moved_off @ middle, 1e-300))

    def at(self, cells: IntArray, multiplier: Array) -> tuple[Array, Array]:
        """The largest, from above, and how it changes with ν."""
        nu = multiplier[:, None]
        moved = self.moved[cells]
        off = self._fixed_off[cells] + np.abs(nu) * self._moved_off[cells]
        gains = self._fixed[cells] + nu * moved + off
        law = self._box.best(gains)
        return (gains * law).sum(axis=1), (moved * law).sum(axis=1)


def excess(box: Box, ends: list[Ended]) -> Array:
    """The least that some multiplier was found to leave of each interval (intervals,): at most 0 where it settles."""
    size = ends[-1].size(box.point)
    left, right = _bracket(ends, size)
    found = np.full(len(size), np.inf)
    active = np.arange(len(size))
    for _ in range(HALVINGS):
        if not len(active):
            break
        at = (left[active] + right[active]) / 2
        value, slope = _worst(ends, active, at)
        found[active] = np.minimum(found[active], value)
        falling = slope < 0
        left[active] = np.where(falling, at, left[active])
        right[active] = np.where(falling, right[active], at)
        active = active[value > 0]
    return found


def _worst(ends: list[Ended], cells: IntArray, multiplier: Array) -> tuple[Array, Array]:
    values, slopes = zip(*(each.at(cells, multiplier) for each in ends), strict=True)
    most = np.argmax(values, axis=0)[None]
    return np.take_along_axis(np.stack(values), most, axis=0)[0], np.take_along_axis(np.stack(slopes), most, axis=0)[0]


def _bracket(ends: list[Ended], size: Array) -> tuple[Array, Array]:
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
