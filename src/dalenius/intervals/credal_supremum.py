"""Suprema of leakages over all laws of a credal set, enclosed by branch and bound (Result 21.3).

The leakage of one output about a group is a product of two quotients of linear functions of the group's law. Let c be
the first quotient of a law p, so that (above - c below)·p = 0. Then the product of both exceeds T only if, for every
number ν, c gain·p - T loss·p + ν (above - c below)·p > 0. At a fixed ν the most of that over the set is one greedy
filling, and convex in c. If it is at most 0 at both ends of an interval of c, no law whose first quotient lies there
exceeds T. Intervals that no ν settles are halved.

Take two chances (p, 1 - p). At p = .2 and at p = .6 the log of (.2 + .8 p)(1 - .8 p)/.25 is .19029 and .34671; climbing
from .2 finds .36464, at .5, which is no corner:

>>> half = np.array([[0.5, 0.5]])
>>> problem = Quotients(np.array([[1.0, 0.2]]), half, np.array([[0.2, 1.0]]), half)
>>> problem.values(np.array([[0.2, 0.8], [0.6, 0.4]])).ravel().round(5).tolist()
[0.19029, 0.34671]
>>> round(climbed(Box(np.array([0.2, 0.4]), np.array([0.6, 0.8])), problem, np.array([0.2, 0.8])), 5)
0.36464
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.intervals.limits import MOST_START_CORNERS
from dalenius.laws.box import Box

_SIGNS: Final = np.array([1.0, -1.0, 1.0, -1.0])
"""The signs with which the logs of above, below, gain and loss add up."""


@final
@dataclass(frozen=True)
class Quotients:
    """Problems: log of (above·p)(gain·p) / ((below·p)(loss·p)) over the laws p of a box.

    All four are arrays (problems, m) without negative entries. `above` is 0 where `below` is, and `gain` where `loss`
    is: elsewhere the supremum is infinite, and not looked for.
    """

    above: Array
    below: Array
    gain: Array
    loss: Array

    def __len__(self) -> int:
        return len(self.above)

    @staticmethod
    def joined(parts: Sequence["Quotients"]) -> "Quotients":
        """Returns the problems of all `parts`, one after the other."""
        return Quotients(*(np.concatenate(each) for each in zip(*(part.parts for part in parts), strict=True)))

    def __getitem__(self, index: Any) -> "Quotients":
        return Quotients(*(each[index] for each in self.parts))

    def on(self, entries: IntArray) -> "Quotients":
        """Returns the problems on the probabilities at these `entries` only; the others are 0."""
        return Quotients(*(np.ascontiguousarray(each[:, entries]) for each in self.parts))

    @property
    def parts(self) -> tuple[Array, Array, Array, Array]:
        """The four arrays above, below, gain and loss."""
        return self.above, self.below, self.gain, self.loss

    def values(self, laws: Array) -> Array:
        """Returns the logs (laws, problems) at laws (laws, m); -inf where a quotient is 0/0."""
        above, below, gain, loss = (laws @ each.T for each in self.parts)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(above) - np.log(below) + np.log(gain) - np.log(loss)
        return np.where((below > 0) & (loss > 0), found, -np.inf)

    def slopes(self, law: Array) -> Array:
        """Returns how the logs change with each probability (problems, m) at a law where all four are above 0."""
        parts = zip(_SIGNS, self.parts, strict=True)
        return np.asarray(sum(sign * each / np.maximum(each @ law, 1e-300)[:, None] for sign, each in parts))


def climbed(box: Box, problem: Quotients, law: Array) -> float:
    """Returns the log of a problem at some law where it is no less than at the given one.

    Mass moves between two probabilities as far as is best, along the edges of the box, on one of which the log is
    largest (Result 21.4).

    Args:
        box: The set of laws.
        problem: One problem.
        law: The law (m,) to begin at, in the box.
    """
    weights, best = np.concatenate(problem.parts), float(problem.values(law[None, :])[0, 0])
    for _ in range(80):
        sums, slope = weights @ law, problem.slopes(law)[0]
        room = np.minimum((box.upper - law)[:, None], law - box.lower)
        more, less = np.nonzero((room > 0) & (slope[:, None] > slope))
        # On a face where a sum is 0, or at a corner from which no edge leads up.
        if not (sums > 0).all() or not len(more):
            break
        room = room[more, less]
        part, place = _along(sums, (weights[:, more] - weights[:, less]) * room)
        law = law.copy()
        law[more[place]] += part * room[place]
        law[less[place]] -= part * room[place]
        # Roundings of a step may leave the box by a bit; the value at a law outside would be no lower end.
        law = np.clip(law, box.lower, box.upper)
        value = float(problem.values(law[None, :])[0, 0])
        # Each step goes up; what is less than a rounding is no step.
        if not value > best + 1e-15:
            break
        best = value
    return best


def _along(sums: Array, change: Array) -> tuple[float, int]:
    """Returns the best share of a step, and the direction; sums (4,) change by `change` (4, directions)."""
    low, high = np.zeros(change.shape[1]), np.ones(change.shape[1])
    for _ in range(9):
        # By seventeen points, nine times: along an edge the log may have more than one peak, so no bisection.
        grid = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, 17)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.maximum(sums[:, None, None] + change[:, :, None] * grid, 0.0))
            values = np.einsum("f,fdg->dg", _SIGNS, logs)
        values = np.where(np.isnan(values) | (values == np.inf), -np.inf, values)
        peak = values.argmax(axis=1)
        width = (high - low) / 16
        low, high = np.maximum(low, low + (peak - 1) * width), np.minimum(high, low + (peak + 1) * width)
    place = int(values.max(axis=1).argmax())
    return float(grid[place, peak[place]]), place


_OFF: Final = 32 * UNIT


class Supremum(NamedTuple):
    """An enclosure of a supremum over laws and problems, in nats (a problem's value is a log).

    Attributes:
        lower: What some law attains in a chosen problem, or comes as near to as one likes at the edge of the set.
        upper: What no law exceeds in any problem.
        problem: The place of a problem with the largest log that was found.
    """

    lower: float
    upper: float
    problem: int


def largest_over_laws(box: Box, problems: Quotients, chosen: NDArray[np.bool_] | None = None) -> Supremum:
    """Encloses the largest log of any problem over the box.

    Args:
        box: The set of laws.
        problems: The problems.
        chosen: The problems (problems,) that `lower` may come from; None for all.

    Take the chances (p, 1 - p), p from .2 to .6. The most of (.2 + .8 p)(1 - .8 p) / (.5 · .5) is at p = .5, inside:

    >>> half, box = np.array([[0.5, 0.5]]), Box(np.array([0.2, 0.4]), np.array([0.6, 0.8]))
    >>> found = largest_over_laws(box, Quotients(np.array([[1.0, 0.2]]), half, np.array([[0.2, 1.0]]), half))
    >>> round(found.lower, 5), round(found.upper, 5)
    (0.36464, 0.36464)
    """
    # A value that no law of the box allows, such as a household size that nobody has, only widens arrays.
    entries = np.flatnonzero(box.upper > 0)
    own = problems.on(entries)
    within = box if len(entries) == len(box) else box.among(entries)
    assert within is not None
    among = np.ones(len(own), dtype=bool) if chosen is None else np.asarray(chosen, dtype=bool)
    # A part without intervals beside one with them: one law, and no search.
    if within.is_point:
        values = own.values(within.lower[None, :])[0]
        most = float(values.max())
        return Supremum(
            float(values.max(where=among, initial=-np.inf)), most + _OFF * (1 + abs(most)), int(values.argmax())
        )
    problem, best = _found(within, own)
    some = best
    # The largest of all problems may be at an output where others' records blur it; a lower end needs one where they do
    # not.
    if not among[problem]:
        some = _found(within, own[np.flatnonzero(among)])[1] if among.any() else -np.inf
    return Supremum(some, _bounded(within, own, max(best, some)), problem)


def _found(box: Box, problems: Quotients) -> tuple[int, float]:
    """Returns a problem, and its log at some law: no less than at any extreme law where these are few."""
    starts = _starts(box, problems)
    values = problems.values(starts)
    # The six problems with the largest logs at the start climb, each from its best law.
    likely = np.argsort(-values.max(axis=0), kind="stable")[:6].tolist()
    found = [climbed(box, problems[[each]], starts[values[:, each].argmax()]) for each in likely]
    # Among problems that are equal up to rounding, the first one counts.
    place = next(i for i, value in enumerate(found) if value >= max(found) - 1e-13)
    return likely[place], max(found)


def _starts(box: Box, problems: Quotients) -> Array:
    """Returns laws to climb from: corners, the middle of the box, and corners with a trace of the middle in them."""
    middle = box.point[None, :]
    # Few free entries: every corner. Many: for each problem the corner to which the middle's slope points.
    if (box.upper > box.lower).sum() <= 16 and box.vertex_bound <= MOST_START_CORNERS:
        corners = box.vertices
    else:
        corners = box.best(problems.slopes(middle[0]))
    # Where a quotient is 0/0 at an extreme law, its limit counts, with a little of another law mixed in.
    return np.concatenate([corners, corners + 1e-11 * (middle - corners), middle])


_WIDEST: Final = 1e3
"""Nats above what is attained, beyond which no bound is looked for."""


def _bounded(box: Box, problems: Quotients, best: float) -> float:
    """Returns an upper bound within a millionth of `best`, or as close as a fixed effort allows."""
    wider = min(1e-6, max(1e-9, 1e-5 * abs(best)))
    # Wider by eightfold until the proof succeeds: a problem that is hard near its maximum is still bounded.
    while not _settled(box, problems, best + wider):
        wider *= 8
        if wider > _WIDEST:
            return np.inf
    return float(best + wider)


def _settled(box: Box, problems: Quotients, log: float) -> bool:
    """Says whether no law of the box exceeds `log` in any problem."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = problems.above / problems.below
    # Each problem's whole range of first quotients.
    low = np.where(problems.below > 0, ratios, np.inf).min(axis=1) * (1 - 4 * UNIT)
    high = np.where(problems.below > 0, ratios, -np.inf).max(axis=1) * (1 + 4 * UNIT)
    # Intervals looked at before a wider enclosure is looked for.
    number, budget = np.arange(len(problems)), 6000
    for _ in range(60):
        budget -= len(number)
        # A NaN settles nothing.
        unsettled = ~(_Intervals(box, problems[number], np.stack([low, high]), float(np.exp(log))).excess() <= 0)
        number, low, high = number[unsettled], low[unsettled], high[unsettled]
        if not len(number):
            return True
        # Too many intervals remain open: give up at this width.
        if budget < 2 * len(number):
            return False
        # Quotients may be spread over many powers of ten.
        middle = np.sqrt(low * high)
        number = np.concatenate([number, number])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return False


@final
class _Intervals:
    """Intervals of first quotients, one of each problem.

    Args:
        quotients: Their ends (2, intervals).
        most: The product T that no law should exceed.
    """

    def __init__(self, box: Box, problems: Quotients, quotients: Array, most: float) -> None:
        gain, loss = quotients[..., None] * problems.gain, most * problems.loss
        below = quotients[..., None] * problems.below
        self._box = box
        self._fixed, self._moved = gain - loss, problems.above - below
        self._fixed_off, self._moved_off = _OFF * (gain + loss), _OFF * (problems.above + below)

    def excess(self) -> Array:
        """Returns what the best multiplier leaves of each interval (intervals,).

        An interval settles where that is at most 0; above 0 it is known to a factor of two. What is left is convex in
        the multiplier: its slope says on which side the least lies, and its tangent how much less it can be there.
        Multipliers are halved on the scale of their sinh, so that all sizes are near.
        """
        middle, count = self._box.point, self._fixed.shape[1]
        size = (self._fixed_off[1] @ middle) / np.maximum(self._moved_off[1] @ middle, 1e-300)
        left, right, found = np.full(count, -34.0), np.full(count, 34.0), np.full(count, np.inf)
        active = np.arange(count)
        for _ in range(60):
            at = (left[active] + right[active]) / 2
            multiplier = size[active] * np.sinh(at)
            value, slope = self._largest(active, multiplier)
            found[active] = np.minimum(found[active], value)
            falling = slope < 0
            end = size[active] * np.sinh(np.where(falling, right[active], left[active]))
            least = value - np.abs(slope * (end - multiplier))
            left[active[falling]], right[active[~falling]] = at[falling], at[~falling]
            # Settled ones leave, and those that are known to a factor of two.
            active = active[(found[active] > 0) & (2 * least <= found[active])]
            if not len(active):
                break
        return found

    def _largest(self, cells: IntArray, multiplier: Array) -> tuple[Array, Array]:
        """Returns the largest over the box at either end, from above, and how it changes with the multiplier."""
        nu = multiplier[:, None]
        moved, moved_off = self._moved[:, cells], self._moved_off[:, cells]
        gains = self._fixed[:, cells] + nu * moved + self._fixed_off[:, cells] + np.abs(nu) * moved_off
        law = self._box.best(gains)
        values = (gains * law).sum(axis=-1)
        most, every = values.argmax(axis=0), np.arange(len(cells))
        slopes = (moved[most, every] + np.sign(nu) * moved_off[most, every]) * law[most, every]
        return values[most, every], slopes.sum(axis=-1)
