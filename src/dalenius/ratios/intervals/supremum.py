"""The supremum of what outputs leak over all laws of a credal set, enclosed by branch and bound (Result 21.3).

Let c be the first quotient of a law p, so that (above - c below)·p = 0. Then the product of both exceeds T only if, for
every number ν, c gain·p - T loss·p + ν (above - c below)·p > 0. At a fixed ν the most of that over the set is one
greedy filling, and convex in c: where it is at most 0 at both ends of an interval of c, no law whose first quotient
lies there exceeds T. Intervals that no ν settles are halved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.laws.box import Box
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.quotients import Quotients, climbed

OFF: Final = 32 * UNIT
CLIMBED: Final = 6
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


def supremum(
    box: Box, problems: Quotients, chosen: NDArray[np.bool_] | None = None, negligible: float = -np.inf
) -> Supremum:
    """Over the box. chosen (problems,): those of `among`, all by default. negligible: where all are below it, no more
    is done than to see that: the upper end is below it then, the lower end less than it might be."""
    entries = np.flatnonzero(box.upper > 0)
    own = problems.on(entries)
    within = box if len(entries) == len(box) else box.among(entries)
    assert within is not None
    among = np.ones(len(own), dtype=bool) if chosen is None else np.asarray(chosen, dtype=bool)
    if within.is_point:
        return _of_point(within, own, np.where(among, 0.0, -np.inf), box)
    whole = np.zeros(len(box))
    below = negligible - 2 * _width(negligible)
    if below > 0 and own.values(_starts(within, own)).max() < below and _settled(within, own, below):
        values = own.values(within.point[None, :])[0]
        whole[entries] = within.point
        return Supremum(
            float(values.max()), below, whole, int(values.argmax()), float((values[among]).max(initial=-np.inf))
        )
    law, problem, best = _found(within, own)
    few = np.flatnonzero(among)
    some = best if among[problem] else (_found(within, own[few])[2] if len(few) else -np.inf)
    best = max(best, some)
    upper = _bounded(within, own, best)
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
    if (box.upper > box.lower).sum() <= 16 and box.vertex_bound <= 3000:
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
    # Of another law mixed in, where a quotient is 0/0 at an extreme law: its limit is what counts.
    return np.concatenate([corners, corners + 1e-11 * (middle - corners), middle])


def _bounded(box: Box, problems: Quotients, best: float) -> float:
    """An upper bound within a millionth of `best`, or as close as a fixed effort allows."""
    wider = _width(best)
    while not _settled(box, problems, best + wider):
        wider *= 8
        if wider > 1e3:
            return np.inf
    return float(best + wider)


def _width(best: float) -> float:
    """Of an enclosure."""
    return min(1e-6, max(1e-9, 1e-5 * abs(best)))


def _settled(box: Box, problems: Quotients, log: float) -> bool:
    """Whether no law of the box exceeds it in any problem."""
    target = np.exp(log)

    def ended(number: IntArray, quotient: Array) -> "Ended":
        c, own = quotient[:, None], problems[number]
        gain, loss = c * own.gain, target * own.loss
        below = c * own.below
        return Ended(box, gain - loss, own.above - below, OFF * (gain + loss), OFF * (own.above + below))

    return settled(*_whole(problems), ended, _geometric)


def settled(
    low: Array,
    high: Array,
    ended: Callable[[IntArray, Array], "Ended"],
    halved: Callable[[Array, Array], Array],
) -> bool:
    """Whether multipliers settle every problem's whole range [low, high] (problems,), cut into intervals as is needed.

    ended: the functions at one end of intervals, by the numbers of their problems; halved: where to cut.
    """
    # Intervals looked at before a wider enclosure is looked for.
    number, budget = np.arange(len(low)), 6000
    for _ in range(60):
        left_open = excess([ended(number, low), ended(number, high)]) > 0
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
    """Ends of every interval: fixed + ν moved (.., intervals, m), of a law, largest over the box. fixed_off, moved_off:
    by how much each may be off."""

    def __init__(self, box: Box, fixed: Array, moved: Array, fixed_off: Array, moved_off: Array) -> None:
        self._box, self._fixed, self._moved = box, fixed, moved
        self._fixed_off, self._moved_off = fixed_off, moved_off

    @classmethod
    def all(cls, ends: Sequence["Ended"]) -> "Ended":
        """One after the other, along a first axis."""
        parts = zip(*((each._fixed, each._moved, each._fixed_off, each._moved_off) for each in ends), strict=True)
        return cls(ends[0]._box, *(np.stack(each) for each in parts))

    @property
    def size(self) -> Array:
        """A multiplier of the usual size at the last end (intervals,)."""
        middle = self._box.point
        return np.asarray((self._fixed_off[-1] @ middle) / np.maximum(self._moved_off[-1] @ middle, 1e-300))

    def at(self, cells: IntArray, multiplier: Array) -> tuple[Array, Array]:
        """The largest at any end, from above, and how it changes with ν."""
        nu = multiplier[:, None]
        moved, moved_off = self._moved[:, cells], self._moved_off[:, cells]
        gains = self._fixed[:, cells] + nu * moved + self._fixed_off[:, cells] + np.abs(nu) * moved_off
        law = self._box.best(gains)
        values = (gains * law).sum(axis=-1)
        most, every = values.argmax(axis=0), np.arange(len(cells))
        slopes = (moved[most, every] + np.sign(nu) * moved_off[most, every]) * law[most, every]
        return values[most, every], slopes.sum(axis=-1)


def excess(ends: Sequence[Ended]) -> Array:
    """What the best multiplier leaves of each interval (intervals,), to a factor of two where it is above 0: at most 0
    where the interval settles.

    What is left is convex in the multiplier: its tangents at two points on either side of the least bound that from
    below, and where they meet is the next to be tried; the middle every third time, so that both sides close in.
    """
    both = Ended.all(ends)
    left, right = _bracket(both)
    found = np.minimum(left.values, right.values)
    active = np.flatnonzero(found > 0)
    for step in range(34):
        least, at = _meeting(left, right, active)
        unsettled = 2 * least > found[active]
        active, at = active[~unsettled], at[~unsettled]
        if not len(active):
            break
        at = (left.places[active] + right.places[active]) / 2 if step % 3 == 2 else at
        value, slope = both.at(active, at)
        found[active] = np.minimum(found[active], value)
        falling = slope < 0
        left.put(active[falling], at[falling], value[falling], slope[falling])
        right.put(active[~falling], at[~falling], value[~falling], slope[~falling])
        active = active[value > 0]
    return found


@final
class _Tangents:
    """Of each interval's convex function, at one multiplier (intervals,)."""

    def __init__(self, places: Array, values: Array, slopes: Array) -> None:
        self.places, self.values, self.slopes = places, values, slopes

    def put(self, cells: IntArray, places: Array, values: Array, slopes: Array) -> None:
        self.places[cells], self.values[cells], self.slopes[cells] = places, values, slopes


