"""What Laplace or geometric noise certainly leaks about a record under some joint law with its pairs.

At outputs far above all answers W(y|s)/W(y|s') is E[e^{S/b}|s]/E[e^{S/b}|s'], S what the record and its neighbours add,
whatever the others add, and far below the same of -1/b. Neighbours may be coupled given each value as one likes: all at
the same quantile makes an expectation largest; in pairs at opposite quantiles, or independent, makes it small.
"""

from collections.abc import Sequence
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array
from dalenius.ratios.pairs.comonotone import comonotone
from dalenius.ratios.pairs.lattice import grid
from dalenius.ratios.pairs.neighbourhood import Neighbour, Neighbourhood

TERMS: Final = 64


@final
class Limits:
    """Of one record and its neighbours; values are indices of the record's."""

    def __init__(self, neighbourhood: Neighbourhood) -> None:
        self._around = neighbourhood
        self._sorted = [_ascending(each) for each in neighbourhood.neighbours]
        self._values = range(len(neighbourhood.own))
        self._grid = grid(neighbourhood)
        self._comonotone = [comonotone(neighbourhood, self._grid, s) for s in self._values]

    def lower(self, scale: float, pairs: Sequence[tuple[int, int]], prior: bool) -> tuple[float, float, float]:
        """Lower bounds of the largest log(W(y|s)/W(y|s')) of these pairs, of log(W(y|s)/W(y)) and of log(W(y)/W(y|s))
        over any s; 0 for the last two where the prior is not known."""
        found = []
        for rate in (1 / scale, -1 / scale):
            most = np.array([self._together(s, rate) for s in self._values])
            least = np.array([self._apart(s, rate) for s in self._values])
            off = self._rounding(rate)
            ratio = max((most[s] - least[t] for s, t in pairs), default=0.0)
            found.append((ratio - off, *((each - off for each in self._moved(most, least)) if prior else (0.0, 0.0))))
        ratios, raised, lowered = (float(max(0.0, *column)) for column in zip(*found, strict=True))
        return ratios, raised, lowered

    def _together(self, s: int, rate: float) -> float:
        """log E[e^{rate S}|s], all neighbours at the same quantile."""
        law = self._comonotone[s]
        return _log_mean(law.masses, rate * (self._grid.start + self._grid.step * law.points))

    def _apart(self, s: int, rate: float) -> float:
        """The same with neighbours of a kind in pairs at opposite quantiles or independent, whichever is less."""
        total = float(self._around.own[s] * rate)
        for each in self._sorted:
            alone = _log_mean(each.laws[s], each.points * rate)
            opposed = _log_mean(*_opposed(each.laws[s], each.points, rate))
            pairs, odd = divmod(each.times, 2)
            total += pairs * min(opposed, 2 * alone) + odd * alone
        return total

    def _moved(self, most: Array, least: Array) -> tuple[float, float]:
        with np.errstate(divide="ignore"):
            logs = np.log(self._around.prior)
        raised, lowered = [], []
        for s in self._values:
            others = np.array([logs[t] + (most[t] if t == s else least[t]) for t in self._values])
            raised.append(most[s] - np.logaddexp.reduce(others))
            others = np.array([logs[t] + (least[t] if t == s else most[t]) for t in self._values])
            lowered.append(np.logaddexp.reduce(others) - least[s])
        return float(max(raised)), float(max(lowered))

    def _rounding(self, rate: float) -> float:
        reach = np.abs(self._around.own).max() + sum(each.times * np.abs(each.points).max() for each in self._sorted)
        terms = TERMS + 4 * sum(len(each.points) for each in self._sorted)
        return float(terms * UNIT * (1 + abs(rate) * reach) + 2 * abs(rate) * self._grid.error)


def _ascending(given: Neighbour) -> Neighbour:
    order = np.argsort(given.points, kind="stable")
    return Neighbour(given.times, given.points[order], given.laws[:, order])


def _opposed(law: Array, points: Array, rate: float) -> tuple[Array, Array]:
    """The law of rate times the sum of two such scores at opposite quantiles."""
    up, down = np.cumsum(law)[:-1], np.cumsum(law[::-1])[:-1]
    cuts = np.unique(np.clip(np.concatenate([[0.0, 1.0], up, down]), 0.0, 1.0))
    middles = (cuts[:-1] + cuts[1:]) / 2
    sums = (
        points[np.searchsorted(up, middles, side="right")] + points[::-1][np.searchsorted(down, middles, side="right")]
    )
    return np.diff(cuts), rate * sums


def _log_mean(chances: Array, logs: Array) -> float:
    with np.errstate(divide="ignore"):
        return float(np.logaddexp.reduce(np.log(chances) + logs))
