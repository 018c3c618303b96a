"""Confidence intervals that hold together, exactly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, xlog1py, xlogy

from dalenius.arrays import Array, IntArray
from dalenius.bisection import bisected
from dalenius.noise.error_law import missed

Row: TypeAlias = tuple[tuple[float, float], ...]
"""An interval for each probability of a row."""

_MARGIN: Final = 1e-9  # an end moves outwards by this much of its distance from 0 and 1, until its tail is small enough


Ends: TypeAlias = Callable[[int, int, float], tuple[float, float]]
"""A function from a count, the number of trials and alpha to an interval, which misses the probability with chance
alpha at most."""


def clopper_pearson(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """Returns an interval that is exact for independent observations whose number the counts do not decide.

    Args:
        count: How often it occurred.
        trials: In how many observations.
        alpha: The chance with which the interval may miss the probability.
    """
    # Because a value that never occurred may have probability 0, and one that always did 1, without any quantile.
    low, high = (count, trials - count + 1), (count + 1, trials - count)
    return _quantile(*low, alpha / 2) if count else 0.0, _quantile(*high, alpha / 2, 1) if high[1] else 1.0


def robbins(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """Returns an interval for counts that decide themselves how many there are, as visits to a state of a chain do.

    Args:
        count: How often it occurred.
        trials: In how many observations.
        alpha: The chance with which the interval may miss the probability.
    """
    other, share = trials - count, count / trials
    # The log-likelihood is at least `floor` inside; it is lowered a little, so that both ends lie outside.
    floor = float(betaln(count + 0.5, other + 0.5) - betaln(0.5, 0.5)) + float(np.log(alpha))
    floor -= _MARGIN * max(1.0, -floor)

    def inside(p: float) -> bool:
        return float(xlogy(count, p) + xlog1py(other, -p)) > floor

    low = bisected(inside, share, 0.0)[1] if count else 0.0
    return low, bisected(inside, share, 1.0)[1] if other else 1.0


def _quantile(a: float, b: float, share: float, sign: Literal[-1, 1] = -1) -> float:
    """Returns the place below which (sign -1), or above, Beta(a, b) has that share at most, rounded outwards."""
    inverse, tail = (betaincinv, betainc) if sign < 0 else (betainccinv, betaincc)
    return _outwards(float(inverse(a, b, share)), sign, lambda p: tail(a, b, p), share)


def _outwards(end: float, sign: int, tail: Callable[[float], Any], most: float) -> float:
    """Moves the end towards 0 (sign -1) or 1, until the tail beyond it is `most` at most."""
    step = _MARGIN
    # Because the quantile was right but for its last digits, one step is nearly always enough.
    while 0 < end < 1:
        end += sign * step * min(end, 1 - end)
        # the tail is computed to less than this
        if float(tail(end)) <= most * (1 - 1e-12):
            break
        step *= 2
    return min(max(end, 0.0), 1.0)


@final
@dataclass(frozen=True)
class Simultaneous:
    """Intervals that all hold together at that level; claims: how many statements share 1 - confidence."""

    ends: Ends
    confidence: float
    claims: int

    def rows(self, counts: IntArray) -> tuple[Row, ...]:
        """Returns the intervals of counts (rows, k), one of the tables whose claims were counted."""
        return tuple(self._row([int(count) for count in row]) for row in np.atleast_2d(counts))

    def _row(self, counts: Sequence[int]) -> Row:
        """Returns the intervals of one row: [0, 1] throughout without observations, as nothing is learned."""
        trials, width = sum(counts), len(counts)
        # Because the only probability of such a row is 1, there is nothing to claim.
        if width < 2:
            return ((1.0, 1.0),)
        # There may be a state that no sequence ever was in, or a label that no row has.
        if not trials:
            return ((0.0, 1.0),) * width
        alpha = (1 - self.confidence) / max(self.claims, 1)
        return tuple(self.ends(count, trials, alpha) for count in counts)

    def shown(self) -> dict[str, Any]:
        """Returns the level and the method, ready for JSON."""
        return {"confidence": self.confidence, "region": self.ends.__name__, "claims": self.claims}


def simultaneous(confidence: float | None, widths: Sequence[int], ends: Ends = clopper_pearson) -> Simultaneous | None:
    """Returns intervals for rows of so many probabilities; None where no confidence is wanted.

    Args:
        confidence: The confidence with which all of them hold, between 0 and 1; None for points.
        widths: How many probabilities each row has.
        ends: How one interval is found.

    Raises:
        InputError: For a confidence that is none.
    """
    # None stands for points without intervals.
    if confidence is None:
        return None
    missed(confidence)
    # Because either of two probabilities is 1 less the other, and of one there is nothing to claim.
    claims = sum(0 if width < 2 else 1 if width == 2 else width for width in widths)
    return Simultaneous(ends, confidence, claims)


# An end of a box moves outwards by so much in each round, more than was rounded in it.
_OUT: Final = 1e-12


def stationary_row(rows: tuple[Row, ...]) -> Row:
    """Returns intervals that hold every π = πP with P in these `rows` of intervals.

    If π lies in a box, its mean of column j of P is at least the least mean, over laws in the box, of that column's
    lower ends, and likewise above: smaller boxes, round by round, each of which holds π.
    """
    ends = np.array(rows)
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    # Because boxes only shrink, the number of rounds decides how tight they get, not whether they hold.
    for _ in range(200):
        least = [_least(low, high, column) for column in ends[:, :, 0].T]
        most = [-_least(low, high, -column) for column in ends[:, :, 1].T]
        low = np.maximum(low, np.array(least) - _OUT).clip(0, 1)
        high = np.minimum(high, np.array(most) + _OUT).clip(0, 1)
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _least(low: Array, high: Array, weights: Array) -> float:
    """Returns the least mean of the weights under a law in the box: what is free goes to the smallest."""
    order = np.argsort(weights, kind="stable")
    room = (high - low)[order]
    free = 1 - low.sum()
    given = low[order] + np.clip(free - (np.cumsum(room) - room), 0, room)
    return float(given @ weights[order])