def _meeting(left: _Tangents, right: _Tangents, cells: IntArray) -> tuple[Array, Array]:
    """A bound of the function from below between two tangents, and where it lies."""
    one, other = left.places[cells], right.places[cells]
    falls, rises = -left.slopes[cells], right.slopes[cells]
    low, high = left.values[cells], right.values[cells]
    with np.errstate(divide="ignore", invalid="ignore"):
        further = (low - high + rises * (other - one)) / (falls + rises)
    crossed = (falls > 0) & (rises > 0) & (further >= 0) & (further <= other - one)
    further = np.where(crossed, further, (other - one) / 2)
    doubt = OFF * (np.abs(low) + np.abs(high) + (np.abs(falls) + np.abs(rises)) * (other - one))
    flat = np.where((falls <= 0) | (rises <= 0), np.minimum(low, high), -np.inf)
    return np.where(crossed, low - falls * further, flat) - doubt, one + further


def _bracket(ends: Ended) -> tuple[_Tangents, _Tangents]:
    """Multipliers between which the least of the convex function lies, as far as one looks for it."""
    found, size = [], ends.size
    for sign in (-1, 1):
        places, wide = 4 * sign * size, np.arange(len(size))
        side = _Tangents(places, np.empty(len(size)), np.empty(len(size)))
        while len(wide):
            value, slope = ends.at(wide, places[wide])
            side.put(wide, places[wide], value, slope)
            wide = wide[(sign * slope < 0) & (value > 0) & (16 * np.abs(places[wide]) <= WIDEST * size[wide])]
            places[wide] *= 16
        found.append(side)
    return found[0], found[1]
