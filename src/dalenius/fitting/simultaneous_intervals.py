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
"""Of how often something occurred, in how many trials, and alpha: an interval of its probability, which that is outside
of with chance alpha at most."""


def clopper_pearson(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """Exact for counts of independent observations whose number the counts do not decide."""
    # A value that never occurred may have probability 0, one that always did 1: no quantile is to be looked for.
    low, high = (count, trials - count + 1), (count + 1, trials - count)
    return _quantile(*low, alpha / 2) if count else 0.0, _quantile(*high, alpha / 2, 1) if high[1] else 1.0


def robbins(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """For counts that decide themselves how many there are, as visits to a state of a chain do."""
    other, share = trials - count, count / trials
    # The log-likelihood is at least `floor` inside; a little below it, so that both ends lie outside.
    floor = float(betaln(count + 0.5, other + 0.5) - betaln(0.5, 0.5)) + float(np.log(alpha))
    floor -= _MARGIN * max(1.0, -floor)

    def inside(p: float) -> bool:
        return float(xlogy(count, p) + xlog1py(other, -p)) > floor

    low = bisected(inside, share, 0.0)[1] if count else 0.0
    return low, bisected(inside, share, 1.0)[1] if other else 1.0


def _quantile(a: float, b: float, share: float, sign: Literal[-1, 1] = -1) -> float:
    """Below which (sign -1), or above, Beta(a, b) has that share at most: rounded outwards until its tail has."""
    inverse, tail = (betaincinv, betainc) if sign < 0 else (betainccinv, betaincc)
    return _outwards(float(inverse(a, b, share)), sign, lambda p: tail(a, b, p), share)


def _outwards(end: float, sign: int, tail: Callable[[float], Any], most: float) -> float:
    """The end moved towards 0 (sign -1) or 1, until the tail beyond it is `most` at most."""
    step = _MARGIN
    # One step is nearly always enough: the quantile was right but for its last digits.
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
        """counts: (rows, k), one of the tables whose claims were counted."""
        return tuple(self._row([int(count) for count in row]) for row in np.atleast_2d(counts))

    def _row(self, counts: Sequence[int]) -> Row:
        """[0, 1] throughout a row without observations: nothing is learned."""
        trials, width = sum(counts), len(counts)
        # Of a row of one probability there is nothing to claim: it is 1.
        if width < 2:
            return ((1.0, 1.0),)
        # A state that no sequence ever was in, or a label that no row has.
        if not trials:
            return ((0.0, 1.0),) * width
        alpha = (1 - self.confidence) / max(self.claims, 1)
        return tuple(self.ends(count, trials, alpha) for count in counts)

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"confidence": self.confidence, "region": self.ends.__name__, "claims": self.claims}


def simultaneous(confidence: float | None, widths: Sequence[int], ends: Ends = clopper_pearson) -> Simultaneous | None:
    """Of rows of so many probabilities; None where no confidence is wanted. InputError for a confidence that is
    none."""
    # Points were asked for, and no intervals.
    if confidence is None:
        return None
    missed(confidence)
    # Of two probabilities either is 1 less the other, and of one there is nothing to claim.
    claims = sum(0 if width < 2 else 1 if width == 2 else width for width in widths)
    return Simultaneous(ends, confidence, claims)


# An end of a box moves outwards by so much in each round, more than was rounded in it.
_OUT: Final = 1e-12


def stationary_row(rows: tuple[Row, ...]) -> Row:
    """Holds every π = πP with P in these intervals.

    If π lies in a box, its mean of column j of P is at least the least mean, over laws in the box, of that column's
    lower ends, and likewise above: smaller boxes, round by round, each of which holds π.
    """
    ends = np.array(rows)
    low, high = np.zeros(len(rows)), np.ones(len(rows))
    # Boxes only shrink; how many rounds there are says how tight they get, and nothing of whether they hold.
    for _ in range(200):
        least = [_least(low, high, column) for column in ends[:, :, 0].T]
        most = [-_least(low, high, -column) for column in ends[:, :, 1].T]
        low = np.maximum(low, np.array(least) - _OUT).clip(0, 1)
        high = np.minimum(high, np.array(most) + _OUT).clip(0, 1)
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _least(low: Array, high: Array, weights: Array) -> float:
    """The least mean of the weights under a law in the box: what is free goes to the smallest."""
    order = np.argsort(weights, kind="stable")
    room = (high - low)[order]
    free = 1 - low.sum()
    given = low[order] + np.clip(free - (np.cumsum(room) - room), 0, room)
    return float(given @ weights[order])
